//! Strict priority: packets of a higher class are transmitted first.

use ackclock_catalogue::Entry;
use ackclock_units::Time;
use std::sync::Arc;

use super::fifo::Fifo;
use super::scheduler::Scheduler;
use crate::packet::header::flow_of;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::{BufferSize, Occupancy};

/// The classes that queues distinguish.
pub const CLASSES: usize = 8;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "queue",
    name: "priority",
    title: "packets of a higher class first, in order of arrival within a class",
    source: "common practice; RFC 2474, 4.2.2.2; Linux sch_prio",
    ..Entry::PLAIN
};

/// The class of a packet: that of its flow, the lowest if it has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Classifier(pub Arc<[u8]>);

impl Classifier {
    pub(super) fn class(&self, packet: &QueuedPacket) -> usize {
        let class = self.0.get(flow_of(packet.flow) as usize).copied().unwrap_or_default();
        usize::from(class).min(CLASSES - 1)
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct PriorityQueue {
    /// The queue of each class, the lowest first.
    classes: [Fifo; CLASSES],
    classifier: Classifier,
    waiting: Occupancy,
    buffer: BufferSize,
}

impl PriorityQueue {
    pub(crate) fn new(buffer: BufferSize) -> PriorityQueue {
        PriorityQueue {
            classes: Default::default(),
            classifier: Classifier::default(),
            waiting: Occupancy::default(),
            buffer,
        }
    }
}

impl Scheduler for PriorityQueue {
    fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.classifier = Classifier(Arc::clone(classes));
    }

    /// At a full buffer the latest packet of the lowest class is dropped, so that lower classes take no buffer from higher ones.
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, discards: &mut Vec<Discard>) {
        self.classes[self.classifier.class(&packet)].push(packet);
        self.waiting = self.waiting.with(packet.size);
        while self.buffer.is_exceeded(self.waiting) {
            let Some(discarded) = self.classes.iter_mut().find_map(Fifo::pop_last) else { return };
            self.waiting = self.waiting.without(discarded.size);
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let packet = self.classes.iter_mut().rev().find_map(Fifo::pop)?;
        self.waiting = self.waiting.without(packet.size);
        Some(packet)
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }

    fn set_buffer(&mut self, buffer: BufferSize) {
        self.buffer = buffer;
    }

    fn boxed(&self) -> Box<dyn Scheduler> {
        Box::new(self.clone())
    }
}
