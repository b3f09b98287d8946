//! "Did you mean ..?"

/// The candidate that `found` was probably meant to be; none if nothing is close. Case does not matter,
/// and the first of equally close candidates wins, or of those that differ in their last sign, as versions do, the last.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let found = found.trim().to_ascii_lowercase();
    let mut best: Option<(usize, f64, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_ascii_lowercase();
        let distance = strsim::damerau_levenshtein(&found, &lower);
        let likeness = strsim::jaro_winkler(&found, &lower);
        // Up to three wrong letters are a typing error; a common beginning is an abbreviation.
        let longest = found.chars().count().max(lower.chars().count());
        if distance > ((longest + 1) / 3).max(1) && likeness < 0.9 || longest < 2 {
            continue;
        }
        let is_better = best.is_none_or(|(least, most, name)| {
            let is_newer = likeness >= most && is_later_version(&lower, &name.to_ascii_lowercase());
            distance < least || (distance == least && (likeness > most || is_newer))
        });
        if is_better {
            best = Some((distance, likeness, candidate));
        }
    }
    best.map(|(_, _, candidate)| candidate)
}

/// True for a name that differs from another in its last sign alone, a later one.
fn is_later_version(name: &str, other: &str) -> bool {
    match (name.char_indices().next_back(), other.char_indices().next_back()) {
        (Some((end, last)), Some((stem, before))) => name[..end] == other[..stem] && last > before,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
    fn of_versions_that_are_equally_close_the_last_is_named() {
        for names in [["bbr1", "bbr3"], ["bbr3", "bbr1"]] {
            assert_eq!(nearest("bbr4", names), Some("bbr3"), "{names:?}");
        }
        assert_eq!(nearest("bbr", ["bbr1", "bbr3"]), Some("bbr3"));
        assert_eq!(nearest("bbbr1", ["bbr1", "bbr3"]), Some("bbr1"));
    }

    #[test]
    fn something_else_is_not() {
        for found in ["", "x", "illinois", "quic", "delay"] {
            assert_eq!(nearest(found, NAMES), None, "{found}");
        }
    }
}
