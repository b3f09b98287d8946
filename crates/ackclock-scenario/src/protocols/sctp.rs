//! An association of SCTP.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "protocol",
    name: "sctp",
    title: "an SCTP association: a stream for each object, under one congestion control",
    source: "RFC 9260; burst-tcp, 3.3.2",
    table: "flow",
    keys: &[
        Key::required("algorithm", "\"sack+sctp\"", "the congestion control of the association"),
        Key::required(
            "pool",
            "{ connections = 1, persistent = true, pipelining = true, streams = true, objects = { constant = \"8 objects\" } }",
            "the association, and that each object has a stream of its own",
        ),
    ],
    ..Entry::PLAIN
};
