//! A packet of QUIC's loss detection: a transmission of a segment.

use super::super::super::mechanism::retransmission_queue::SentKey;

/// The fate of a packet, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Waiting,
    /// Its segment arrived.
    Delivered,
    Lost,
}

/// A transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub key: SentKey,
    /// True if a round-trip time had been measured before it was sent.
    pub measured: bool,
    pub fate: Fate,
}
