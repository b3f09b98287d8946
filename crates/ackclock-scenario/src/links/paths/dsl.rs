//! DSL.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "dsl",
    title: "DSL: steady and asymmetric, with the delay of interleaving",
    source: "ITU-T G.993.2 (interleaving delays up to 8 ms); Dischinger et al. 2007 (rates, queues)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
rate = "16 Mbit/s"
delay = "12 ms"
buffer = "64 packets"

[reverse]
rate = "1 Mbit/s"
buffer = "64 packets"
"#;
