//! "Did you mean ..?"

/// What other programs and papers call an algorithm, and its name here. For suggestions only.
const ELSEWHERE: &[(&str, &str)] = &[
    ("bbr", "bbr1"),
    ("bbrv1", "bbr1"),
    ("bbr2", "bbr3"),
    ("bbrv2", "bbr3"),
    ("bbrv3", "bbr3"),
    ("ctcp", "compound"),
    ("h-tcp", "htcp"),
    ("he-tcp", "hetcp"),
    ("highspeed", "hstcp"),
    ("hs-tcp", "hstcp"),
    ("stcp", "scalable"),
];

/// The algorithm that `found` was probably meant to be: the one that goes by that name elsewhere, or the [`nearest`].
pub fn nearest_algorithm<'a>(
    found: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let lower = found.trim().to_lowercase();
    let here = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == lower);
    let meant = here.and_then(|(_, here)| candidates.clone().into_iter().find(|name| name == here));
    meant.or_else(|| nearest(found, candidates))
}

/// The candidate that `found` was probably meant to be; none if nothing is close. Case does not count, and the first
/// of equals wins.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.trim().to_lowercase();
    let mut best: Option<(usize, f64, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let distance = strsim::damerau_levenshtein(&found, &lower);
        let likeness = strsim::jaro_winkler(&found, &lower);
        // A slip in three letters is a typing error; a common beginning is an abbreviation.
        let longest = found.chars().count().max(lower.chars().count());
        if distance > ((longest + 1) / 3).max(1) && likeness < 0.9 || longest < 2 {
            continue;
        }
        if best.is_none_or(|(least, most, _)| distance < least || (distance == least && likeness > most)) {
            best = Some((distance, likeness, candidate));
        }
    }
    best.map(|(_, _, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{ELSEWHERE, nearest, nearest_algorithm};
    use crate::registry::entries;

    const NAMES: [&str; 5] = ["standard", "vegas", "reno", "htcp", "bottleneck"];

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        for (found, meant) in [
            ("vegsa", "vegas"),
            ("rno", "reno"),
            ("Vegas", "vegas"),
            ("standart", "standard"),
            ("htpc", "htcp"),
            ("botleneck", "bottleneck"),
            ("bottle", "bottleneck"),
        ] {
            assert_eq!(nearest(found, NAMES), Some(meant), "{found}");
        }
    }

    #[test]
    fn a_name_used_elsewhere_is_recognised() {
        let names: Vec<_> = entries().iter().map(|entry| entry.name).collect();
        for (elsewhere, here) in ELSEWHERE {
            assert!(!names.contains(elsewhere), "{elsewhere} is a name here, too");
            assert_eq!(nearest_algorithm(elsewhere, names.iter().copied()), Some(*here));
        }
        assert_eq!(nearest_algorithm("CTCP", NAMES), nearest("CTCP", NAMES), "no compound among them");
    }

    #[test]
    fn something_else_is_not() {
        for found in ["", "x", "illinois", "quic", "delay"] {
            assert_eq!(nearest(found, NAMES), None, "{found}");
        }
    }
}
