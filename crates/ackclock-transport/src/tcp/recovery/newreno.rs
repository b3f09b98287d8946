//! NewReno (RFC 6582): a partial acknowledgment in fast recovery sends the next hole again, and recovery lasts until
//! everything outstanding at its start is acknowledged.

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
        name: "newreno",
        title: "fast recovery until the whole window is acknowledged",
        source: "RFC 6582; tcp-variants 2.2",
        ..Entry::PLAIN
    },
    needs: Needs::NONE,
};

#[derive(Clone, Debug, Default)]
pub(super) struct NewReno {
    /// True if a partial acknowledgment was seen in this episode.
    partial_seen: bool,
}

impl LossRecovery for NewReno {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        if ack.advanced && progress.phase == Phase::Fast && queue.una() < progress.recover {
            return self.on_partial_ack(ack, progress, queue);
        }
        // 3.2 step 2: only if more is acknowledged than the last episode covered ("careful").
        if !progress.take(ack, queue) || queue.una() <= progress.recover {
            return Reaction::None;
        }
        progress.enter_fast(ack.next);
        self.partial_seen = false;
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

impl NewReno {
    /// Step 3, partial: the window deflates by the acknowledged amount and inflates by one segment. If duplicates
    /// were lost on their way, the window is below the controller's choice until recovery ends. Only the first
    /// partial acknowledgment of an episode restarts the retransmission timer (the "impatient" variant).
    fn on_partial_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        progress.duplicates = 0;
        progress.force_resend = true;
        queue.declare_head_lost();
        let inflation = progress.inflation + 1 - ack.segments.cast_signed();
        progress.inflation = inflation.min(queue.pipe().cast_signed());
        if std::mem::replace(&mut self.partial_seen, true) { Reaction::KeepTimer } else { Reaction::None }
    }
}
