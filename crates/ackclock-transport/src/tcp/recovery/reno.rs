//! Reno: fast retransmit and fast recovery (RFC 5681, 3.2). Each further duplicate ACK releases one more
//! segment; the first acknowledgment of new data ends recovery, so several losses in a window take several
//! episodes or a timeout.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::{Phase, Progress};

pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "reno",
        title: "fast recovery until the first new acknowledgment",
        source: "RFC 5681, 3.2",
        ..Entry::PLAIN
    },
    needs: Needs::NONE,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Reno;

impl LossRecovery for Reno {
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
        } else if ack.duplicate {
            progress.count_duplicate(queue);
            if progress.is_loss(ack, queue) {
                progress.enter_fast(ack.next);
                queue.declare_head_lost();
                return Reaction::Episode { restart: false };
            }
        }
        Reaction::None
    }
}
