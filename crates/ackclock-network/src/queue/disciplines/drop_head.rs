//! Drop from front: a full buffer drops its oldest packet.

use ackclock_catalogue::{Entry, Values};
use ackclock_units::Time;

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, Occupancy};

/// First in, first out; a full buffer drops its oldest packets until the arriving packet fits.
///
/// The packet that is dropped is at the front of the buffer, so that a sender learns of the loss a whole queue earlier than
/// with tail drop (Lakshman, Neidhardt and Ott, INFOCOM 1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropHead;

impl Discipline for DropHead {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "drop-head",
        title: "first in, first out; a full buffer drops the oldest packet",
        source: "Lakshman, Neidhardt and Ott 1996; Linux's pfifo_head_drop",
        ..Entry::PLAIN
    };

    fn make(_: &Values) -> DropHead {
        DropHead
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(DropHeadQueue::default())
    }
}

/// The state of one queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct DropHeadQueue {
    waiting: Fifo,
}

impl Scheduler for DropHeadQueue {
    /// A packet larger than the buffer drops all that wait, then itself.
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.waiting.push(packet);
        while buffer.is_exceeded(self.waiting.occupancy()) {
            let Some(oldest) = self.waiting.pop() else { return };
            discards.push(oldest.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.waiting.pop()
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ecn;
    use crate::queue::testing::{flows_and_slots, queued};

    /// Room for three of five packets: the first two make room, in their order.
    #[test]
    fn the_oldest_make_room() {
        let mut queue = DropHeadQueue::default();
        let mut discards = Vec::new();
        for slot in 0..5 {
            let packet = queued(slot, Time::ZERO, Ecn::NotCapable);
            queue.enqueue(Time::ZERO, packet, BufferSize::Packets(3), &mut discards);
        }
        assert_eq!(flows_and_slots(&discards), [(0, 0), (0, 1)]);
        let served = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut Vec::new()));
        assert_eq!(served.map(|packet| packet.slot).collect::<Vec<_>>(), [2, 3, 4]);
    }
}
