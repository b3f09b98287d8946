//! The protocols that carry the packets of a flow, and the keys by which a scenario selects them.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entries of the protocols.
pub static ENTRIES: &[Entry] = &[
    Entry {
        kind: "protocol",
        name: "tcp",
        title: "TCP: the protocol of flows that name no other, by its recoveries and [tcp]",
        source: "RFC 9293, RFC 5681; ackclock list recoveries, mechanisms and sharings",
        table: "flow",
        keys: &[Key::optional("algorithm", "\"sack+cubic\"", "the recovery and the congestion control")],
        ..Entry::PLAIN
    },
    Entry {
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
    },
    Entry {
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
    },
    Entry {
        kind: "protocol",
        name: "quinn",
        title: "QUIC by quinn 0.11, which the package ackclock-quic has",
        source: "RFC 9000, RFC 9002; https://github.com/quinn-rs/quinn",
        table: "flow",
        keys: &[Key::required("stack", "\"quinn\"", "the implementation")],
        ..Entry::PLAIN
    },
    Entry {
        kind: "protocol",
        name: "noq",
        title: "QUIC by noq 1, which the package ackclock-quic has",
        source: "RFC 9000, RFC 9002; https://github.com/n0-computer/noq",
        table: "flow",
        keys: &[Key::required("stack", "\"noq\"", "the implementation")],
        ..Entry::PLAIN
    },
    Entry {
        kind: "protocol",
        name: "rtp",
        title: "media over UDP with reports about each packet, whose rate a congestion control for media decides",
        source: "RFC 3550, RFC 8888; ackclock list media",
        table: "call",
        keys: &[Key::required(
            "algorithm",
            "\"nada\"",
            "the congestion control; the user guide has the keys of the encoder and of the jitter buffer",
        )],
        ..Entry::PLAIN
    },
    Entry {
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
    },
];
