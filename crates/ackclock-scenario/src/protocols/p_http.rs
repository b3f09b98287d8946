//! HTTP over persistent connections.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "protocol",
    name: "p-http",
    title: "persistent TCP connections, on which the objects of a page follow each other, pipelined or not",
    source: "RFC 9112, 9.3; Padmanabhan and Mogul 1995; burst-tcp, 3.3.1",
    table: "flow",
    keys: &[Key::required(
        "pool",
        "{ connections = 1, persistent = true, pipelining = true, objects = { constant = \"8 objects\" } }",
        "the user's connections: that they persist, and whether all objects are asked for at once",
    )],
    ..Entry::PLAIN
};
