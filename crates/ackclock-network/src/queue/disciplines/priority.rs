//! Strict priority: packets of a higher class are transmitted first.

use std::sync::Arc;

use ackclock_catalogue::{Entry, Values};
use ackclock_units::Time;

use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::classifier::{CLASSES, Classifier};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, Occupancy};

/// Strict priority of the eight classes of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priority;

impl Discipline for Priority {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "priority",
        title: "packets of a higher class first, in order of arrival within a class; below all, those marked to be dropped first",
        source: "common practice; RFC 2474, 4.2.2.2; Linux sch_prio",
        ..Entry::PLAIN
    };

    fn make(_: &Values) -> Priority {
        Priority
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(PriorityQueue::default())
    }
}

/// The state of the discipline.
#[derive(Clone, Debug, Default)]
pub(crate) struct PriorityQueue {
    /// The queue of each class, the lowest first.
    classes: [Fifo; CLASSES],
    /// Packets that their senders have marked to be dropped first: a class below all others.
    marked: Fifo,
    /// The packet that arrives is marked.
    is_marked: bool,
    classifier: Classifier,
    waiting: Occupancy,
}

impl Scheduler for PriorityQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.classifier = Classifier(Arc::clone(classes));
    }

    /// Notes whether the packet is marked, since a marked packet belongs to no class. Protects no packet.
    fn protects(&mut self, _now: Time, _packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.is_marked = header.drop_first;
        false
    }

    /// At a full buffer the latest packet of the lowest class is dropped, so lower classes take no buffer space from
    /// higher ones.
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        let class = self.classifier.class(&packet);
        let queue = if self.is_marked { &mut self.marked } else { &mut self.classes[class] };
        queue.push(packet);
        self.waiting = self.waiting.with(packet.size);
        while buffer.is_exceeded(self.waiting) {
            let mut upwards = std::iter::once(&mut self.marked).chain(&mut self.classes);
            let Some(discarded) = upwards.find_map(Fifo::pop_last) else { return };
            self.waiting = self.waiting.without(discarded.size);
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let unmarked = self.classes.iter_mut().rev().find_map(Fifo::pop);
        let packet = unmarked.or_else(|| self.marked.pop())?;
        self.waiting = self.waiting.without(packet.size);
        Some(packet)
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{flows_and_slots, offer_marked};

    /// burst-tcp, 3.3.2: marked packets are of a low priority. They are served last, and are the first to be dropped.
    #[test]
    fn marked_packets_are_of_a_class_below_all() {
        let mut queue = PriorityQueue::default();
        let mut dropped = Vec::new();
        for (slot, marked) in [true, true, false, false, true].into_iter().enumerate() {
            let discards = offer_marked(&mut queue, BufferSize::Packets(3), slot as u32, marked);
            dropped.extend(flows_and_slots(&discards).into_iter().map(|(_, slot)| slot));
        }
        assert_eq!(dropped, [1, 4]);
        let served: Vec<_> = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut Vec::new())).collect();
        assert_eq!(served.iter().map(|packet| packet.slot).collect::<Vec<_>>(), [2, 3, 0]);
    }
}
