//! The edge router of RIO-PS: it marks the first packets of each flow In, all others Out.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::parts::short_flows::{self, ShortFlows};
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy};

/// First in, first out, with tail drop. Every packet is marked In or Out on arrival, whatever its mark
/// was before (RFC 2475, section 2.3.3.2).
///
/// "Border routers identify small (In) and bigger (Out) flows" (burst-tcp, 3.3.3, of Guo and Matta 2001).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The number of packets at the beginning of a flow that are marked In.
    pub short: u32,
    /// The number of flows whose packets are counted.
    pub flows: u32,
}

impl Discipline for Marker {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "marker",
        title: "first in, first out; marks the first packets of each flow In, all others Out",
        source: "Guo and Matta, ICNP 2001; burst-tcp, 3.3.3; RFC 2475, 2.3.3.2",
        parameters: &[
            Parameter::new(
                "short",
                Unit::Packets,
                short_flows::SHORT,
                (0.0, 1e9),
                "packets of a flow that are marked In, from its first on",
            ),
            short_flows::FLOWS,
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Marker {
        Marker { short: values.get("short") as u32, flows: values.get("flows") as u32 }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(MarkerQueue::new(*self))
    }
}

/// The state of one queue.
#[derive(Clone, Debug)]
pub(crate) struct MarkerQueue {
    first: ShortFlows,
    waiting: Fifo,
}

impl MarkerQueue {
    pub(crate) fn new(rule: Marker) -> MarkerQueue {
        MarkerQueue { first: ShortFlows::new(rule.short, rule.flows), waiting: Fifo::default() }
    }
}

impl Scheduler for MarkerQueue {
    fn reads_headers(&self) -> bool {
        true
    }

    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.first.is_among_the_first(now, packet.flow, header.opens)
    }

    fn marks_profile(&self) -> bool {
        true
    }

    fn enqueue(&mut self, _now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        if buffer.admits(packet.size, self.waiting.occupancy()) {
            self.waiting.push(packet);
        } else {
            discards.push((packet, DropReason::Queue));
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
    use super::*;
    use crate::queue::testing::offer;

    fn kinds(queue: &mut MarkerQueue, flow: u32) -> [bool; 4] {
        [0, 1, 2, 3].map(|place| offer(queue, BufferSize::Unlimited, Time::ZERO, 0, flow, place).0)
    }

    /// Each flow has its own count.
    #[test]
    fn the_first_packets_of_each_flow_are_marked() {
        let mut queue = MarkerQueue::new(Marker { short: 3, ..Marker::default() });
        for flow in 0..3 {
            assert_eq!(kinds(&mut queue, flow), [true, true, true, false]);
        }
    }

    /// A buffer of two packets drops the third, whatever its kind.
    #[test]
    fn what_does_not_fit_is_dropped() {
        let mut queue = MarkerQueue::new(Marker::default());
        let discards =
            [0, 1, 2].map(|slot| offer(&mut queue, BufferSize::Packets(2), Time::ZERO, slot, 0, 0).1.len());
        assert_eq!(discards, [0, 0, 1]);
    }
}
