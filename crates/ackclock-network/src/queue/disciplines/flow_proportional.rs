//! A buffer in proportion to the number of flows.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::active_flows::{self, ActiveFlows};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy};

/// First in, first out, with a buffer in proportion to the number of active flows, at most as large as
/// the link's own.
///
/// "Provisioning the bottleneck router to buffer up to 10 packets per flow restores fairness" (Chen et al., "TCP Behavior
/// in Sub-Packet Regimes", 2.4.1, of Morris 1997).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowProportional {
    /// The packets that may wait for each flow.
    pub per_flow: f64,
    /// The time for which a flow without a packet is active.
    pub memory: Duration,
}

impl Discipline for FlowProportional {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "flow-proportional",
        title: "a buffer in proportion to the number of active flows",
        source: "Morris 1997, by Chen et al., TCP Behavior in Sub-Packet Regimes, 2.4.1",
        parameters: &[
            Parameter::new(
                "per_flow",
                Unit::Packets,
                10.0,
                (0.01, 1e6),
                "the packets that may wait for each active flow",
            ),
            active_flows::memory(20.0),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> FlowProportional {
        FlowProportional { per_flow: values.get("per_flow"), memory: values.duration("memory") }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(ProportionalQueue::new(*self))
    }

    fn buffer_of(&self, flows: u32) -> Option<f64> {
        Some(self.per_flow * f64::from(flows))
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct ProportionalQueue {
    per_flow: f64,
    flows: ActiveFlows,
    queue: Fifo,
}

impl ProportionalQueue {
    pub(crate) fn new(config: FlowProportional) -> ProportionalQueue {
        let flows = ActiveFlows::new(config.memory);
        ProportionalQueue { per_flow: config.per_flow, flows, queue: Fifo::default() }
    }
}

impl Scheduler for ProportionalQueue {
    /// At least one packet may wait, however small the buffer per flow.
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.flows.forget(now);
        self.flows.note(packet.flow, now);
        let most = (self.per_flow * f64::from(self.flows.count())).max(1.0);
        let with_it = self.queue.occupancy().with(packet.size);
        if f64::from(with_it.packets) > most || buffer.is_exceeded(with_it) {
            discards.push((packet, DropReason::Queue));
        } else {
            self.queue.push(packet);
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

    /// The number of packets that wait after `each` of `flows` flows have arrived, at a time in seconds.
    fn fill(queue: &mut ProportionalQueue, second: u64, flows: std::ops::Range<u32>, each: u64) -> u32 {
        for place in 0..each {
            for flow in flows.clone() {
                let now = Time::ZERO + Duration::from_secs(second);
                testing::offer(queue, BufferSize::Packets(45), now, flow, flow, place);
            }
        }
        queue.occupancy().packets
    }

    #[test]
    fn the_buffer_grows_and_shrinks_with_the_flows() {
        let mut queue = ProportionalQueue::new(FlowProportional::default());
        assert_eq!(fill(&mut queue, 0, 0..1, 30), 10);
        assert_eq!(fill(&mut queue, 1, 0..3, 30), 30);
        // The link's own buffer ends it.
        assert_eq!(fill(&mut queue, 2, 0..7, 30), 45);
        while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {}
        // Twenty seconds later all but one are forgotten.
        assert_eq!(fill(&mut queue, 30, 9..10, 30), 10);
    }
}
