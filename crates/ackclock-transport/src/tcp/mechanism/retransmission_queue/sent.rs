//! What is remembered of a segment while it is under way: kept for every packet in flight, and so small.

use ackclock_units::Time;

/// The moment a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TxRecord {
    pub sent_at: Time,
    /// Packets delivered by then. Only differences count, so that it may wrap.
    pub delivered: u32,
    /// What samples need to know of it.
    pub conditions: RateState,
}

/// What delivery-rate and loss samples need to know of the moment a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RateState {
    /// When the latest packet was delivered.
    pub delivered_at: Time,
    /// When the first packet of the flight it closes was sent.
    pub first_sent_at: Time,
    /// Packets declared lost by then. Only differences count, so that it may wrap.
    pub lost: u32,
    /// What was in flight then, and one bit.
    in_flight: u32,
}

/// In [`RateState::in_flight`].
const APP_LIMITED: u32 = 1 << 31;

impl RateState {
    /// With so many packets in flight after it was sent, and whether the application had less to send than the window
    /// allowed.
    pub fn new(
        delivered_at: Time,
        first_sent_at: Time,
        lost: u32,
        in_flight: u32,
        app_limited: bool,
    ) -> Self {
        let in_flight = in_flight & !APP_LIMITED | if app_limited { APP_LIMITED } else { 0 };
        RateState { delivered_at, first_sent_at, lost, in_flight }
    }

    /// Packets in flight when it had been sent, itself included.
    pub fn in_flight(&self) -> u32 {
        self.in_flight & !APP_LIMITED
    }

    /// Whether the application had less to send than the window allowed.
    pub fn is_app_limited(&self) -> bool {
        self.in_flight & APP_LIMITED != 0
    }
}

/// One segment in the retransmission queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// The sequence number after it.
    pub end: u64,
    /// The latest time it was sent.
    pub at: Time,
    /// [`TxRecord::delivered`] of that time.
    pub delivered: u32,
    pub(super) state: u8,
}

pub(super) const SACKED: u8 = 1;
/// Declared lost and not yet sent again.
pub(super) const LOST: u8 = 2;
pub(super) const RETRANSMITTED: u8 = 4;
/// Sent again by the retransmission timer.
pub(super) const TIMED_OUT: u8 = 8;
/// Sent again without being declared lost, so that two copies may be in the network (RFC 6675, `NextSeg` rule 3).
pub(super) const TWICE: u8 = 16;

impl Sent {
    #[inline]
    pub(super) fn first(end: u64, stamp: &TxRecord) -> Sent {
        Sent { end, at: stamp.sent_at, delivered: stamp.delivered, state: 0 }
    }

    #[inline]
    pub(super) fn has(self, bits: u8) -> bool {
        self.state & bits != 0
    }

    /// Whether it was sent once, and nothing is known of it since.
    #[inline]
    pub(super) fn is_plain(self) -> bool {
        self.state == 0
    }

    pub fn is_sacked(self) -> bool {
        self.has(SACKED)
    }

    pub fn is_lost(self) -> bool {
        self.has(LOST)
    }

    pub fn is_retransmitted(self) -> bool {
        self.has(RETRANSMITTED)
    }

    pub fn has_timed_out(self) -> bool {
        self.has(TIMED_OUT)
    }

    /// Copies of it that may be in the network.
    pub(super) fn copies(self) -> u32 {
        if self.has(SACKED | LOST) { 0 } else { 1 + u32::from(self.has(TWICE)) }
    }
}
