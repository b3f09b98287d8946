//! The simulator's own TCP.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "protocol",
    name: "tcp",
    title: "TCP: the protocol of flows that name no other, by its recoveries and [tcp]",
    source: "RFC 9293, RFC 5681; ackclock list recoveries, mechanisms and sharings",
    table: "flow",
    keys: &[Key::optional("algorithm", "\"sack+cubic\"", "the recovery and the congestion control")],
    ..Entry::PLAIN
};
