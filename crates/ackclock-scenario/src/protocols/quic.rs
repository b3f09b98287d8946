//! Implementations of QUIC whose connections run in the simulated network.

use ackclock_catalogue::{Entry, Key};

/// The catalogue entry of quinn.
pub(super) const QUINN: Entry = Entry {
    kind: "protocol",
    name: "quinn",
    title: "QUIC by quinn 0.11, which the package ackclock-quic has",
    source: "RFC 9000, RFC 9002; https://github.com/quinn-rs/quinn",
    table: "flow",
    keys: &[Key::required("stack", "\"quinn\"", "the implementation")],
    ..Entry::PLAIN
};

/// The catalogue entry of noq.
pub(super) const NOQ: Entry = Entry {
    kind: "protocol",
    name: "noq",
    title: "QUIC by noq 1, which the package ackclock-quic has",
    source: "RFC 9000, RFC 9002; https://github.com/n0-computer/noq",
    table: "flow",
    keys: &[Key::required("stack", "\"noq\"", "the implementation")],
    ..Entry::PLAIN
};
