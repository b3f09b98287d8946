//! Admission control: a new flow passes only while there are few.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::active_flows::{self, ActiveFlows};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, HeaderView, Occupancy};

/// The default of the memory in seconds: a round trip and the first timeout of a flow that goes on.
const MEMORY_S: f64 = 2.0;

/// First in, first out, for a limited number of active flows: the packets of any other flow are dropped,
/// beginning with its connection request, so that it begins after another flow has ended.
///
/// The FIN or RST of a flow frees its place. What it sends again afterwards passes without one.
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
            active_flows::memory(MEMORY_S),
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
    /// The flows that hold a place.
    flows: ActiveFlows,
    /// The flows that have closed, whose retransmissions may follow.
    closed: ActiveFlows,
    queue: Fifo,
    /// True if the arriving packet closes its flow.
    closes: bool,
}

impl AdmissionQueue {
    pub(crate) fn new(config: Admission) -> AdmissionQueue {
        let flows = ActiveFlows::new(config.memory);
        let closed = flows.clone();
        AdmissionQueue { most: config.flows, flows, closed, queue: Fifo::default(), closes: false }
    }
}

impl Scheduler for AdmissionQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    /// Protects no packet.
    fn protects(&mut self, _: Time, _: &QueuedPacket, header: &HeaderView) -> bool {
        self.closes = header.closes;
        false
    }

    /// A flow is admitted when its first packet finds room.
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.flows.forget(now);
        self.closed.forget(now);
        let is_closed = self.closes || self.closed.contains(packet.flow);
        let is_known = self.flows.contains(packet.flow) || self.closed.contains(packet.flow);
        if !is_known && self.flows.count() >= self.most {
            discards.push((packet, DropReason::Early));
            return;
        }
        let fits = !buffer.is_exceeded(self.queue.occupancy().with(packet.size));
        if is_closed && (is_known || fits) {
            self.flows.remove(packet.flow);
            self.closed.note(packet.flow, now);
        } else if is_known || fits {
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
    use crate::Ecn;
    use crate::queue::testing;

    #[test]
    fn a_flow_waits_for_the_silence_of_another() {
        let config = Admission { flows: 2, memory: Duration::from_secs(20) };
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

    /// Offers a packet at a time in milliseconds, with room for four. Returns the reason for its drop, if it is dropped.
    fn offer(queue: &mut AdmissionQueue, millis: u64, flow: u32, closes: bool) -> Option<DropReason> {
        let arrived = Time::ZERO + Duration::from_millis(millis);
        let packet = QueuedPacket { flow, ..testing::queued(0, arrived, Ecn::NotCapable) };
        let header = HeaderView { end: 1, closes, ..HeaderView::default() };
        let (_, discards) = testing::offer_with(queue, BufferSize::Packets(4), packet, &header);
        discards.first().map(|(_, reason)| *reason)
    }

    /// The FIN or RST of a flow makes room at once, even if the buffer has no room for it, since the flow sends it again.
    #[test]
    fn a_flow_that_closes_makes_room_at_once() {
        let mut queue = AdmissionQueue::new(Admission { flows: 1, ..Admission::default() });
        assert_eq!(offer(&mut queue, 0, 0, false), None);
        assert_eq!(offer(&mut queue, 1, 1, false), Some(DropReason::Early), "the place is taken");
        assert_eq!(offer(&mut queue, 2, 0, true), None);
        assert_eq!(offer(&mut queue, 3, 1, false), None, "in the place of flow 0");
        assert_eq!(offer(&mut queue, 4, 1, false), None);
        assert_eq!(offer(&mut queue, 5, 1, true), Some(DropReason::Queue), "four wait already");
        queue.dequeue(Time::ZERO, &mut Vec::new());
        assert_eq!(offer(&mut queue, 6, 2, false), None, "in the place of flow 1");
    }

    /// A closed flow repairs its losses without a place, until it is silent for the memory.
    #[test]
    fn what_a_closed_flow_sends_again_needs_no_place() {
        let mut queue = AdmissionQueue::new(Admission { flows: 1, memory: Duration::from_secs(3) });
        assert_eq!(offer(&mut queue, 0, 0, true), None);
        let mut both = |seconds: u64, first: u32| {
            let found = [first, 1].map(|flow| offer(&mut queue, 1000 * seconds, flow, false));
            while queue.dequeue(Time::ZERO, &mut Vec::new()).is_some() {}
            found
        };
        assert_eq!(both(2, 1), [None, None]);
        assert_eq!(both(2, 0), [None, None]);
        assert_eq!(both(4, 2), [Some(DropReason::Early), None]);
        assert_eq!(both(6, 0), [Some(DropReason::Early), None], "silent for 4 s");
    }
}
