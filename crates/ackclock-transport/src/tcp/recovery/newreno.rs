//! NewReno (RFC 6582): a partial acknowledgment in fast recovery sends the next hole again, and recovery lasts until
//! everything outstanding at its start is acknowledged.

use super::{AckEvent, Phase, Reaction, RecoveryState, RetransmissionQueue};

pub(crate) fn on_ack(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    if ack.advanced {
        if state.phase == Phase::Fast && flight.una() < state.recover {
            return partial_ack(ack, state, flight);
        }
        state.advance(flight.una());
    } else if ack.duplicate {
        state.count_duplicate(flight);
        // 3.2 step 2: only if more than what the last episode covered is acknowledged ("careful").
        if state.is_loss(ack, flight) && flight.una() > state.recover {
            state.enter_fast(ack.next);
            flight.declare_head_lost();
            return Reaction::Episode { restart: false };
        }
    }
    Reaction::None
}

/// Step 3, partial: the window deflates by what was acknowledged and inflates by one segment. Where duplicates were lost
/// on their way, that takes it below what the controller chose, until recovery ends. Only the first of an
/// episode restarts the retransmission timer (the "impatient" variant).
fn partial_ack(ack: &AckEvent, state: &mut RecoveryState, flight: &mut RetransmissionQueue) -> Reaction {
    state.duplicates = 0;
    state.force_resend = true;
    flight.declare_head_lost();
    let inflation = state.inflation + 1 - ack.segments.cast_signed();
    state.inflation = inflation.min(flight.pipe().cast_signed());
    if std::mem::replace(&mut state.partial_seen, true) { Reaction::KeepTimer } else { Reaction::None }
}
