//! Drop priority: one queue in order of arrival, in which marked packets are dropped first.

use ackclock_catalogue::{Entry, Values};
use ackclock_units::Time;

use super::fifo::Fifo;
use super::scheduler::Scheduler;
use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::{BufferSize, Occupancy};

/// The drop priority of TCP Fast Start's routers (Padmanabhan and Katz 1998): a packet that its sender has marked makes room for one
/// that is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DropPriority;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "queue",
    name: "drop-priority",
    title: "in order of arrival; at a full buffer packets that their senders have marked are dropped first",
    source: "Padmanabhan and Katz, IEEE Globecom 1998; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The discipline, which has no parameters.
pub(super) fn make(_values: &Values) -> DropPriority {
    DropPriority
}

/// The state of one queue. Packets without a mark are protected.
#[derive(Clone, Debug, Default)]
pub(crate) struct DropPriorityQueue {
    waiting: Fifo,
}

impl Scheduler for DropPriorityQueue {
    fn protects(&mut self, _now: Time, _packet: &QueuedPacket, header: &HeaderView) -> bool {
        !header.drop_first
    }

    /// At a full buffer the latest of the marked packets is dropped; without any, the arriving packet.
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.waiting.push(packet);
        while buffer.is_exceeded(self.waiting.occupancy()) {
            let marked = self.waiting.remove_last(|waiting| !waiting.protected);
            let Some(discarded) = marked.or_else(|| self.waiting.pop_last()) else { return };
            discards.push(discarded.discarded_for(&packet));
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
    use super::super::testing::{flows_and_slots, offer_marked};
    use super::*;

    /// A buffer of three packets: marked packets 0 and 2 and an unmarked one wait. An unmarked packet pushes the later marked one out,
    /// the next the earlier; then the unmarked that arrive are dropped themselves. A marked packet finds no room at all.
    #[test]
    fn marked_packets_make_room_the_latest_first() {
        let mut queue = DropPriorityQueue::default();
        let mut dropped = Vec::new();
        for (slot, marked) in [true, false, true, false, true, false, false].into_iter().enumerate() {
            let discards = offer_marked(&mut queue, BufferSize::Packets(3), slot as u32, marked);
            dropped.extend(flows_and_slots(&discards).into_iter().map(|(_, slot)| slot));
        }
        assert_eq!(dropped, [2, 4, 0, 6]);
        let served: Vec<_> = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut Vec::new())).collect();
        assert_eq!(served.iter().map(|packet| packet.slot).collect::<Vec<_>>(), [1, 3, 5]);
    }
}
