//! A hand-over from Wi-Fi to LTE and back.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "mobile-handover",
    title: "a telephone that leaves the Wi-Fi for LTE and comes back: rate and delay change at once",
    source: "Paasch et al. 2012 (hand-over from Wi-Fi to 3G); common practice",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
rate = { steps = [["0 s", "60 Mbit/s"], ["20 s", "8 Mbit/s"]], every = "40 s" }
delay = { steps = [["0 s", "8 ms"], ["20 s", "35 ms"]], every = "40 s" }
outage = { spans = [["19.7 s", "20 s"], ["39.9 s", "39.95 s"]], every = "40 s" }
buffer = "300 kB"

[reverse]
rate = { steps = [["0 s", "30 Mbit/s"], ["20 s", "4 Mbit/s"]], every = "40 s" }
buffer = "150 kB"
"#;
