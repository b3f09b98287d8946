//! Flow queueing with controlled delay: a queue per hash of flows, new ones first.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_memory::prefetch_part;
use ackclock_units::{Bytes, Duration, Time};

use super::codel::{self, Codel, CodelState};
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::backlogs::Backlogs;
use crate::queue::parts::flow_hash::FlowHash;
use crate::queue::parts::new_and_old::NewAndOld;
use crate::queue::parts::packet_lists::{ListInStore, PacketList, PacketStore};
use crate::queue::scheduler::{MANY, Scheduler};
use crate::{BufferSize, Ecn, Occupancy, RandomStream};

/// Flow queueing with controlled delay (RFC 8290).
///
/// Flows are hashed to queues that share the link by deficit round robin in bytes; queues that were empty precede the
/// others for one quantum. Each queue runs `CoDel`. At a full buffer the queue with the most bytes loses half of its
/// packets, from its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCodel {
    /// The parameters of `CoDel` in each queue.
    pub codel: Codel,
    /// The number of queues, at least one.
    pub flows: u32,
    /// The bytes that a queue may send per round.
    pub quantum: u32,
    /// The most packets in all queues, within the link's buffer.
    pub limit: u32,
    /// The most bytes in all queues, within the link's buffer.
    pub memory: Bytes,
    /// The queueing delay above which an ECN-capable packet is marked, whatever `CoDel` does; [`Duration::MAX`] for none.
    pub ce_threshold: Duration,
    /// Only packets of L4S are marked above it.
    pub ce_l4s_only: bool,
}

impl Discipline for FqCodel {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "fq-codel",
        title: "a queue for each hash of flows, new ones first, each with CoDel's rule",
        source: "RFC 8290",
        parameters: &[
            codel::TARGET,
            codel::INTERVAL,
            Parameter::new(
                "quantum",
                Unit::Bytes,
                1514.0,
                (1.0, 1e9),
                "the credit of a queue per turn: an Ethernet frame",
            ),
            FLOWS,
            LIMIT,
            Parameter::new(
                "memory",
                Unit::Bytes,
                33_554_432.0,
                (1.0, 1e15),
                "the limit of all queues together, in addition to the link's buffer",
            ),
            codel::ECN,
            Parameter::new(
                "ce_threshold",
                Unit::Milliseconds,
                f64::INFINITY,
                (0.0, f64::INFINITY),
                "the queueing delay above which every ECN-capable packet is marked; inf: none",
            ),
            Parameter::switch(
                "ce_l4s_only",
                false,
                "1: only packets with ECT(1) or CE are marked above it (ce_threshold_selector)",
            ),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> FqCodel {
        FqCodel {
            codel: Codel::make(values),
            flows: values.get("flows") as u32,
            quantum: values.get("quantum") as u32,
            limit: values.get("limit") as u32,
            memory: Bytes::new(values.get("memory") as u64),
            ce_threshold: values.duration("ce_threshold"),
            ce_l4s_only: values.is_on("ce_l4s_only"),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(FlowQueues::new(*self, site.random()))
    }

    fn memory(&self) -> u64 {
        u64::from(self.flows.max(1)) * (size_of::<FlowQueue>() + Backlogs::MEMORY) as u64
    }
}

/// The number of queues of disciplines with new and old queues.
pub(super) const FLOWS: Parameter =
    Parameter::new("flows", Unit::Count, 1024.0, (1.0, 1_048_576.0), "number of queues");

/// Their limit of packets.
pub(super) const LIMIT: Parameter = Parameter::new(
    "limit",
    Unit::Packets,
    10_240.0,
    (1.0, 4e9),
    "the limit of all queues together, in addition to the link's buffer",
);

/// The most packets dropped at once at a full buffer (section 4.1).
const BATCH: u32 = 64;

/// One queue. It fits one cache line: with tens of thousands of queues, a packet's queue is in none of the nearer
/// caches, and is accessed up to four times.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
struct FlowQueue {
    packets: PacketList,
    state: CodelState,
    /// The bytes that it may still send in this round.
    credit: i32,
    /// True if it is in one of the lists.
    active: bool,
}

const _: () = assert!(size_of::<FlowQueue>() == 64);

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct FlowQueues {
    rule: FqCodel,
    /// The rule's quantum.
    quantum: i32,
    queues: Vec<FlowQueue>,
    packets: PacketStore,
    order: NewAndOld,
    /// The bytes in each queue.
    backlogs: Backlogs,
    waiting: Occupancy,
    largest: u32,
    hash: FlowHash,
}

impl FlowQueues {
    pub(crate) fn new(rule: FqCodel, random: RandomStream) -> FlowQueues {
        let queues = rule.flows.max(1) as usize;
        FlowQueues {
            rule,
            quantum: i32::try_from(rule.quantum).unwrap_or(i32::MAX),
            queues: vec![FlowQueue::default(); queues],
            packets: PacketStore::default(),
            order: NewAndOld::default(),
            backlogs: Backlogs::new(queues),
            waiting: Occupancy::default(),
            largest: 0,
            hash: FlowHash::new(None, random),
        }
    }

    fn is_overfull(&self, buffer: BufferSize) -> bool {
        let Occupancy { packets, bytes } = self.waiting;
        buffer.is_exceeded(self.waiting) || packets > self.rule.limit || bytes > self.rule.memory
    }

    /// Drops half of the packets of the queue with the most bytes, at most [`BATCH`].
    fn drop_from_fattest(&mut self, arriving: &QueuedPacket, discards: &mut Vec<Discard>) {
        let Some(fattest) = self.backlogs.longest() else { return };
        let packets = &mut self.queues[fattest].packets;
        for _ in 0..packets.packets().div_ceil(2).min(BATCH) {
            let Some(packet) = self.packets.pop(packets) else { break };
            self.waiting = self.waiting.without(packet.size);
            discards.push(packet.discarded_for(arriving));
        }
        self.backlogs.set(fattest, packets.backlog());
    }

    fn prefetch_queue(&self, place: usize) {
        prefetch_part(&self.queues[place], 0..size_of::<FlowQueue>());
        self.backlogs.prefetch(place);
    }

    /// Marks a packet that has waited for longer than the threshold for marks.
    fn mark_above_threshold(&self, now: Time, packet: QueuedPacket) -> QueuedPacket {
        let FqCodel { ce_threshold, ce_l4s_only, .. } = self.rule;
        let may = if ce_l4s_only { packet.ecn.is_l4s() } else { packet.ecn != Ecn::NotCapable };
        let marked = packet.marked || may && now.since(packet.arrived) > ce_threshold;
        QueuedPacket { marked, ..packet }
    }
}

impl Scheduler for FlowQueues {
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        let place = self.hash.bucket(packet.flow, self.queues.len() as u32);
        let queue = &mut self.queues[place];
        self.packets.push(&mut queue.packets, packet);
        if !queue.active {
            queue.active = true;
            queue.credit = self.quantum;
            self.order.add(place);
        }
        self.backlogs.set(place, queue.packets.backlog());
        self.waiting = self.waiting.with(packet.size);
        self.largest = self.largest.max(packet.size);
        while self.is_overfull(buffer) {
            self.drop_from_fattest(&packet, discards);
        }
    }

    /// Section 4.2.
    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        loop {
            let (place, is_new) = self.order.first()?;
            let queue = &mut self.queues[place];
            if queue.credit <= 0 {
                queue.credit += self.quantum;
                self.order.defer_first();
                continue;
            }
            let before = queue.packets;
            let mut packets = ListInStore(&mut queue.packets, &mut self.packets);
            let packet = queue.state.dequeue(&self.rule.codel, now, &mut packets, self.largest, discards);
            let after = queue.packets;
            self.backlogs.set(place, after.backlog());
            self.waiting = Occupancy {
                packets: self.waiting.packets - (before.packets() - after.packets()),
                bytes: self.waiting.bytes - Bytes::new(before.bytes() - after.bytes()),
            };
            if let Some(packet) = packet {
                queue.credit = queue.credit.saturating_sub_unsigned(packet.size);
                return Some(self.mark_above_threshold(now, packet));
            }
            if is_new {
                // A queue that alternates between empty and full must not be new each time.
                self.order.defer_first();
            } else {
                queue.active = false;
                self.order.take_first();
            }
        }
    }

    /// The lists advance past empty queues until none is left in them (section 4.2).
    fn on_idle(&mut self, _since: Time) {
        while let Some(place) = self.order.take_first() {
            let queue = &mut self.queues[place];
            queue.active = false;
            queue.state.find_empty();
        }
    }

    fn prefetch(&self, flow: u32) {
        if self.queues.len() > MANY {
            self.prefetch_queue(self.hash.bucket(flow, self.queues.len() as u32));
        }
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        let list = |queue: usize| &self.queues[queue].packets;
        self.packets.prefetch_upcoming(self.order.upcoming(), list, |queue| self.prefetch_queue(queue))
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}
