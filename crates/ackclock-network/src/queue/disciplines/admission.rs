//! Admission control: a new flow passes only while there are few.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::active_flows::{self, ActiveFlows};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy};

/// First in, first out, for a limited number of active flows: the packets of any other flow are dropped,
/// beginning with its connection request, so that it begins after another flow has ended.
///
/// Admission control for TCP flows is argued for by Massoulié and Roberts (1999), whom Chen et al., "TCP Behavior in
/// Sub-Packet Regimes", cite; without it drop-tail performs "arbitrary admission control" (2.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admission {
    /// The most flows at one time.
    pub flows: u32,
    /// The time for which a flow without a packet is active.
    pub memory: Duration,
}

impl Discipline for Admission {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "admission",
        title: "admits a new flow only while fewer than a number of flows are active",
        source: "Massoulié and Roberts 1999, by Chen et al., TCP Behavior in Sub-Packet Regimes, 2.3 and 7",
        parameters: &[
            Parameter::new("flows", Unit::Count, 50.0, (1.0, 1_048_576.0), "the most active flows"),
            active_flows::MEMORY,
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Admission {
        Admission { flows: values.get("flows") as u32, memory: values.duration("memory") }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(AdmissionQueue::new(*self))
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct AdmissionQueue {
    most: u32,
    flows: ActiveFlows,
    queue: Fifo,
}

impl AdmissionQueue {
    pub(crate) fn new(config: Admission) -> AdmissionQueue {
        let flows = ActiveFlows::new(config.memory);
        AdmissionQueue { most: config.flows, flows, queue: Fifo::default() }
    }
}

impl Scheduler for AdmissionQueue {
    /// A flow is admitted when its first packet finds room.
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.flows.forget(now);
        let is_admitted = self.flows.contains(packet.flow);
        if !is_admitted && self.flows.count() >= self.most {
            discards.push((packet, DropReason::Early));
            return;
        }
        let fits = !buffer.is_exceeded(self.queue.occupancy().with(packet.size));
        if is_admitted || fits {
            self.flows.note(packet.flow, now);
        }
        if fits {
            self.queue.push(packet);
        } else {
            discards.push((packet, DropReason::Queue));
        }
    }

    fn dequeue(&mut self, _now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.queue.pop()
    }

    fn occupancy(&self) -> Occupancy {
        self.queue.occupancy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing;

    #[test]
    fn a_flow_waits_for_the_end_of_another() {
        let config = Admission { flows: 2, ..Admission::default() };
        let mut queue = AdmissionQueue::new(config);
        let mut arrive = |second: u64, flow: u32| {
            let now = Time::ZERO + Duration::from_secs(second);
            testing::offer(&mut queue, BufferSize::Packets(100), now, flow, flow, second).1.is_empty()
        };
        assert!(arrive(0, 0) && arrive(0, 1));
        assert!(!arrive(1, 2), "two are there");
        assert!(arrive(1, 1), "which go on");
        assert!(!arrive(15, 2));
        // Flow 0 has been silent for more than 20 s, flow 1 has not.
        assert!(arrive(20, 1) && arrive(23, 2));
        assert!(!arrive(23, 0));
    }
}
