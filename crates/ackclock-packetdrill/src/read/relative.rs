//! Sequence numbers: those of a SYN, and the acknowledgment in it, are as they are on the wire. All others count from the SYN of
//! their end, which this module has SYNs do, too.

use crate::script::{Action, Direction, Event};

/// Counts the numbers in SYNs from the SYN of their end.
pub(super) fn count_from_syns(events: &mut [Event]) {
    let (mut inward, mut outward) = (0, 0);
    for event in events {
        let Action::Packet(packet) = &mut event.action else { continue };
        if !packet.flags.contains('S') {
            continue;
        }
        let (own, other) = match packet.direction {
            Direction::In => (&mut inward, &outward),
            Direction::Out => (&mut outward, &inward),
        };
        *own = packet.start;
        packet.end = packet.end.saturating_sub(packet.start);
        packet.start = 0;
        packet.ack = packet.ack.map(|ack| ack.saturating_sub(*other));
    }
}
