//! Recovery by selective acknowledgments (RFC 6675): losses follow from the scoreboard, and the pipe, not the count
//! of duplicates, limits how much may be sent.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::{Phase, Progress};
use super::reduction::Reduction;
use crate::facts::TxRecord;

pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "sack",
        title: "recovery by selective acknowledgments and the pipe",
        source: "RFC 6675, RFC 2018",
        ..Entry::PLAIN
    },
    needs: Needs::SACK,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Sack {
    /// The rescue retransmission waits for an acknowledgment above this (RFC 6675's `RescueRxt`).
    rescue_above: u64,
}

impl LossRecovery for Sack {
    #[expect(
        clippy::inline_always,
        reason = "what it does not ask of the event is not gathered where it is called"
    )]
    #[inline(always)]
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let was_restart = progress.phase == Phase::Restart;
        if ack.advanced {
            progress.duplicates = 0;
            if queue.una() >= progress.recover {
                progress.phase = Phase::Open;
            }
        }
        // With SACK an acknowledgment may both advance and be a duplicate (section 2).
        progress.duplicates += u32::from(ack.duplicate);
        match progress.phase {
            Phase::Open if ack.duplicate || was_restart => self.consider_recovery(ack, progress, queue),
            Phase::Fast => {
                queue.declare_lost_below(queue.lost_below(ack.settings.duplicate_threshold));
                Reaction::None
            }
            // 5.1: after a timeout no recovery begins until all segments outstanding at that time are acknowledged.
            // Losses of segments sent since are found then, and count as congestion.
            Phase::Open | Phase::Restart => Reaction::None,
        }
    }

    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        progress.restart(event.next, queue);
    }

    fn is_at_rest(&self) -> bool {
        true
    }

    fn reduction(&mut self) -> Option<&mut Reduction> {
        None
    }

    fn resends_unacknowledged(&self) -> bool {
        true
    }

    /// `NextSeg` rules 3 and 4: room in the window is used to send segments again that are merely unacknowledged.
    /// The very last segment is sent again only once.
    fn resend_unacknowledged(
        &mut self,
        progress: &Progress,
        queue: &mut RetransmissionQueue,
        record: &TxRecord,
    ) -> Option<(u64, u64)> {
        let bounds = queue.resend_unsacked(record);
        if bounds.is_some() || queue.una() <= self.rescue_above {
            return bounds;
        }
        queue.resend_last(progress.recover, record)
    }
}

impl Sack {
    /// Section 5, steps 1 and 2: enough duplicates, or `IsLost(HighACK + 1)`, begin fast recovery.
    fn consider_recovery(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let threshold = ack.duplicate_threshold;
        let edge = queue.lost_below(threshold);
        if progress.duplicates < threshold && edge <= queue.una() {
            return Reaction::None;
        }
        let Some(head) = queue.head() else { return Reaction::None };
        progress.enter_fast(ack.next);
        // Step 4.3, unless the last recovery found the head lost and sent it again already.
        self.rescue_above = head.end();
        if !head.is_retransmitted() {
            queue.declare_head_lost();
        }
        queue.declare_lost_below(edge);
        Reaction::Episode { restart: false }
    }
}
