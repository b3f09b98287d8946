//! A segment of the retransmission queue. It is small, since one is kept for every packet in
//! flight.

use ackclock_units::Time;

use crate::facts::{RateState, TxRecord};

/// The time at which a segment was sent, and the sequence number after it, which breaks ties.
pub(crate) type SentKey = (Time, u64);

/// One segment in the retransmission queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// The sequence number after it.
    pub(super) end: u64,
    /// The latest time it was sent.
    pub(super) at: Time,
    /// [`TxRecord::delivered`] at that time.
    pub(super) delivered: u32,
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
    pub(super) fn first(end: u64, record: &TxRecord) -> Sent {
        Sent { end, at: record.sent_at(), delivered: record.delivered(), state: 0 }
    }

    /// The sequence number after it.
    #[inline]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The latest time it was sent.
    #[inline]
    pub fn sent_at(&self) -> Time {
        self.at
    }

    /// The record of that transmission; the state of the sampler is kept separately.
    #[inline]
    pub fn record(&self, rate: RateState) -> TxRecord {
        TxRecord::new(self.at, self.delivered, rate)
    }

    #[inline]
    pub(super) fn has(self, bits: u8) -> bool {
        self.state & bits != 0
    }

    /// True if it was sent once, and neither acknowledged nor declared lost since.
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
