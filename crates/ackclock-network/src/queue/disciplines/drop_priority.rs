//! Drop priority: one queue in order of arrival, in which marked packets are dropped first.

use ackclock_catalogue::{Entry, Values};
use ackclock_units::Time;

use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::by_class::ByClass;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, Occupancy};

/// The drop priority of TCP Fast Start's routers (Padmanabhan and Katz 1998): a full buffer drops a packet that its
/// sender has marked, to make room for an unmarked one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropPriority;

impl Discipline for DropPriority {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "drop-priority",
        title: "in order of arrival; at a full buffer packets that their senders have marked are dropped first",
        source: "Padmanabhan and Katz, IEEE Globecom 1998; burst-tcp, 3.3.2",
        ..Entry::PLAIN
    };

    fn make(_: &Values) -> DropPriority {
        DropPriority
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(DropPriorityQueue::default())
    }
}

/// The state of one queue with two classes, the marked packets and the protected ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct DropPriorityQueue {
    waiting: ByClass<2>,
}

impl Scheduler for DropPriorityQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    fn protects(&mut self, _now: Time, _packet: &QueuedPacket, header: &HeaderView) -> bool {
        !header.drop_first
    }

    /// At a full buffer the latest of the marked packets is dropped; without any, the arriving packet.
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.waiting.push(usize::from(packet.protected), packet);
        while buffer.is_exceeded(self.waiting.occupancy()) {
            let Some(discarded) = self.waiting.pop_lowest() else { return };
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
    use proptest::prelude::*;

    use super::*;
    use crate::Ecn;
    use crate::queue::testing::{flows_and_slots, offer_marked, offer_with, queued};

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

    /// The rule as the source states it: all packets in one list, in which the latest marked one is looked for.
    fn drop_by_scan(waiting: &mut Vec<QueuedPacket>) -> Option<QueuedPacket> {
        let marked = waiting.iter().rposition(|packet| !packet.protected);
        let place = marked.or(waiting.len().checked_sub(1))?;
        Some(waiting.remove(place))
    }

    fn bytes(waiting: &[QueuedPacket]) -> u32 {
        waiting.iter().map(|packet| packet.size).sum()
    }

    proptest! {
        /// Against a scan of all waiting packets, in buffers of packets and of bytes, with packets of several sizes.
        #[test]
        fn what_is_dropped_and_served_is_that_of_a_scan(
            acts in prop::collection::vec((any::<bool>(), 1_u32..4, 0_u8..3), 0..300),
            room in 0_u32..12,
            in_bytes in any::<bool>(),
        ) {
            let buffer = if in_bytes {
                BufferSize::Bytes(ackclock_units::Bytes::new(u64::from(room)))
            } else {
                BufferSize::Packets(room)
            };
            let (mut queue, mut scanned) = (DropPriorityQueue::default(), Vec::new());
            for (slot, (drop_first, size, act)) in acts.into_iter().enumerate() {
                if act == 0 {
                    let first = (!scanned.is_empty()).then(|| scanned.remove(0));
                    prop_assert_eq!(queue.dequeue(Time::ZERO, &mut Vec::new()), first);
                    continue;
                }
                let packet = QueuedPacket { size, ..queued(slot as u32, Time::ZERO, Ecn::NotCapable) };
                let header = HeaderView { drop_first, ..HeaderView::default() };
                let (_, discards) = offer_with(&mut queue, buffer, packet, &header);
                scanned.push(QueuedPacket { protected: !drop_first, ..packet });
                let mut expected = Vec::new();
                while (if in_bytes { bytes(&scanned) } else { scanned.len() as u32 }) > room {
                    expected.extend(drop_by_scan(&mut scanned).map(|dropped| dropped.discarded_for(&packet)));
                }
                prop_assert_eq!(discards, expected);
                let waiting = queue.occupancy();
                prop_assert_eq!((waiting.packets, waiting.bytes.get()), (scanned.len() as u32, u64::from(bytes(&scanned))));
            }
        }
    }
}
