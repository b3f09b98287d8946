//! Tahoe: fast retransmit without fast recovery. The third duplicate ACK restarts the sender in slow start from one
//! packet, and everything after the loss is sent again as if it had been lost too (Jacobson 1988; tcp-variants 2.1:
//! "the sender might retransmit packets which have been received correctly").
//!
//! Departure: duplicates that the sender's own needless retransmissions cause do not start another episode
//! (RFC 6582, section 4, found this out later; ns-2 does the same by default).

use super::{AckSeen, Flight, Phase, Reaction, RecoveryState};

pub(crate) fn on_ack(ack: &AckSeen, state: &mut RecoveryState, flight: &mut Flight) -> Reaction {
    if ack.advanced {
        state.advance(flight.una());
    } else if ack.duplicate {
        state.count_duplicate();
        if state.duplicates == ack.threshold && state.phase == Phase::Open {
            state.restart(ack.next, flight);
            return Reaction::Episode { restart: true };
        }
    }
    Reaction::None
}
