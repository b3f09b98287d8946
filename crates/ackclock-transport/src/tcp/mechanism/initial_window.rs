//! The initial window (RFC 5681, 3.1): how much a connection sends in its first round trip.
//! Controllers take it as [`Start::initial_window`](ackclock_congestion::Start::initial_window).

use ackclock_catalogue::{Entry, Key};

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "initial-window",
    title: "the window that a connection begins with: one packet, or increased to four or ten",
    source: "RFC 5681, 3.1; RFC 3390 (four packets at most); RFC 6928 (ten); burst-tcp, 3.3.3",
    table: "tcp",
    keys: &[Key::optional(
        "initial_window",
        "\"rfc6928\"",
        "a number of packets, \"rfc3390\" or \"rfc6928\"; 10 packets where left out",
    )],
    ..Entry::PLAIN
};
