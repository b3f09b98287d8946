//! Deficit round robin: fair shares in bytes at a constant cost per packet.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::deficit::DeficitQueues;
use crate::queue::parts::flow_hash::FlowHash;
use crate::queue::scheduler::{MANY, Scheduler};
use crate::{BufferSize, Occupancy, RandomStream};

/// Deficit round robin (Shreedhar and Varghese 1996).
///
/// Flows are hashed to queues that take turns. A queue transmits a quantum of bytes per turn; what
/// is left of the quantum is kept for its next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drr {
    /// The number of queues, at least one.
    pub flows: u32,
    /// The bytes that a queue may send per turn.
    pub quantum: u32,
}

impl Discipline for Drr {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "drr",
        title: "flows hashed to queues that share the link in bytes",
        source: "Shreedhar and Varghese, IEEE/ACM ToN 4(3), 1996",
        parameters: &[
            Parameter::new(
                "quantum",
                Unit::Bytes,
                1500.0,
                (64.0, 1e9),
                "the bytes of a queue per turn; at least the largest packet for a constant cost",
            ),
            Parameter::new("flows", Unit::Count, 1024.0, (1.0, 1_048_576.0), "number of queues"),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Drr {
        Drr { flows: values.get("flows") as u32, quantum: values.get("quantum") as u32 }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(DrrQueues::new(*self, site.random()))
    }

    fn memory(&self) -> u64 {
        u64::from(self.flows.max(1)) * DeficitQueues::MEMORY as u64
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct DrrQueues {
    queues: DeficitQueues,
    quantum: u64,
    hash: FlowHash,
}

impl DrrQueues {
    pub(crate) fn new(rule: Drr, random: RandomStream) -> DrrQueues {
        DrrQueues {
            queues: DeficitQueues::new(rule.flows.max(1) as usize),
            quantum: u64::from(rule.quantum.max(1)),
            hash: FlowHash::new(None, random),
        }
    }
}

impl Scheduler for DrrQueues {
    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        let place = self.hash.bucket(packet.flow, self.queues.len() as u32);
        self.queues.enqueue(place, packet, buffer, discards);
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.queues.dequeue(|_| self.quantum)
    }

    fn prefetch(&self, flow: u32) {
        if self.queues.len() > MANY {
            self.queues.prefetch_queue(self.hash.bucket(flow, self.queues.len() as u32));
        }
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        self.queues.prefetch_next()
    }

    fn occupancy(&self) -> Occupancy {
        self.queues.occupancy()
    }
}
