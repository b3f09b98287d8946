//! Vegas' retransmission (tcp-variants 2.3.1; Brakmo and Peterson 1995) on top of Reno's fast recovery:
//! 1. any duplicate ACK, even the first, checks the oldest segment's fine-grained timeout and sends it again if late;
//! 2. the first and second new ACK after a retransmission check again;
//! 3. the window is cut only for a segment that was sent after the last cut, so once for several losses of a window.

use ackclock_catalogue::Entry;
use ackclock_units::Time;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::{Phase, Progress};

/// The fine-grained timeout depends on the RTT estimate of the latest samples in full.
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
    /// When the window was cut last.
    cut_at: Option<Time>,
    /// New acknowledgments after a retransmission that still check for another late segment.
    checks_left: u8,
}

impl LossRecovery for Vegas {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        if ack.advanced {
            if progress.phase == Phase::Fast {
                progress.phase = Phase::Open;
            }
            progress.advance(queue.una());
            if self.checks_left > 0 {
                self.checks_left -= 1;
                return self.retransmit_if(ack, progress, queue, false);
            }
        } else if ack.duplicate {
            progress.count_duplicate(queue);
            let is_loss = progress.is_loss(ack, queue);
            return self.retransmit_if(ack, progress, queue, is_loss);
        }
        Reaction::None
    }

    fn is_at_rest(&self) -> bool {
        self.checks_left == 0
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
