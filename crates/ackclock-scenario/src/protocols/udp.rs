//! Datagrams.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "protocol",
    name: "udp",
    title: "datagrams, which nothing acknowledges unless a Congestion Manager sends them",
    source: "RFC 768",
    table: "udp",
    keys: &[Key::required(
        "rate",
        "\"1 Mbit/s\"",
        "the rate of the source; ackclock list applications has further keys",
    )],
    ..Entry::PLAIN
};
