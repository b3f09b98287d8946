//! The hint after a name that does not exist.

use std::fmt::Write;

/// The longest list, in letters.
const LONGEST: usize = 240;

/// The end of a message for an unknown name: the nearest name alone, or where none is near, the names that there are.
pub fn advice<'a>(nearest: Option<&str>, known: impl IntoIterator<Item = &'a str>) -> String {
    if let Some(name) = nearest {
        return format!("; did you mean {name:?}?");
    }
    let names: Vec<&str> = known.into_iter().collect();
    let mut list = names.join(", ");
    if list.len() > LONGEST {
        let shown = shortened(&names);
        list = names[..shown].join(", ");
        let _ = write!(list, " and {} more", names.len() - shown);
    }
    format!(" (there are: {list})")
}

/// The number of names that fit a message.
fn shortened(names: &[&str]) -> usize {
    let mut length = 0;
    let fits = |name: &&&str| {
        length += name.len() + 2;
        length <= LONGEST
    };
    names.iter().take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_stands_alone() {
        assert_eq!(advice(Some("reno"), ["cubic", "reno"]), "; did you mean \"reno\"?");
    }

    #[test]
    fn names_that_are_few_are_listed() {
        assert_eq!(advice(None, ["cubic", "reno"]), " (there are: cubic, reno)");
    }

    #[test]
    fn of_many_names_the_first_are_listed() {
        let names: Vec<String> = (0..100).map(|number| format!("name{number:02}")).collect();
        let said = advice(None, names.iter().map(String::as_str));
        assert!(said.starts_with(" (there are: name00, name01, "), "{said}");
        assert!(said.ends_with(", name29 and 70 more)"), "{said}");
    }
}
