//! Recovery by selective acknowledgments (RFC 6675): losses are read off the scoreboard, and the pipe, not the count
//! of duplicates, says how much may be sent.

use super::{AckEvent, Phase, Reaction, RecoveryState, RetransmissionQueue};

#[inline]
pub(crate) fn on_ack(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    let was_restart = state.phase == Phase::Restart;
    if ack.advanced {
        state.duplicates = 0;
        if flight.una() >= state.recover {
            state.phase = Phase::Open;
        }
    }
    // With SACK an acknowledgment may advance and be a duplicate (section 2).
    state.duplicates += u32::from(ack.duplicate);
    match state.phase {
        Phase::Open if ack.duplicate || was_restart => consider_recovery(ack, state, flight),
        Phase::Fast => {
            flight.declare_lost_below(flight.lost_below(ack.threshold));
            Reaction::None
        }
        // 5.1: after a timeout no recovery begins before all that was outstanding then is acknowledged. Losses of
        // what was sent since are found at that moment, and count as congestion.
        Phase::Open | Phase::Restart => Reaction::None,
    }
}

/// Section 5, steps 1 and 2: enough duplicates, or `IsLost(HighACK + 1)`, begin fast recovery.
fn consider_recovery(
    ack: &AckEvent,
    state: &mut RecoveryState,
    flight: &mut RetransmissionQueue,
) -> Reaction {
    let edge = flight.lost_below(ack.threshold);
    if state.duplicates < ack.threshold && edge <= flight.una() {
        return Reaction::None;
    }
    let Some(head) = flight.head() else { return Reaction::None };
    state.enter_fast(ack.next);
    // Step 4.3. Where the last recovery found the head lost and sent it again already, once is enough.
    state.rescue_above = head.end;
    if !head.is_retransmitted() {
        flight.declare_head_lost();
    }
    flight.declare_lost_below(edge);
    Reaction::Episode { restart: false }
}
