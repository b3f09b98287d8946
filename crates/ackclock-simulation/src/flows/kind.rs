//! The kinds of flows.

/// The transport of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tcp,
    TwoWay,
    AckNak,
    Tfrc,
    Udp,
    Stack,
}

impl Kind {
    /// The names of all kinds in tables, in order.
    pub const NAMES: [&'static str; 6] = ["tcp", "tcp", "acknak", "tfrc", "udp", "quic"];
}
