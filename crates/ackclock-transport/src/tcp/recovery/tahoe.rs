//! Tahoe: fast retransmit without fast recovery. The third duplicate ACK restarts the sender in slow start from one
//! packet, and everything after the loss is sent again as if it had been lost too (Jacobson 1988; tcp-variants 2.1:
//! "the sender might retransmit packets which have been received correctly").
//!
//! Departure: duplicates that the sender's own needless retransmissions cause do not start another episode, which
//! would send everything twice for ever after (RFC 6582, section 4, found this out later; ns-2 does the same by
//! default).

use super::{AckEvent, Reaction, RecoveryState, RetransmissionQueue};

pub(crate) fn on_ack(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    if ack.advanced {
        state.advance(flight.una());
    } else if ack.duplicate {
        state.count_duplicate(flight);
        if state.is_loss(ack, flight) {
            state.restart(ack.next, flight);
            return Reaction::Episode { restart: true };
        }
    }
    Reaction::None
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Duration, Time};

    use super::super::super::mechanism::retransmission_queue::TxRecord;
    use super::*;

    const MSS: u64 = 100;

    fn acknowledge(
        segments: u64,
        next: u64,
        state: &mut RecoveryState,
        flight: &mut RetransmissionQueue,
    ) -> Reaction {
        let acknowledgment = 1 + segments * MSS;
        let advanced = acknowledgment > flight.una();
        if advanced {
            flight.acknowledge(acknowledgment, |_, _| {});
        }
        let seen = AckEvent {
            now: Time::ZERO,
            advanced,
            segments: 1,
            duplicate: !advanced,
            next: 1 + next * MSS,
            threshold: 3,
            fine_timeout: Duration::from_secs(1),
            newest: None,
            lowest_once: u64::MAX,
            min_rtt: Duration::ZERO,
            srtt: Duration::ZERO,
        };
        on_ack(&seen, state, flight)
    }

    /// Segment 0 of six is lost. Its retransmission uncovers that 3 was lost too; 4 and 5, sent again behind that,
    /// had arrived before, and so had one more copy that the network duplicated.
    #[test]
    fn needless_retransmissions_start_no_episode() {
        let mut state = RecoveryState::new();
        let mut flight = RetransmissionQueue::new(1, MSS as u16);
        for segment in 1..=6 {
            flight.push(1 + segment * MSS, &TxRecord::default());
        }
        let mut answers: Vec<Reaction> = Vec::new();
        for acknowledged in [0, 0, 0, 3, 6] {
            answers.push(acknowledge(acknowledged, 6, &mut state, &mut flight));
        }
        assert_eq!(answers.iter().filter(|answer| **answer != Reaction::None).count(), 1);
        assert_eq!(answers[2], Reaction::Episode { restart: true });

        for segment in 7..=10 {
            flight.push(1 + segment * MSS, &TxRecord::default());
        }
        for _ in 0..3 {
            assert_eq!(
                acknowledge(6, 10, &mut state, &mut flight),
                Reaction::None,
                "copies that nobody missed"
            );
        }
        acknowledge(7, 10, &mut state, &mut flight);
        for _ in 0..2 {
            assert_eq!(acknowledge(7, 10, &mut state, &mut flight), Reaction::None);
        }
        let third = acknowledge(7, 10, &mut state, &mut flight);
        assert_eq!(third, Reaction::Episode { restart: true }, "a loss after what the episode covered");
    }
}
