//! Explicit congestion notification at the sender (RFC 3168, 6.1; RFC 8257; RFC 9768).

use super::super::settings::EcnMode;
use super::accurate_ecn::MarksReported;
use super::byte_counters::BytesReported;
use crate::wire::{Flags, Header};

/// The sender's state of explicit congestion notification.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ecn {
    /// True if both ends have negotiated ECN.
    agreed: bool,
    /// The marks, if acknowledgments count them (RFC 9768).
    marks: Option<MarksReported>,
    /// True if the next new data carries CWR, since the window was reduced.
    cwr_pending: bool,
    /// True if a mark caused the last reduction.
    by_mark: bool,
    /// The next sequence number at the last reduction: marks of earlier data report the same congestion.
    reduced_until: u64,
}

impl Ecn {
    /// The control bits of a SYN.
    pub fn syn_flags(mode: EcnMode) -> Flags {
        let offer = Flags::SYN.with(Flags::ECE).with(Flags::CWR);
        match mode {
            EcnMode::Off => Flags::SYN,
            // RFC 9768, 3.1.1, together with AE.
            EcnMode::Classic | EcnMode::Accurate => offer,
            // RFC 8257, 3.6: a SYN is sent like the segments that follow it.
            EcnMode::DataCentre => offer.with(Flags::ECT),
        }
    }

    /// Assumes ECN without negotiation, for a connection without a handshake.
    pub fn assume(&mut self, mode: EcnMode) {
        self.agreed = mode != EcnMode::Off;
        self.marks = (mode == EcnMode::Accurate).then(MarksReported::default);
    }

    /// Takes the SYN-ACK that answers the offer. RFC 3168, 6.1.1: both flags on it come from a receiver that mirrors
    /// any flags, and mean no. RFC 9768, 3.1.2: the answer states the ECN field with which the SYN arrived.
    pub fn on_syn_ack(&mut self, mode: EcnMode, header: &Header) {
        let is_accurate = mode == EcnMode::Accurate && matches!(header.ace(), 2 | 3 | 4 | 6);
        self.marks = is_accurate.then(MarksReported::default);
        let is_classic = header.ace() == 1 && matches!(mode, EcnMode::Classic | EcnMode::DataCentre);
        self.agreed = is_accurate || is_classic;
    }

    /// True if acknowledgments count the marks (RFC 9768).
    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.marks.is_some()
    }

    /// The marks that an acknowledgment reports by its field ACE, and by its byte counters if it may have some. It
    /// newly acknowledges `delivered` packets.
    pub fn take_ace(&mut self, ace: u8, delivered: u32, bytes: Option<&mut BytesReported>) -> u32 {
        self.marks.as_mut().map_or(0, |marks| marks.take(ace, delivered, bytes))
    }

    /// True if both ends have negotiated it.
    #[inline]
    pub fn is_agreed(&self) -> bool {
        self.agreed
    }

    /// True if an echo with an acknowledgment up to `una` is a new signal: there is one signal per window of data (RFC
    /// 3168, 6.1.2).
    pub fn is_new_signal(&self, una: u64) -> bool {
        una > self.reduced_until
    }

    /// True if a mark has reduced the window since the segment at `una` was sent: a loss in that window signals the
    /// same congestion.
    pub fn has_reduced_since(&self, una: u64) -> bool {
        self.by_mark && una < self.reduced_until
    }

    /// Notes that the window was reduced, `by_mark` or by a loss; `next` is the next sequence number.
    pub fn on_reduction(&mut self, by_mark: bool, next: u64) {
        *self =
            Ecn { cwr_pending: self.agreed && self.marks.is_none(), by_mark, reduced_until: next, ..*self };
    }

    /// The control bits of new data. Retransmissions are not ECN-capable, and do not carry CWR (RFC 3168, 6.1.5 and
    /// 6.1.2).
    pub fn data_flags(&mut self) -> Flags {
        match (self.agreed, self.cwr_pending) {
            (false, _) => Flags::default(),
            (true, false) => Flags::ECT,
            (true, true) => {
                self.cwr_pending = false;
                Flags::ECT.with(Flags::CWR)
            }
        }
    }
}
