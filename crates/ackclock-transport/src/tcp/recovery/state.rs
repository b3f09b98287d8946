//! The recovery of one sender: the state that all recoveries share, and that of the recovery in use.

use ackclock_units::Time;

use super::super::mechanism::limited_transmit;
use super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::entry::Needs;
use super::event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction, WindowEvent};
use super::progress::{Phase, Progress};
use super::{Algorithm, Recovery};
use crate::facts::TxRecord;

/// The recovery of one sender.
#[derive(Clone, Debug)]
pub(crate) struct RecoveryState {
    progress: Progress,
    needs: Needs,
    algorithm: Algorithm,
}

impl RecoveryState {
    pub fn new(recovery: Recovery) -> RecoveryState {
        RecoveryState {
            progress: Progress::new(),
            needs: recovery.needs(),
            algorithm: Algorithm::new(recovery),
        }
    }

    /// The recovery in use.
    #[inline]
    pub fn recovery(&self) -> Recovery {
        self.algorithm.recovery()
    }

    /// Its needs.
    #[inline]
    pub fn needs(&self) -> Needs {
        self.needs
    }

    /// The duplicates counted since the last acknowledgment of new data.
    pub fn duplicates(&self) -> u32 {
        self.progress.duplicates
    }

    /// True if no loss is known.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.progress.phase == Phase::Open
    }

    /// True if the sender is in fast recovery.
    #[inline]
    pub fn is_fast(&self) -> bool {
        self.progress.phase == Phase::Fast
    }

    /// True if what was lost is sent again in slow start.
    #[inline]
    pub fn is_restart(&self) -> bool {
        self.progress.phase == Phase::Restart
    }

    /// True if an acknowledgment of new data, with nothing selectively acknowledged, only ends the count of duplicates.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.is_open() && self.algorithm.is_at_rest()
    }

    /// True if besides no duplicates are counted and no retransmission is due.
    pub fn is_undisturbed(&self) -> bool {
        let Progress { duplicates, inflation, force_resend, .. } = self.progress;
        self.is_at_rest() && duplicates == 0 && inflation == 0 && !force_resend
    }

    /// New data was acknowledged while at rest, each segment of it sent once, the last at `sent_at`.
    #[inline]
    pub fn on_predicted(&mut self, now: Time, sent_at: Time, una: u64) {
        self.progress.duplicates = 0;
        self.progress.inflation = 0;
        self.algorithm.on_predicted(now, (sent_at, una));
    }

    /// Segments in the network, as far as the recovery can infer.
    #[inline]
    pub fn in_network(&self, queue: &RetransmissionQueue, limited_transmit: bool) -> u32 {
        let inflation = match self.progress.phase {
            Phase::Open if !limited_transmit => return queue.outstanding(),
            Phase::Open => self.progress.inflation.min(limited_transmit::SEGMENTS),
            Phase::Fast | Phase::Restart => self.progress.inflation,
        };
        // In 64 bits, in which neither needs a check.
        (i64::from(queue.pipe()) - i64::from(inflation)).max(0) as u32
    }

    /// Segments that may be sent in fast recovery, where the recovery counts them itself.
    #[inline]
    pub fn budget(&self) -> Option<u32> {
        if self.needs.sees_sent && self.is_fast() { self.algorithm.budget() } else { None }
    }

    /// True if a retransmission is due whatever the window allows.
    #[inline]
    pub fn is_forced(&self) -> bool {
        self.progress.force_resend
    }

    /// Ends that, or lets it last.
    #[inline]
    pub fn set_forced(&mut self, forced: bool) {
        self.progress.force_resend = forced;
    }

    /// Takes an acknowledgment; `recovery` is the one in use.
    #[expect(clippy::inline_always, reason = "where the recovery is known there is no choice")]
    #[inline(always)]
    pub fn on_ack(
        &mut self,
        recovery: Recovery,
        ack: &AckEvent<'_>,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        self.algorithm.on_ack(recovery, ack, &mut self.progress, queue)
    }

    /// The retransmission timer expired.
    pub fn on_timeout(&mut self, event: &AckEvent<'_>, queue: &mut RetransmissionQueue) {
        self.algorithm.get_mut().on_timeout(event, &mut self.progress, queue);
    }

    /// The deadline of the recovery's own timer; [`Time::MAX`] while it is off.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.algorithm.deadline()
    }

    /// The recovery's own timer expired.
    pub fn on_timer(&mut self, event: &AckEvent<'_>, queue: &mut RetransmissionQueue) -> Expiry {
        self.algorithm.get_mut().on_timer(event, &mut self.progress, queue)
    }

    /// The restart begins anew: everything outstanding is presumed lost.
    pub fn restart(&mut self, next: u64, queue: &mut RetransmissionQueue) {
        self.progress.restart(next, queue);
    }

    /// The last episode was spurious. Duplicates mean a loss again from SND.UNA on (RFC 5682, 2.1, step 3b).
    pub fn undo(&mut self, queue: &mut RetransmissionQueue) {
        queue.forget_losses();
        self.progress.phase = Phase::Open;
        self.progress.inflation = 0;
        self.progress.recover = queue.una().saturating_sub(1);
        self.progress.restarted_at = self.progress.recover;
    }

    /// The controller has chosen the window.
    #[inline]
    pub fn on_window(&mut self, event: &WindowEvent, queue: &RetransmissionQueue) {
        if self.is_fast() {
            self.algorithm.get_mut().on_window(event, queue);
        }
    }

    /// A segment is sent, new or again.
    #[inline]
    pub fn on_sent(&mut self) {
        if self.needs.sees_sent && self.is_fast() {
            self.algorithm.get_mut().on_sent_in_recovery();
        }
    }

    /// A segment is sent at that time, for a recovery with timeouts of its own; `measured`: a round-trip time is known.
    pub fn on_transmission(&mut self, key: SentKey, measured: bool) {
        self.algorithm.get_mut().on_transmission(key, measured);
    }

    /// True if room in the window may be used to send again what is merely unacknowledged.
    pub fn resends_unacknowledged(&self) -> bool {
        self.is_fast() && self.algorithm.get().resends_unacknowledged()
    }

    /// The bounds of an unacknowledged segment that is sent again now.
    pub fn resend_unacknowledged(
        &mut self,
        queue: &mut RetransmissionQueue,
        record: &TxRecord,
    ) -> Option<(u64, u64)> {
        self.algorithm.get_mut().resend_unacknowledged(&self.progress, queue, record)
    }

    /// True if a loss probe is sent now, whatever the window allows; asked once.
    pub fn take_probe(&mut self) -> bool {
        self.algorithm.get_mut().take_probe()
    }

    /// There is nothing more that a probe of this timeout could carry.
    pub fn end_probes(&mut self) {
        self.algorithm.get_mut().end_probes();
    }

    /// A loss probe was sent, of new data or `again`; `next` follows it.
    pub fn on_probe_sent(&mut self, next: u64, again: bool, rtt_samples: u64) {
        self.algorithm.get_mut().on_probe_sent(next, again, rtt_samples);
    }

    /// True if an acknowledgment shows that a probe has repaired a loss; `recovery` is the one in use.
    #[expect(clippy::inline_always, reason = "where the recovery is known there is no choice")]
    #[inline(always)]
    pub fn is_repaired_by_probe(&mut self, recovery: Recovery, answer: &ProbeAnswer) -> bool {
        self.algorithm.is_repaired_by_probe(recovery, answer)
    }

    /// The next probe is due later.
    #[inline]
    pub fn schedule_probe(&mut self, conditions: &ProbeConditions<'_>, queue: &RetransmissionQueue) {
        self.algorithm.schedule_probe(conditions, &self.progress, queue);
    }

    /// Its own timeout is due later.
    pub fn schedule_timeout(&mut self, event: &AckEvent<'_>, queue: &RetransmissionQueue) {
        self.algorithm.get_mut().schedule_timeout(event, queue);
    }

    /// A probe was sent: the retransmission timer comes next.
    pub fn cancel_probe(&mut self) {
        self.algorithm.get_mut().cancel_probe();
    }
}
