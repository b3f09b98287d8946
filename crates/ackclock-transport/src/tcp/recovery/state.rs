//! The recovery of one sender: the state that all recoveries share, and the state of the recovery in use.

use ackclock_units::Time;

use super::super::mechanism::limited_transmit;
use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::Needs;
use super::event::{AckEvent, ProbeAnswer, ProbeConditions, Reaction};
use super::loss_recovery::{LossRecovery, Probes};
use super::progress::{Phase, Progress};
use super::reduction::Reduction;
use super::{Algorithm, Recovery, of_probes, of_recovery};

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

    /// Reorderings seen, and the largest in segments, where the recovery looks for them.
    pub fn reorderings(&self) -> Option<(u32, u32)> {
        match &self.algorithm {
            Algorithm::Rack(state) => Some(state.reorderings()),
            _ => None,
        }
    }

    /// Packets that arrived after they were declared lost, and the most packets by which one was overtaken, where the recovery looks for
    /// them (RFC 9002, 6.1).
    pub fn arrived_late(&self) -> Option<(u32, u32)> {
        match &self.algorithm {
            Algorithm::Rfc9002(state) => Some(state.arrived_late()),
            _ => None,
        }
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

    /// True if lost segments are sent again in slow start.
    #[inline]
    pub fn is_restart(&self) -> bool {
        self.progress.phase == Phase::Restart
    }

    /// True if an acknowledgment of new data, with nothing selectively acknowledged, only resets the count
    /// of duplicates.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.is_open()
            && self.progress.marked_until == 0
            && of_recovery!(&self.algorithm, state => state.is_at_rest())
    }

    /// True if it is at rest, no duplicates are counted and no retransmission is due.
    pub fn is_undisturbed(&self) -> bool {
        let Progress { duplicates, inflation, force_resend, .. } = self.progress;
        self.is_at_rest() && duplicates == 0 && inflation == 0 && !force_resend
    }

    /// Takes an acknowledgment of new data while at rest. Each segment of it was sent once, the last at
    /// `sent_at`.
    #[inline]
    pub fn on_predicted(&mut self, now: Time, sent_at: Time, una: u64) {
        self.progress.duplicates = 0;
        self.progress.inflation = 0;
        of_probes!(&mut self.algorithm, state => state.on_predicted(now, (sent_at, una)), ());
    }

    /// Segments in the network, as far as the recovery can infer.
    #[inline]
    pub fn in_network(&self, queue: &RetransmissionQueue, limited_transmit: bool) -> u32 {
        let inflation = match self.progress.phase {
            Phase::Open if !limited_transmit => return queue.outstanding(),
            Phase::Open => self.progress.inflation.min(limited_transmit::SEGMENTS),
            Phase::Fast | Phase::Restart => self.progress.inflation,
        };
        // In 64 bits neither operation needs a check for overflow.
        (i64::from(queue.pipe()) - i64::from(inflation)).max(0) as u32
    }

    /// A mark has reduced the window, which a proportional reduction brings down until more than `next` is acknowledged.
    pub fn reduce_for_mark(&mut self, next: u64) {
        self.progress.marked_until = next;
    }

    /// True while it does.
    #[inline]
    pub fn reduces_for_mark(&self) -> bool {
        self.progress.marked_until > 0
    }

    /// True in fast recovery, and while a mark reduces the window, of a recovery that keeps account of the segments it sends.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.needs.sees_sent && (self.is_fast() || self.reduces_for_mark())
    }

    /// The account of the segments that may be sent, during fast recovery and for a mark, if the recovery keeps one.
    #[inline]
    pub fn reduction(&mut self) -> Option<&mut Reduction> {
        if self.is_reducing() { of_recovery!(&mut self.algorithm, state => state.reduction()) } else { None }
    }

    /// True if a retransmission is due whatever the window allows.
    #[inline]
    pub fn is_forced(&self) -> bool {
        self.progress.force_resend
    }

    /// Sets whether a retransmission is due whatever the window allows.
    #[inline]
    pub fn set_forced(&mut self, forced: bool) {
        self.progress.force_resend = forced;
    }

    /// True if room in the window may be used to send segments again that are merely unacknowledged.
    pub fn resends_unacknowledged(&self) -> bool {
        self.is_fast() && of_recovery!(&self.algorithm, state => state.resends_unacknowledged())
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
        // Linux holds the state until something above is acknowledged, so that the receiver has seen CWR.
        if recovery.needs().sees_sent && self.progress.marked_until < queue.una() {
            self.progress.marked_until = 0;
        }
        self.algorithm.on_ack(recovery, ack, &mut self.progress, queue)
    }

    /// Begins the restart again: everything outstanding is presumed lost.
    pub fn restart(&mut self, next: u64, queue: &mut RetransmissionQueue) {
        self.progress.restart(next, queue);
    }

    /// Undoes the last episode, which was spurious. Duplicates mean a loss again from SND.UNA on (RFC
    /// 5682, 2.1, step 3b).
    pub fn undo(&mut self, queue: &mut RetransmissionQueue) {
        queue.forget_losses();
        self.progress.phase = Phase::Open;
        self.progress.inflation = 0;
        self.progress.recover = queue.una().saturating_sub(1);
        self.progress.restarted_at = self.progress.recover;
        self.keep_episode();
    }

    /// Packets of the latest episode that arrive after all do not undo it: another signal came since, or it is undone.
    #[cold]
    pub fn keep_episode(&mut self) {
        if let Algorithm::Rfc9002(state) = &mut self.algorithm {
            state.keep_episode();
        }
    }

    /// The recovery period of RFC 9002 was for nothing.
    pub fn forget_episode(&mut self) {
        if let Algorithm::Rfc9002(state) = &mut self.algorithm {
            state.forget_episode();
        }
    }

    /// The rules of the recovery in use, with the state that all share.
    pub fn rules(&mut self) -> (&mut dyn LossRecovery, &mut Progress) {
        (of_recovery!(&mut self.algorithm, state => state), &mut self.progress)
    }

    /// Its probes, if it has any, with the same state.
    pub fn probes(&mut self) -> Option<(&mut dyn Probes, &mut Progress)> {
        of_probes!(&mut self.algorithm, state => Some((state, &mut self.progress)), None)
    }

    /// The deadline of the recovery's own timer; [`Time::MAX`] while it is off.
    #[inline]
    pub fn deadline(&self) -> Time {
        of_probes!(&self.algorithm, state => state.deadline(), Time::MAX)
    }

    /// Schedules the next probe later, since new data was sent or acknowledged.
    #[inline]
    pub fn schedule(&mut self, conditions: &ProbeConditions<'_>, queue: &RetransmissionQueue) {
        of_probes!(&mut self.algorithm, state => state.schedule(conditions, &self.progress, queue), ());
    }

    /// True if an acknowledgment shows that a probe has repaired a loss.
    #[inline]
    pub fn is_repaired_by_probe(&mut self, answer: &ProbeAnswer) -> bool {
        of_probes!(&mut self.algorithm, state => state.is_repaired_by_probe(answer), false)
    }
}
