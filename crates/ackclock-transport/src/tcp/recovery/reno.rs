//! Reno: fast retransmit and fast recovery (RFC 5681, 3.2). Each further duplicate ACK lets one more segment go; the
//! first acknowledgment of new data ends recovery, so several losses in a window take several episodes or a timeout.

use super::{AckEvent, Phase, Reaction, RecoveryState, RetransmissionQueue};

pub(crate) fn on_ack(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    if ack.advanced {
        if state.phase == Phase::Fast {
            state.phase = Phase::Open;
        }
        state.advance(flight.una());
    } else if ack.duplicate {
        state.count_duplicate(flight);
        if state.is_loss(ack, flight) {
            state.enter_fast(ack.next);
            flight.declare_head_lost();
            return Reaction::Episode { restart: false };
        }
    }
    Reaction::None
}
