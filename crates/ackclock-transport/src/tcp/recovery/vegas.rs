//! Vegas' retransmission (tcp-variants 2.3.1; Brakmo and Peterson 1995) on top of Reno's fast recovery:
//! 1. at any duplicate ACK, even the first, the sender checks the oldest segment's fine-grained timeout and sends
//!    the segment again if it is late;
//! 2. the first and second new ACK after a retransmission make the sender check again;
//! 3. the window is reduced only for a segment that was sent after the last reduction, so once for several losses
//!    in a window.

use ackclock_catalogue::Entry;
use ackclock_units::Time;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::{Phase, Progress};
use super::reduction::Reduction;
use crate::facts::TxRecord;

/// The fine-grained timeout needs an RTT estimate that the latest samples move in full.
pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "vegas",
        title: "Reno's, with retransmission by fine-grained timeouts",
        source: "Brakmo and Peterson 1995; tcp-variants 2.3.1",
        ..Entry::PLAIN
    },
    needs: Needs { full_rtt_gain: true, ..Needs::NONE },
};

const CHECKS_AFTER_RETRANSMISSION: u8 = 2;

#[derive(Clone, Debug, Default)]
pub(super) struct Vegas {
    /// The time of the last reduction of the window.
    cut_at: Option<Time>,
    /// How many more new acknowledgments after a retransmission check for another late segment.
    checks_left: u8,
}

impl LossRecovery for Vegas {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let is_loss = progress.take(ack, queue);
        let checks = if ack.advanced { self.checks_left > 0 } else { ack.duplicate };
        self.checks_left = self.checks_left.saturating_sub(u8::from(ack.advanced));
        if checks { self.retransmit_if(ack, progress, queue, is_loss) } else { Reaction::None }
    }

    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        progress.restart(event.next, queue);
    }

    fn is_at_rest(&self) -> bool {
        self.checks_left == 0
    }

    fn reduction(&mut self) -> Option<&mut Reduction> {
        None
    }

    fn resends_unacknowledged(&self) -> bool {
        false
    }

    fn resend_unacknowledged(
        &mut self,
        _: &Progress,
        _: &mut RetransmissionQueue,
        _: &TxRecord,
    ) -> Option<(u64, u64)> {
        None
    }
}

impl Vegas {
    /// Sends the oldest segment again if it is `certainly` lost or late.
    fn retransmit_if(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
        certainly: bool,
    ) -> Reaction {
        let Some(head) = queue.head() else { return Reaction::None };
        let is_late = || ack.now.since(head.sent_at()) > ack.rtt.unclamped_timeout(&ack.settings.rto);
        // In a restart everything is sent again anyway.
        if progress.phase == Phase::Restart || !(certainly || is_late()) {
            return Reaction::None;
        }
        let cut = self.cut_at.is_none_or(|cut_at| head.sent_at() > cut_at);
        progress.enter_fast(ack.next);
        self.checks_left = CHECKS_AFTER_RETRANSMISSION;
        queue.declare_head_lost();
        if cut {
            self.cut_at = Some(ack.now);
            return Reaction::Episode { restart: false };
        }
        Reaction::None
    }
}
