//! Reno: fast retransmit and fast recovery (RFC 5681, 3.2). Each further duplicate ACK releases one more
//! segment; the first acknowledgment of new data ends recovery, so several losses in a window take several
//! episodes or a timeout.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::Progress;
use super::reduction::Reduction;
use crate::facts::TxRecord;

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
        if !progress.take(ack, queue) {
            return Reaction::None;
        }
        progress.enter_fast(ack.next);
        queue.declare_head_lost();
        Reaction::Episode { restart: false }
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
