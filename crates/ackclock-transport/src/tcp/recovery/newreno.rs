//! NewReno (RFC 6582): a partial acknowledgment in fast recovery sends the next hole again, and recovery lasts until
//! everything outstanding at its start is acknowledged.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::{Phase, Progress};

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
    /// A partial acknowledgment was seen in this episode.
    partial_seen: bool,
}

impl LossRecovery for NewReno {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        if ack.advanced {
            if progress.phase == Phase::Fast && queue.una() < progress.recover {
                return self.on_partial_ack(ack, progress, queue);
            }
            progress.advance(queue.una());
        } else if ack.duplicate {
            progress.count_duplicate(queue);
            // 3.2 step 2: only if more than what the last episode covered is acknowledged ("careful").
            if progress.is_loss(ack, queue) && queue.una() > progress.recover {
                progress.enter_fast(ack.next);
                self.partial_seen = false;
                queue.declare_head_lost();
                return Reaction::Episode { restart: false };
            }
        }
        Reaction::None
    }
}

impl NewReno {
    /// Step 3, partial: the window deflates by what was acknowledged and inflates by one segment. Where duplicates were
    /// lost on their way, that takes it below what the controller chose, until recovery ends. Only the first of an
    /// episode restarts the retransmission timer (the "impatient" variant).
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
