//! The counts of a connection.

use ackclock_units::Duration;

/// The counts of a connection's controller since the connection began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Calls of `on_ack`.
    pub acks: u64,
    /// Congestion episodes that began with a loss, persistent congestion left out.
    pub losses: u32,
    /// Congestion episodes that began with a mark.
    pub marks: u32,
    /// Occurrences of persistent congestion (RFC 9002, 7.6), to which a controller reacts as to a
    /// timeout.
    pub timeouts: u32,
    /// Episodes that the stack found spurious afterwards.
    pub spurious: u32,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
    /// The largest.
    pub rtt_max: Duration,
    /// Packets acknowledged or lost that the stack had not reported as sent.
    pub unknown: u64,
}
