//! What travels between the two ends (RFC 5348, 3.2).

use ackclock_units::{Duration, Time};

/// A data packet (RFC 5348, 3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Its number; each packet sent has the next one.
    pub sequence: u64,
    /// When it was sent, by the sender's clock.
    pub timestamp: Time,
    /// The sender's current estimate of the round-trip time; zero while it has none.
    pub rtt: Duration,
    /// Payload bytes.
    pub length: u16,
}

/// A feedback packet (RFC 5348, 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// The timestamp of the last data packet received (`t_recvdata`).
    pub timestamp: Time,
    /// What passed between that packet's arrival and this report (`t_delay`).
    pub delay: Duration,
    /// The rate at which data arrived in the last round-trip time (`X_recv`), in bytes per second.
    pub receive_rate: f64,
    /// The receiver's estimate of the loss event rate (`p`).
    pub loss_event_rate: f64,
}
