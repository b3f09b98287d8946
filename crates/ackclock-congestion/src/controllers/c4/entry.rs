//! The catalogue entry.

use ackclock_catalogue::{Entry, Parameter, Unit};

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "c4",
    title: "C4: a nominal rate and the largest round-trip time without a queue, for media over QUIC",
    source: "draft-huitema-ccwg-c4-spec-02; picoquic, February 2026",
    parameters: &[
        Parameter::new(
            "packet_size",
            Unit::Bytes,
            1460.0,
            (1.0, 65_535.0),
            "bytes of a packet, by which the sensitivity knows the rate in bytes",
        ),
        Parameter::switch(
            "ecn",
            true,
            "1: packets are ECT(1), and the number of marks counts; 0: neither, for stacks that do not report it",
        ),
    ],
    ..Entry::PLAIN
};
