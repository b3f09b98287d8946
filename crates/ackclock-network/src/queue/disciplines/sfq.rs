//! Stochastic fairness queueing: flows hashed to buckets that are served in turn.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_memory::{memory_of, prefetch};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::backlogs::Backlogs;
use crate::queue::parts::flow_hash::FlowHash;
use crate::queue::parts::packet_lists::{PacketList, PacketStore};
use crate::queue::parts::turns::Turns;
use crate::queue::scheduler::{MANY, Scheduler};
use crate::{BufferSize, DropReason, Occupancy, RandomStream};

/// Stochastic fairness queueing (`McKenney` 1990).
///
/// Flows are hashed to buckets, which are served in turn, a packet each. At a full buffer the latest packet of the
/// longest bucket is dropped ("buffer stealing"), which may be the arriving packet. The hash changes from time to
/// time, so that flows do not share a bucket for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sfq {
    /// The number of buckets, at least one.
    pub buckets: u32,
    /// The most packets per bucket; none for no limit besides the buffer.
    pub depth: Option<u32>,
    /// The period after which the hash is replaced; none for never. Waiting packets are rehashed, so no flow is reordered.
    pub perturbation: Option<Duration>,
}

impl Discipline for Sfq {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "sfq",
        title: "flows hashed to buckets, served a packet each in turn",
        source: "McKenney, INFOCOM 1990",
        parameters: &[
            Parameter::new("buckets", Unit::Count, 128.0, (1.0, 1_048_576.0), "number of buckets"),
            DEPTH,
            PERTURBATION,
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Sfq {
        Sfq {
            buckets: values.get("buckets") as u32,
            depth: Some(values.get("depth") as u32).filter(|depth| *depth > 0),
            perturbation: Some(values.duration("perturbation")).filter(|period| !period.is_zero()),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(Buckets::new(self, site.random()))
    }

    fn memory(&self) -> u64 {
        u64::from(self.buckets.max(1)) * (size_of::<PacketList>() + Turns::MEMORY + Backlogs::MEMORY) as u64
    }
}

pub(super) const DEPTH: Parameter = Parameter::new(
    "depth",
    Unit::Count,
    0.0,
    (0.0, 1_048_576.0),
    "packets a bucket may hold; 0: all share the buffer",
);
pub(super) const PERTURBATION: Parameter = Parameter::new(
    "perturbation",
    Unit::Seconds,
    10.0,
    (0.0, f64::INFINITY),
    "the lifetime of a hash; 0: unlimited",
);

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    all: Vec<PacketList>,
    packets: PacketStore,
    /// The buckets with packets, in order of service.
    turns: Turns,
    /// The backlog of each bucket, in the unit of the buffer.
    backlogs: Backlogs,
    /// The buffer is a number of bytes, not of packets.
    in_bytes: bool,
    waiting: Occupancy,
    depth: Option<u32>,
    hash: FlowHash,
}

impl Buckets {
    pub(crate) fn new(config: &Sfq, random: RandomStream) -> Buckets {
        let buckets = config.buckets.max(1) as usize;
        Buckets {
            all: vec![PacketList::default(); buckets],
            packets: PacketStore::default(),
            turns: Turns::new(buckets),
            backlogs: Backlogs::new(buckets),
            in_bytes: false,
            waiting: Occupancy::default(),
            depth: config.depth,
            hash: FlowHash::new(config.perturbation, random),
        }
    }

    /// One bucket: a first-in first-out queue with tail drop.
    pub(crate) fn single(random: RandomStream) -> Buckets {
        Buckets::new(&Sfq { buckets: 1, depth: None, perturbation: None }, random)
    }

    /// Drops the latest packet of the longest bucket, measured in the unit of the buffer. Among buckets of equal
    /// length it takes the first.
    pub(crate) fn drop_from_longest(&mut self) -> Option<QueuedPacket> {
        let longest = self.backlogs.longest()?;
        let packet = self.packets.pop_last(&mut self.all[longest])?;
        self.waiting = self.waiting.without(packet.size);
        if self.all[longest].is_empty() {
            self.turns.remove(longest);
        }
        self.note_backlog(longest);
        Some(packet)
    }

    /// Prefetches the memory of a queue.
    fn prefetch_queue(&self, place: usize) {
        prefetch(memory_of(&self.all[place]));
        self.turns.prefetch(place);
        self.backlogs.prefetch(place);
    }

    fn put(&mut self, packet: QueuedPacket) {
        let place = self.hash.bucket(packet.flow, self.all.len() as u32);
        if self.all[place].is_empty() {
            self.turns.append(place);
        }
        self.packets.push(&mut self.all[place], packet);
        self.note_backlog(place);
    }

    /// Notes the backlog of a bucket that has changed.
    fn note_backlog(&mut self, place: usize) {
        let bucket = &self.all[place];
        self.backlogs.set(place, if self.in_bytes { bucket.bytes() } else { u64::from(bucket.packets()) });
    }

    /// Notes the backlogs in the unit of the buffer.
    fn measure_in(&mut self, buffer: BufferSize) {
        let in_bytes = matches!(buffer, BufferSize::Bytes(_));
        if in_bytes != self.in_bytes {
            self.in_bytes = in_bytes;
            (0..self.all.len()).for_each(|place| self.note_backlog(place));
        }
    }

    /// Distributes the waiting packets by the new hash, in order of service, so that each flow keeps its order.
    fn rehash(&mut self) {
        let mut old = Vec::new();
        while let Some(place) = self.turns.take_first() {
            old.push(std::mem::take(&mut self.all[place]));
            self.backlogs.set(place, 0);
        }
        for mut bucket in old {
            while let Some(packet) = self.packets.pop(&mut bucket) {
                self.put(packet);
            }
        }
    }
}

impl Scheduler for Buckets {
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.measure_in(buffer);
        if self.hash.is_changed(now) {
            self.rehash();
        }
        let place = self.hash.bucket(packet.flow, self.all.len() as u32);
        if self.depth.is_some_and(|depth| self.all[place].packets() >= depth) {
            discards.push((packet, DropReason::Queue));
            return;
        }
        self.put(packet);
        self.waiting = self.waiting.with(packet.size);
        while buffer.is_exceeded(self.waiting) {
            let Some(discarded) = self.drop_from_longest() else { return };
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let place = self.turns.take_first()?;
        let packet = self.packets.pop(&mut self.all[place])?;
        if !self.all[place].is_empty() {
            self.turns.append(place);
        }
        self.note_backlog(place);
        self.waiting = self.waiting.without(packet.size);
        Some(packet)
    }

    fn prefetch(&self, flow: u32) {
        if self.all.len() > MANY {
            self.prefetch_queue(self.hash.bucket(flow, self.all.len() as u32));
        }
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        let list = |queue: usize| &self.all[queue];
        self.packets.prefetch_upcoming(self.turns.upcoming(), list, |queue| self.prefetch_queue(queue))
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}
