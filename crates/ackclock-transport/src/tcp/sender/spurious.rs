//! Episodes without congestion: detected by timestamps (Eifel), by the acknowledgments after a timeout (F-RTO) or by duplicates
//! reported (DSACK), and undone.

use ackclock_congestion::Event;
use ackclock_units::Time;

use crate::wire::{Header, SackBlocks};

use super::super::mechanism::early_retransmit;
use super::super::mechanism::frto::{Evidence, Verdict};
use super::Sender;
use super::newly_acked::NewlyAcked;

impl Sender {
    /// True if a timeout waits for its judgement.
    #[inline]
    pub(super) fn is_judging_timeout(&self) -> bool {
        self.detection.as_ref().is_some_and(|detection| detection.frto.is_active())
    }

    /// True if new data goes before what a timeout presumed lost.
    #[inline]
    pub(super) fn sends_new_first(&self) -> bool {
        self.detection.as_ref().is_some_and(|detection| detection.frto.sends_new())
    }

    /// The timer expired, for a segment that it had not sent again before unless `repeated`. `may_judge`: the recovery under way,
    /// if any, does not forbid it (RFC 5682, 2.1 and 3.1, step 1).
    pub(super) fn arm_judgement(&mut self, may_judge: bool, repeated: bool) {
        let Some(detection) = &mut self.detection else { return };
        if !repeated {
            detection.dsack.arm(self.queue.una());
        }
        if self.settings.frto && self.cwnd >= 1.0 {
            let again = self.queue.head().map_or(self.next, |head| head.end());
            detection.frto.on_timeout(may_judge, self.next, again);
        }
    }

    /// An episode begins that reports of duplicates may show to be spurious; or one that they cannot.
    #[inline]
    pub(super) fn arm_reports(&mut self, armed: bool) {
        if let Some(detection) = &mut self.detection {
            if armed {
                detection.dsack.arm(self.queue.una());
            } else {
                detection.dsack.disarm();
            }
        }
    }

    /// The segment `[start, end)` is sent again.
    #[inline]
    pub(super) fn note_again(&mut self, start: u64, end: u64) {
        if let Some(detection) = &mut self.detection {
            detection.dsack.on_retransmission(start, end, self.queue.una());
        }
    }

    /// New data is sent.
    #[inline]
    pub(super) fn note_new(&mut self) {
        if let Some(detection) = &mut self.detection {
            detection.frto.on_new_sent();
        }
    }

    /// Undoes the last episode if timestamps show that it was spurious.
    #[inline]
    pub(super) fn detect_spurious(&mut self, now: Time, header: &Header) {
        if self.eifel.is_spurious(header.timestamps.echo, self.queue.is_empty()) {
            self.undo_episode(now);
        }
    }

    /// Undoes the last timeout if the acknowledgments after it show that it was spurious.
    #[cold]
    pub(super) fn judge_timeout(
        &mut self,
        now: Time,
        advanced: bool,
        duplicate: bool,
        newly: &NewlyAcked,
        sack: bool,
    ) {
        let evidence = Evidence {
            advanced,
            selective: newly.selective > 0,
            duplicate,
            una: self.queue.una(),
            highest: self.queue.highest_acknowledged(),
            has_new: self.end_of_new().is_some(),
            sack,
        };
        let Some(detection) = &mut self.detection else { return };
        match detection.frto.judge(&evidence) {
            Verdict::Spurious => self.undo_episode(now),
            // Without SACK the duplicates of the new segments do not take them out of the pipe.
            Verdict::Genuine if !sack => self.recovery.restart(self.next, &mut self.queue),
            Verdict::Open | Verdict::Genuine => {}
        }
    }

    /// The duplicate that an acknowledgment reports, if that is in use.
    #[inline]
    pub(super) fn take_duplicate_report(&self, header: &Header, sack: &SackBlocks) -> Option<(u64, u64)> {
        if self.settings.dsack { sack.duplicate(header.acknowledgment) } else { None }
    }

    /// Undoes the last episode if all that it sent again is reported as a duplicate; `is_blind` as in
    /// [`Dsack::is_spurious`](super::super::mechanism::dsack::Dsack::is_spurious).
    #[cold]
    pub(super) fn judge_episode(&mut self, now: Time, duplicate: (u64, u64), is_blind: bool) {
        if self.detection.as_mut().is_some_and(|detection| detection.dsack.is_spurious(duplicate, is_blind)) {
            self.undo_episode(now);
        }
    }

    #[cold]
    fn undo_episode(&mut self, now: Time) {
        self.eifel.disarm();
        if let Some(detection) = &mut self.detection {
            detection.dsack.disarm();
            detection.frto.stop();
        }
        self.counters.spurious += 1;
        self.recovery.undo(&mut self.queue);
        self.suspension.end();
        let decision = self.controller.on_event(&Event::Spurious);
        self.apply_decision(now, &decision);
    }

    /// The duplicates that mean a loss, after an acknowledgment of a segment that was sent once, then; fewer by early
    /// retransmit or in a session.
    #[cold]
    pub(super) fn lower_threshold(&self, acknowledged: Option<Time>) -> u32 {
        let early = if self.settings.early_retransmit { self.early_threshold() } else { u32::MAX };
        early.min(self.threshold_in_session(acknowledged))
    }

    fn early_threshold(&self) -> u32 {
        let usual = self.settings.duplicate_threshold;
        early_retransmit::threshold(usual, self.queue.outstanding(), self.end_of_new().is_some())
    }
}
