//! Recovery by selective acknowledgments (RFC 6675): losses are read off the scoreboard, and the pipe, not the count
//! of duplicates, says how much may be sent.

use super::{AckSeen, Flight, Phase, Reaction, RecoveryState};

pub(crate) fn on_ack(ack: &AckSeen, state: &mut RecoveryState, flight: &mut Flight) -> Reaction {
    if ack.advanced {
        state.duplicates = 0;
        if flight.una() >= state.recover {
            state.phase = Phase::Open;
        }
    } else if ack.duplicate {
        state.duplicates += 1;
    }
    if !flight.has_sacked() {
        return Reaction::None;
    }
    let declared = flight.declare_lost_by_sack(ack.threshold);
    match state.phase {
        // Section 5, steps 1 and 2: enough duplicates, or IsLost(HighACK + 1).
        Phase::Open if state.duplicates >= ack.threshold || flight.has_lost() => {
            state.enter_fast(ack.next);
            if !flight.has_lost() {
                flight.declare_head_lost();
            }
            Reaction::Episode { restart: false }
        }
        _ if declared > 0 => Reaction::Retransmit,
        _ => Reaction::None,
    }
}
