//! Vegas' retransmission (tcp-variants 2.3.1; Brakmo and Peterson 1995) on top of Reno's fast recovery:
//! 1. a duplicate ACK, be it the first, checks the oldest segment's fine-grained timeout and sends it again if late;
//! 2. the first and second new ACK after a retransmission check again;
//! 3. the window is cut only for a segment that was sent after the last cut, so once for several losses of a window.

use super::{AckEvent, Phase, Reaction, RecoveryState, RetransmissionQueue};

const CHECKS_AFTER_RETRANSMISSION: u8 = 2;

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
        if state.checks_left > 0 {
            state.checks_left -= 1;
            return retransmit_if(ack, state, flight, false);
        }
    } else if ack.duplicate {
        state.count_duplicate(flight);
        let is_loss = state.is_loss(ack, flight);
        return retransmit_if(ack, state, flight, is_loss);
    }
    Reaction::None
}

/// Sends the oldest segment again if it is `certainly` lost or late.
fn retransmit_if(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
    certainly: bool,
) -> Reaction {
    let Some(head) = flight.head() else { return Reaction::None };
    // In a restart everything is sent again anyway.
    if state.phase == Phase::Restart || !(certainly || ack.is_late(head.at)) {
        return Reaction::None;
    }
    let cut = state.cut_at.is_none_or(|cut_at| head.at > cut_at);
    state.enter_fast(ack.next);
    state.checks_left = CHECKS_AFTER_RETRANSMISSION;
    flight.declare_head_lost();
    if cut {
        state.cut_at = Some(ack.now);
        return Reaction::Episode { restart: false };
    }
    Reaction::None
}
