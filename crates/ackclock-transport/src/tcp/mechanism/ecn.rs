//! Explicit congestion notification at the sender (RFC 3168, 6.1; RFC 8257; RFC 9768).

use super::super::settings::{EcnMode, Settings};
use super::accurate_ecn::{Feedback, MarksReported};
use super::byte_counters::BytesReported;
use crate::wire::{Flags, Header};

/// The sender's state of explicit congestion notification.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Ecn {
    /// True if both ends have negotiated ECN.
    agreed: bool,
    /// True if packets are not ECN-capable all the same: the path changes their fields, or may.
    withholds: bool,
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

    /// True if the SYN sent now, of this number, offers ECN. RFC 3168, 6.1.1.1: those after the first may go without. RFC 9768,
    /// 3.1.4.1: those after the second should.
    pub fn is_offered(settings: &Settings, syn: u32) -> bool {
        let most = if settings.ecn == EcnMode::Accurate { 2 } else { 1 };
        !settings.ecn_fallback || syn <= most
    }

    /// Takes the SYN-ACK that answers the offer. RFC 3168, 6.1.1: both flags on it come from a receiver that mirrors
    /// any flags, and mean no. RFC 9768, 3.1.2: the answer states the ECN field with which the SYN arrived. 3.1.3: a
    /// reserved answer means that it arrived unchanged. 3.2.2.3: a SYN that arrived with another field was changed.
    pub fn on_syn_ack(&mut self, settings: &Settings, header: &Header) {
        let (mode, ace) = (settings.ecn, header.ace());
        let is_accurate = mode == EcnMode::Accurate && matches!(ace, 2..=6);
        self.marks = is_accurate.then(MarksReported::default);
        let is_classic = ace == 1 && matches!(mode, EcnMode::Classic | EcnMode::DataCentre);
        self.agreed = is_accurate || is_classic;
        self.withholds = is_accurate && settings.ecn_fallback && matches!(ace, 3 | 4 | 6);
    }

    /// The handshake of an end that was opened has not agreed on ECN.
    pub fn refuse(&mut self) {
        *self = Ecn::default();
    }

    /// No packet is ECN-capable from now on.
    pub fn withhold(&mut self) {
        self.withholds = true;
    }

    /// Packets are ECN-capable again.
    pub fn permit(&mut self) {
        self.withholds = false;
    }

    /// Takes the field ACE of the acknowledgment of a SYN-ACK (RFC 9768, 3.2.2.1, table 4): zero means that the field is changed on
    /// its way. 3.2.2.3: the SYN-ACK was not ECN-capable, and was changed if it arrived so. Returns true if it arrived
    /// marked.
    pub fn on_answer_to_syn_ack(&mut self, settings: &Settings, ace: u8) -> bool {
        let Some(marks) = &mut self.marks else { return false };
        let is_changed = settings.ecn_fallback && matches!(ace, 3 | 4 | 6);
        if ace == 0 {
            marks.ignore();
        }
        self.withholds |= ace == 0 || is_changed;
        let is_marked = ace == 6 && !is_changed;
        if is_marked {
            marks.on_marked_syn_ack();
        }
        is_marked
    }

    /// True if acknowledgments count the marks (RFC 9768).
    #[inline]
    pub fn is_accurate(&self) -> bool {
        self.marks.is_some()
    }

    /// The marks that an acknowledgment reports by its field ACE, and by its byte counters if it may have some.
    pub fn take_ace(&mut self, feedback: Feedback, bytes: Option<&mut BytesReported>) -> u32 {
        let Some(marks) = &mut self.marks else { return 0 };
        let found = marks.take(feedback, bytes);
        self.withholds |= marks.is_ignored();
        found
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
        match (self.agreed && !self.withholds, self.cwr_pending) {
            (false, _) => Flags::default(),
            (true, false) => Flags::ECT,
            (true, true) => {
                self.cwr_pending = false;
                Flags::ECT.with(Flags::CWR)
            }
        }
    }

    /// The control bits of other segments, where these may be ECN-capable.
    #[inline]
    pub fn control_flags(&self) -> Flags {
        let is_capable = self.marks.is_some() && !self.withholds;
        if is_capable { Flags::ECT } else { Flags::default() }
    }
}
