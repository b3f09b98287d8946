//! Columns of names. Each name is stored once, however many rows have it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_scenario::Names;

/// The names of a column's rows.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    names: Arc<Names>,
    /// By row, the number of its name; if there are no numbers, each row has the name with its row number.
    rows: Option<Vec<u32>>,
}

impl Texts {
    /// A name for each row.
    pub(crate) fn of_each(names: Arc<Names>) -> Texts {
        Texts { names, rows: None }
    }

    /// A column whose rows have these names.
    pub(crate) fn shared<'a>(names: impl IntoIterator<Item = &'a str>, rows: Vec<u32>) -> Texts {
        Texts { names: Arc::new(names.into_iter().collect()), rows: Some(rows) }
    }

    /// The names that rows have, in no particular order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.names.len()).map(|name| self.names.get(name))
    }

    /// By row, the number of its name among [`names`](Self::names); none if each row has the name of its own number.
    pub fn rows(&self) -> Option<&[u32]> {
        self.rows.as_deref()
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.names.len(), Vec::len)
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a row.
    pub fn get(&self, row: usize) -> &str {
        self.names.get(self.rows.as_ref().map_or(row, |rows| rows[row] as usize))
    }

    /// The names of all rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|row| self.get(row))
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Texts {
        let mut texts = TextsBuilder::default();
        rows.into_iter().for_each(|name| texts.push(name.as_ref()));
        texts.build()
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        self.iter().eq(other.iter())
    }
}

/// A column of names that grows by rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextsBuilder {
    numbers: BTreeMap<String, u32>,
    names: Names,
    rows: Vec<u32>,
}

impl TextsBuilder {
    /// Adds a row.
    pub fn push(&mut self, name: &str) {
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.names.push(name);
            self.numbers.insert(name.to_owned(), number);
            number
        });
        self.rows.push(number);
    }

    /// The column.
    pub fn build(self) -> Texts {
        Texts { names: Arc::new(self.names), rows: Some(self.rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_many_rows_is_stored_once() {
        let texts: Texts = ["reno", "cubic", "reno", "", "reno"].into_iter().collect();
        assert_eq!(texts.names().collect::<Vec<_>>(), ["reno", "cubic", ""]);
        assert_eq!(texts.rows(), Some(&[0, 1, 0, 2, 0][..]));
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["reno", "cubic", "reno", "", "reno"]);
    }

    #[test]
    fn columns_of_equal_rows_are_equal_however_they_are_stored() {
        let each = Texts::of_each(Arc::new(["a", "b", "a"].into_iter().collect()));
        assert_eq!(each, ["a", "b", "a"].into_iter().collect());
        assert_ne!(each, ["a", "b"].into_iter().collect());
        assert_eq!((each.len(), each.get(2)), (3, "a"));
    }
}
