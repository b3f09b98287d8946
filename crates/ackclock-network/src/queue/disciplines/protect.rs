//! A gateway that protects retransmissions.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, Time};

use super::sfq::{self, Buckets, Sfq};
use crate::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::parts::flow_monitor;
use crate::queue::parts::flow_table::FlowTable;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy, RandomStream};

/// A gateway that reserves buffer for retransmissions and serves them first (Chen, Iyengar, Subramanian and Ford,
/// "TCP Behavior in Sub-Packet Regimes", 6.2).
///
/// A retransmission is a packet that ends at or below the highest sequence number of its flow. The gateway keeps that
/// number for a bounded number of flows; a flow removed from the table begins anew. New packets wait in a drop-tail queue
/// or in the buckets of SFQ, and may use the buffer except for the reserve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Protect {
    /// The buckets of new packets; none for one first-in first-out queue.
    pub buckets: Option<Sfq>,
    /// The fraction of the buffer reserved for retransmissions, 0 to 1, rounded to whole packets, at least one. The
    /// paper reserves 5 of 25 packets.
    pub reserve: f64,
    /// A retransmission that finds its reserve full pushes out new packets. The paper's gateway has separate buffers and
    /// drops the retransmission.
    pub pushes_out: bool,
    /// The number of flows in the table.
    pub flows: u32,
}

impl Discipline for Protect {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "protect",
        title: "retransmissions have a reserved part of the buffer and priority",
        source: "Chen et al., TCP Behavior in Sub-Packet Regimes, 6.2",
        parameters: &[
            Parameter::new(
                "buckets",
                Unit::Count,
                0.0,
                (0.0, 1_048_576.0),
                "number of SFQ buckets for new packets; 0: one drop-tail queue",
            ),
            sfq::DEPTH,
            sfq::PERTURBATION,
            Parameter::new(
                "reserve",
                Unit::Number,
                0.2,
                (0.0, 0.9),
                "the part of the buffer reserved for retransmissions, at least a packet",
            ),
            Parameter::switch(
                "pushout",
                false,
                "1: a retransmission that finds no room pushes a new packet out",
            ),
            flow_monitor::FLOWS,
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Protect {
        Protect {
            buckets: values.is_on("buckets").then(|| Sfq::make(values)),
            reserve: values.get("reserve"),
            pushes_out: values.is_on("pushout"),
            flows: values.get("flows") as u32,
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(Gateway::new(self, site.random()))
    }

    fn memory(&self) -> u64 {
        self.buckets.as_ref().map_or(0, Sfq::memory)
    }
}

/// Detects retransmissions by sequence numbers.
#[derive(Clone, Debug)]
pub(crate) struct RetransmissionDetector {
    /// The highest sequence number by flow.
    highest: FlowTable<u64>,
}

impl RetransmissionDetector {
    pub(crate) fn new(flows: u32) -> RetransmissionDetector {
        RetransmissionDetector { highest: FlowTable::new(flows) }
    }

    /// True if an arriving packet is a retransmission of its flow, as far as the table reaches.
    pub(crate) fn is_retransmission(&mut self, now: Time, flow: u32, header: &HeaderView) -> bool {
        if header.first >= header.end {
            return false;
        }
        let highest = self.highest.touch(now, flow);
        let seen = header.end <= *highest;
        *highest = header.end.max(*highest);
        seen
    }
}

/// The state of the gateway.
#[derive(Clone, Debug)]
pub(crate) struct Gateway {
    detector: RetransmissionDetector,
    retransmissions: Fifo,
    new: Buckets,
    reserve: f64,
    pushes_out: bool,
}

impl Gateway {
    pub(crate) fn new(config: &Protect, random: RandomStream) -> Gateway {
        let new = match &config.buckets {
            Some(buckets) => Buckets::new(buckets, random),
            None => Buckets::single(random),
        };
        Gateway {
            detector: RetransmissionDetector::new(config.flows),
            retransmissions: Fifo::default(),
            new,
            reserve: config.reserve,
            pushes_out: config.pushes_out,
        }
    }

    /// The packets of a buffer that are kept for retransmissions: one at least.
    fn reserve_of_packets(&self, all: u32) -> u32 {
        ((f64::from(all) * self.reserve).round() as u32).max(1).min(all)
    }

    fn reserve_of_bytes(&self, all: Bytes) -> Bytes {
        Bytes::new((all.get() as f64 * self.reserve) as u64)
    }

    /// Splits a buffer into the reserve for retransmissions and the part for new packets.
    fn parts(&self, buffer: BufferSize) -> (BufferSize, BufferSize) {
        match buffer {
            BufferSize::Unlimited => (buffer, buffer),
            BufferSize::Packets(all) => {
                let reserve = self.reserve_of_packets(all);
                (BufferSize::Packets(reserve), BufferSize::Packets(all - reserve))
            }
            BufferSize::Bytes(all) => {
                let reserve = self.reserve_of_bytes(all);
                (BufferSize::Bytes(reserve), BufferSize::Bytes(all - reserve))
            }
            BufferSize::PacketsAndBytes(packets, bytes) => {
                let reserve = (self.reserve_of_packets(packets), self.reserve_of_bytes(bytes));
                let rest = (packets - reserve.0, bytes - reserve.1);
                (
                    BufferSize::PacketsAndBytes(reserve.0, reserve.1),
                    BufferSize::PacketsAndBytes(rest.0, rest.1),
                )
            }
        }
    }

    /// Enqueues a retransmission, pushing out new packets if configured.
    fn protect(&mut self, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        let with = |waiting: Occupancy| waiting.with(packet.size);
        if !self.parts(buffer).0.is_exceeded(with(self.retransmissions.occupancy())) {
            self.retransmissions.push(packet);
            return;
        }
        if self.pushes_out {
            while buffer.is_exceeded(with(self.occupancy())) {
                let Some(discarded) = self.new.drop_from_longest() else { break };
                discards.push((discarded, DropReason::PushedOut));
            }
            if !buffer.is_exceeded(with(self.occupancy())) {
                self.retransmissions.push(packet);
                return;
            }
        }
        discards.push((packet, DropReason::Queue));
    }
}

impl Scheduler for Gateway {
    fn reads_headers(&self) -> bool {
        true
    }

    fn protects(&mut self, now: Time, packet: &QueuedPacket, header: &HeaderView) -> bool {
        self.detector.is_retransmission(now, packet.flow, header)
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        if packet.protected {
            self.protect(packet, buffer, discards);
            return;
        }
        self.new.enqueue(now, packet, self.parts(buffer).1, discards);
        // Retransmissions that pushed out new packets may occupy more than the reserve.
        while buffer.is_exceeded(self.occupancy()) {
            let Some(discarded) = self.new.drop_from_longest() else { return };
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.retransmissions.pop().or_else(|| self.new.dequeue(now, discards))
    }

    fn prefetch(&self, flow: u32) {
        self.new.prefetch(flow);
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        self.new.prefetch_next()
    }

    fn occupancy(&self) -> Occupancy {
        self.retransmissions.occupancy().and(self.new.occupancy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing;

    const LIMIT: BufferSize = BufferSize::Packets(25);

    fn gateway(config: &Protect) -> Gateway {
        Gateway::new(config, RandomStream::new(1, "test"))
    }

    /// A packet of a flow comes that carries the byte at `place`: whether it was taken for a retransmission, and what was
    /// given up.
    fn come(gateway: &mut Gateway, number: u32, flow: u32, place: u64) -> (bool, Vec<Discard>) {
        testing::offer(gateway, LIMIT, Time::from_nanos(u64::from(number)), number, flow, place)
    }

    /// 6.2: 20 of 25 packets are for new packets, five for retransmissions, which go first.
    #[test]
    fn the_papers_buffers_are_apart() {
        let mut gateway = gateway(&Protect::default());
        for place in 0..40 {
            let (protected, discards) = come(&mut gateway, place, 0, u64::from(place));
            assert!(!protected && discards.len() == usize::from(place >= 20), "{place}");
        }
        for place in 0..10 {
            let (protected, discards) = come(&mut gateway, 100 + place, 0, u64::from(place));
            assert!(protected, "the gateway has seen {place}");
            assert_eq!(discards.len(), usize::from(place >= 5), "{place}");
        }
        let order: Vec<u32> = (0..7)
            .filter_map(|_| gateway.dequeue(Time::ZERO, &mut Vec::new()))
            .map(|packet| packet.slot)
            .collect();
        assert_eq!(order, [100, 101, 102, 103, 104, 0, 1]);
    }

    /// Dropped packets count as seen: they are the ones retransmitted.
    #[test]
    fn what_it_dropped_is_known_when_it_comes_again() {
        let mut gateway = gateway(&Protect::default());
        (0..21).for_each(|place| drop(come(&mut gateway, place, 0, u64::from(place))));
        assert!(!come(&mut gateway, 21, 1, 20).0, "another flow");
        assert!(come(&mut gateway, 23, 0, 20).0);
        assert!(!come(&mut gateway, 24, 0, 21).0);
    }

    /// With push-out no retransmission is dropped while a new packet waits, under drop-tail as under SFQ.
    #[test]
    fn retransmissions_push_new_packets_out() {
        for buckets in [None, Some(Sfq { buckets: 5, ..Sfq::default() })] {
            let mut gateway = gateway(&Protect { buckets, pushes_out: true, ..Protect::default() });
            (0..40).for_each(|place| drop(come(&mut gateway, place, place % 4, u64::from(place))));
            for place in 0..40 {
                let (protected, discards) = come(&mut gateway, 100 + place, place % 4, u64::from(place));
                assert!(protected);
                let refused = discards.iter().any(|(packet, _)| packet.slot == 100 + place);
                assert_eq!(refused, place >= 25, "{place} with {} new ones", gateway.new.occupancy().packets);
                assert!(!LIMIT.is_exceeded(gateway.occupancy()));
            }
        }
    }

    #[test]
    fn the_latest_flows_are_remembered() {
        let mut gateway = gateway(&Protect { flows: 8, ..Protect::default() });
        (0..100).for_each(|flow| drop(come(&mut gateway, flow, flow, 0)));
        assert!(come(&mut gateway, 100, 99, 0).0);
        assert!(!come(&mut gateway, 101, 0, 0).0, "forgotten, and so taken for new");
    }
}
