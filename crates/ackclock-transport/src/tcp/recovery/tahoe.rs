//! Tahoe: fast retransmit without fast recovery. The third duplicate ACK restarts the sender in slow start from one
//! packet, and everything after the loss is sent again as if it had been lost too (Jacobson 1988; tcp-variants 2.1:
//! "the sender might retransmit packets which have been received correctly").
//!
//! Departure: duplicates caused by the sender's own needless retransmissions do not start another episode.
//! Otherwise everything would be sent twice from then on (RFC 6582, section 4, noticed this later; ns-2 does the
//! same by default).

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
        name: "tahoe",
        title: "fast retransmit, then slow start from one packet",
        source: "Jacobson 1988; tcp-variants 2.1",
        ..Entry::PLAIN
    },
    needs: Needs::NONE,
};

#[derive(Clone, Debug, Default)]
pub(super) struct Tahoe;

impl LossRecovery for Tahoe {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        if !progress.take(ack, queue) {
            return Reaction::None;
        }
        progress.restart(ack.next, queue);
        Reaction::Episode { restart: true }
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

#[cfg(test)]
mod tests {
    use ackclock_units::Time;

    use super::super::super::settings::Settings;
    use super::*;
    use crate::tcp::mechanism::rtt::RttEstimator;

    const MSS: u64 = 100;

    /// A sender under this recovery alone, with its retransmission queue.
    struct Bench {
        progress: Progress,
        queue: RetransmissionQueue,
    }

    impl Bench {
        fn acknowledge(&mut self, segments: u64, next: u64) -> Reaction {
            let acknowledgment = 1 + segments * MSS;
            let advanced = acknowledgment > self.queue.una();
            if advanced {
                self.queue.acknowledge(acknowledgment, |_, _| {});
            }
            let settings = Settings::default();
            let rtt = RttEstimator::new(&settings.rto);
            let ack = AckEvent {
                advanced,
                segments: 1,
                duplicate: !advanced,
                ..AckEvent::timer(Time::ZERO, 1 + next * MSS, 0, &rtt, &settings)
            };
            Tahoe.on_ack(&ack, &mut self.progress, &mut self.queue)
        }
    }

    /// Segment 0 of six is lost. Its retransmission uncovers that 3 was lost too; 4 and 5, sent again behind that,
    /// had arrived before, and so had one more copy that the network duplicated.
    #[test]
    fn needless_retransmissions_start_no_episode() {
        let mut bench = Bench { progress: Progress::new(), queue: RetransmissionQueue::new(1, MSS as u16) };
        for segment in 1..=6 {
            bench.queue.push(1 + segment * MSS, &TxRecord::default());
        }
        let mut answers: Vec<Reaction> = Vec::new();
        for acknowledged in [0, 0, 0, 3, 6] {
            answers.push(bench.acknowledge(acknowledged, 6));
        }
        assert_eq!(answers.iter().filter(|answer| **answer != Reaction::None).count(), 1);
        assert_eq!(answers[2], Reaction::Episode { restart: true });

        for segment in 7..=10 {
            bench.queue.push(1 + segment * MSS, &TxRecord::default());
        }
        for _ in 0..3 {
            assert_eq!(bench.acknowledge(6, 10), Reaction::None, "copies that nobody missed");
        }
        bench.acknowledge(7, 10);
        for _ in 0..2 {
            assert_eq!(bench.acknowledge(7, 10), Reaction::None);
        }
        let third = bench.acknowledge(7, 10);
        assert_eq!(third, Reaction::Episode { restart: true }, "a loss after what the episode covered");
    }
}
