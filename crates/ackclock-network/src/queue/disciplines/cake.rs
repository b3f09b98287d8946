//! CAKE: a shaper, tins of traffic, flow queues with parts for hosts, COBALT in each, and a filter of acknowledgments.

mod ack_filter;
mod framing;
mod hosts;
mod shaper;
mod tin;
mod tins;

use std::sync::Arc;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, Duration, Rate, Time};

pub use self::ack_filter::AckFilter;
use self::ack_filter::Acknowledgments;
pub use self::framing::{Framing, LinkLayer};
pub use self::hosts::Isolation;
use self::hosts::{Hashes, QUEUES};
use self::shaper::{Shaper, TinClock};
use self::tin::Tin;
use self::tins::Share;
pub use self::tins::Tins;
use super::cobalt::{Cobalt, CobaltRule, FRAME};
use super::codel::Codel;
use crate::packet::gateway_view::GatewayView;
use crate::packet::header::flow_of;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::arriving::Verdict;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::backlogs::Backlogs;
use crate::queue::parts::classifier::Classifier;
use crate::queue::parts::flow_hash::FlowHash;
use crate::queue::parts::packet_lists::PacketStore;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy, RandomStream};

/// Common Applications Kept Enhanced (Linux, `sch_cake`): the queue management of a home gateway.
///
/// A shaper without bursts holds packets back, so that the queue is here and not in the modem behind. Packets are sorted into tins
/// by their DSCP; a tin within its share of the bandwidth precedes those before it. In a tin each flow has a queue with COBALT,
/// new queues precede old ones for a quantum, and a host's queues share its part. At a full buffer the longest queue of all loses
/// its oldest packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cake {
    /// The rate of the shaper; none for the rate of the link.
    pub bandwidth: Option<Rate>,
    /// The round-trip time for which COBALT is set: its interval. Its target is a twentieth.
    pub rtt: Duration,
    /// The tins.
    pub tins: Tins,
    /// The packets that share a queue, and those between whom the bandwidth is shared.
    pub isolation: Isolation,
    /// The rule by which waiting acknowledgments are dropped.
    pub ack_filter: AckFilter,
    /// The overhead of the access link, for which the shaper charges.
    pub framing: Framing,
    /// Packets dropped are charged too: they have crossed the bottleneck, which is before this queue.
    pub ingress: bool,
    /// The most bytes that wait, in addition to the link's buffer; none for a number that follows from bandwidth and RTT.
    pub memory: Option<Bytes>,
}

impl Discipline for Cake {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "cake",
        title: "a shaper, tins by DSCP, and flow queues with equal parts for hosts and COBALT's rule",
        source: "Høiland-Jørgensen, Täht and Morton, LANMAN 2018; Linux sch_cake; tc-cake(8)",
        parameters: &[
            Parameter::new(
                "bandwidth",
                Unit::BitsPerSecond,
                f64::INFINITY,
                (512.0, f64::INFINITY),
                "the rate of the shaper; inf: none, the link's own rate",
            ),
            Parameter::new(
                "rtt",
                Unit::Milliseconds,
                100.0,
                (0.001, 3.6e6),
                "the round-trip time of most flows: COBALT's interval, and twenty times its target",
            ),
            Parameter::choice("tins", Tins::NAMES, 1, "the tins by DSCP"),
            Parameter::choice(
                "isolation",
                Isolation::NAMES,
                7,
                "what shares a queue, and between whom the bandwidth is shared",
            ),
            Parameter::choice(
                "ack_filter",
                AckFilter::NAMES,
                0,
                "on: of superfluous acknowledgments two wait; aggressive: one",
            ),
            Parameter::new(
                "overhead",
                Unit::Bytes,
                0.0,
                (-64.0, 256.0),
                "added to each packet by the shaper",
            ),
            Parameter::new(
                "mpu",
                Unit::Bytes,
                0.0,
                (0.0, 256.0),
                "the least size of a packet with its overhead",
            ),
            Parameter::choice(
                "link_layer",
                LinkLayer::NAMES,
                0,
                "atm: in cells, 53 bytes for 48; ptm: 65 bytes for 64",
            ),
            Parameter::switch("ingress", false, "1: the shaper charges packets that are dropped here, too"),
            Parameter::new(
                "memlimit",
                Unit::Bytes,
                0.0,
                (0.0, 1e15),
                "the limit of all queues together, in addition to the link's buffer; 0: by bandwidth and rtt",
            ),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Cake {
        let choice = |name| values.get(name) as usize;
        let bandwidth = values.get("bandwidth");
        let memory = values.get("memlimit") as u64;
        Cake {
            bandwidth: bandwidth.is_finite().then(|| Rate::from_bits_per_second(bandwidth as u64)),
            rtt: values.duration("rtt"),
            tins: Tins::ALL[choice("tins")],
            isolation: Isolation::ALL[choice("isolation")],
            ack_filter: AckFilter::ALL[choice("ack_filter")],
            framing: Framing {
                overhead: values.get("overhead") as i32,
                mpu: values.get("mpu") as u32,
                link_layer: LinkLayer::ALL[choice("link_layer")],
            },
            ingress: values.is_on("ingress"),
            memory: (memory > 0).then(|| Bytes::new(memory)),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(CakeQueue::new(*self, site.random()))
    }

    fn memory(&self) -> u64 {
        let tins = self.tins.shares(None).len();
        (tins * (Tin::MEMORY + QUEUES * Backlogs::MEMORY)) as u64
    }
}

/// The most packets of an Ethernet frame that wait (`sch->limit`), if no memory limit is given.
const MOST_PACKETS: u64 = 10_240;

/// The least memory limit with a shaper.
const LEAST_MEMORY: u64 = 4 << 20;

impl Cake {
    /// Bytes per second of the shaper.
    fn bytes_per_second(&self) -> Option<u64> {
        self.bandwidth.map(|rate| rate.bits_per_second() / 8)
    }

    /// The most bytes that wait: four times the bandwidth-delay product, at least 4 MiB.
    fn most_bytes(&self) -> Bytes {
        let by_rate = |rate: u64| (4.0 * rate as f64 * self.rtt.as_secs_f64()) as u64;
        let wanted = self.bytes_per_second().map_or(u64::MAX, |rate| by_rate(rate).max(LEAST_MEMORY));
        self.memory.unwrap_or(Bytes::new(wanted.min(MOST_PACKETS * FRAME)))
    }

    /// A tin with this share (`cake_set_rate`).
    fn tin(&self, share: Share) -> Tin {
        let rate = share.rate.map(|rate| Rate::from_bits_per_second(8 * rate.max(64)));
        let frame = rate.map_or(Duration::ZERO, |rate| rate.transmission_time(Bytes::new(FRAME)));
        let least_target = self.rtt.mul_f64(1.0 / 20.0);
        let target = frame.mul_f64(1.5).max(least_target);
        let interval = (self.rtt + target.saturating_sub(least_target)).max(target.saturating_mul(2));
        let codel = Codel { target, interval, marks: true };
        let cobalt = Cobalt { codel, ..Cobalt::default() };
        let quantum = share.rate.map_or(FRAME, |rate| (rate / 4096).clamp(300, FRAME)) as u32;
        let clock = rate.map(TinClock::new);
        Tin::new(self.isolation, CobaltRule { cobalt, frame }, clock, (quantum, share.weight))
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct CakeQueue {
    rule: Cake,
    most_bytes: Bytes,
    shaper: Option<Shaper>,
    tins: Vec<Tin>,
    /// The tin that is served.
    current: usize,
    packets: PacketStore,
    waiting: Occupancy,
    /// The bytes in each queue of each tin.
    backlogs: Backlogs,
    hash: FlowHash,
    random: RandomStream,
    classifier: Classifier,
    hosts: Arc<[[u32; 2]]>,
    acknowledgments: Acknowledgments,
    /// The headers of the arriving packet.
    view: GatewayView,
}

/// The answer of a queue that is asked for a packet.
enum Taken {
    Packet(QueuedPacket),
    /// Its oldest packet was dropped and charged.
    Dropped,
    Nothing,
}

impl CakeQueue {
    pub(crate) fn new(rule: Cake, mut random: RandomStream) -> CakeQueue {
        let tins: Vec<Tin> =
            rule.tins.shares(rule.bytes_per_second()).into_iter().map(|share| rule.tin(share)).collect();
        CakeQueue {
            rule,
            most_bytes: rule.most_bytes(),
            shaper: rule
                .bytes_per_second()
                .map(|rate| Shaper::new(Rate::from_bits_per_second(8 * rate.max(64)))),
            current: 0,
            packets: PacketStore::default(),
            waiting: Occupancy::default(),
            backlogs: Backlogs::new(tins.len() * QUEUES),
            tins,
            hash: FlowHash::new(None, RandomStream::new(random.bits(), "hash")),
            random,
            classifier: Classifier::default(),
            hosts: Arc::default(),
            acknowledgments: Acknowledgments::default(),
            view: GatewayView::default(),
        }
    }

    /// The tin of an arriving packet.
    fn tin_of(&self, packet: &QueuedPacket) -> usize {
        let selector = || (self.classifier.class(packet) as u8) << 3;
        self.rule.tins.tin_of(self.view.dscp.unwrap_or_else(selector))
    }

    /// The hashes of an arriving packet. A host has one as a sender and another as a receiver.
    fn hashes(&self, packet: &QueuedPacket) -> Hashes {
        let hosts = self.view.hosts.unwrap_or_else(|| {
            let [one, other] = self.hosts.get(flow_of(packet.flow) as usize).copied().unwrap_or_default();
            if self.view.is_backward { [other, one] } else { [one, other] }
        });
        let [source, destination] = hosts.map(u64::from);
        let hash = |kind: u64, number: u64| self.hash.of(kind << 32 | number) as u32;
        Hashes {
            flow: hash(0, u64::from(packet.flow)),
            source: hash(1, source),
            destination: hash(2, destination),
        }
    }

    /// Removes the oldest packet of a queue.
    fn pop(&mut self, tin: usize, place: usize) -> Option<QueuedPacket> {
        let packet = self.packets.pop(&mut self.tins[tin].queues[place].packets)?;
        self.settle(tin, place, &packet);
        Some(packet)
    }

    /// Accounts for a packet that has left a queue.
    fn settle(&mut self, tin: usize, place: usize, packet: &QueuedPacket) {
        self.waiting = self.waiting.without(packet.size);
        self.tins[tin].waiting -= 1;
        self.backlogs.set(tin * QUEUES + place, self.tins[tin].queues[place].packets.backlog());
    }

    /// Charges the clocks for a packet. Returns its bytes on the access link.
    fn charge(&mut self, now: Time, tin: usize, size: u32, is_dropped: bool) -> i64 {
        let bytes = self.rule.framing.charged(size);
        if let Some(clock) = &mut self.tins[tin].clock {
            clock.charge(now, bytes);
        }
        if let Some(shaper) = &mut self.shaper {
            shaper.charge(bytes, is_dropped);
        }
        i64::from(bytes)
    }

    /// Drops the waiting acknowledgment that the latest packet of a queue makes superfluous.
    fn filter(&mut self, now: Time, tin: usize, place: usize, latest: &QueuedPacket) -> Option<Discard> {
        let list = &mut self.tins[tin].queues[place].packets;
        let is_aggressive = self.rule.ack_filter == AckFilter::Aggressive;
        let waiting = self.packets.iter(list);
        let superfluous = self.acknowledgments.superfluous(is_aggressive, waiting, latest)?;
        let packet = self.packets.remove(list, superfluous);
        self.settle(tin, place, &packet);
        if self.rule.ingress {
            self.charge(now, tin, packet.size, true);
        }
        Some((packet, DropReason::Thinned))
    }

    /// Drops the oldest packet of the queue with the most bytes.
    fn drop_from_longest(&mut self, now: Time) -> Option<QueuedPacket> {
        let longest = self.backlogs.longest()?;
        let (tin, place) = (longest / QUEUES, longest % QUEUES);
        let packet = self.pop(tin, place)?;
        let Tin { queues, rule, .. } = &mut self.tins[tin];
        queues[place].cobalt.overflow(rule, now);
        if self.rule.ingress {
            self.charge(now, tin, packet.size, true);
        }
        Some(packet)
    }

    /// Chooses the tin to serve. A packet waits in some tin.
    fn choose_tin(&mut self, now: Time) {
        if self.shaper.is_some() {
            // The last tin within its share, else the one that will be first, the later one if two will.
            let active = self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active());
            let due = |tin: &Tin| tin.clock.as_ref().map_or(Time::ZERO, TinClock::next).max(now);
            let chosen = active.rev().min_by_key(|(_, tin)| due(tin));
            self.current = chosen.map_or(self.current, |(tin, _)| tin);
            return;
        }
        // Weighted round robin, in bytes.
        loop {
            let count = self.tins.len();
            let tin = &mut self.tins[self.current];
            if tin.credit >= 0 && tin.is_active() {
                return;
            }
            if tin.credit <= 0 {
                tin.credit += i64::from(tin.weight);
            }
            self.current = (self.current + 1) % count;
        }
    }

    /// Serves the current tin: its next packet, or none if a queue was found empty, after which another tin may be due.
    fn serve(&mut self, now: Time, decays: &mut bool, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        loop {
            let tin = &mut self.tins[self.current];
            let (place, list) = tin.first(std::mem::take(decays))?;
            if tin.queues[place].credit <= 0 {
                tin.end_turn(place, &mut self.random);
                continue;
            }
            match self.take(now, place, discards) {
                Taken::Packet(packet) => return Some(packet),
                Taken::Dropped => {}
                Taken::Nothing => {
                    self.tins[self.current].retire(now, (place, list));
                    return None;
                }
            }
        }
    }

    /// Takes the oldest packet of a queue that COBALT does not drop.
    fn take(&mut self, now: Time, place: usize, discards: &mut Vec<Discard>) -> Taken {
        let at = self.current;
        loop {
            let Some(packet) = self.pop(at, place) else { return Taken::Nothing };
            let tin = &mut self.tins[at];
            let frames = if self.rule.ingress { u64::from(tin.bulk()) } else { 0 };
            let queue = &mut tin.queues[place];
            let verdict = queue.cobalt.judge(&tin.rule, now, &packet, frames, &mut self.random);
            // The last packet is not dropped: nothing would be left to transmit.
            let is_dropped = verdict == Verdict::Drop && !queue.packets.is_empty();
            if !is_dropped || self.rule.ingress {
                let bytes = self.charge(now, at, packet.size, is_dropped);
                self.tins[at].queues[place].credit -= bytes;
                self.tins[at].credit -= bytes;
            }
            if !is_dropped {
                return Taken::Packet(QueuedPacket { marked: verdict == Verdict::MarkOrDrop, ..packet });
            }
            discards.push((packet, DropReason::Early));
            if self.rule.ingress {
                return Taken::Dropped;
            }
        }
    }
}

impl Scheduler for CakeQueue {
    fn reads_as_gateway(&self) -> bool {
        true
    }

    fn note_view(&mut self, view: &GatewayView) {
        self.view = *view;
    }

    fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.classifier = Classifier(Arc::clone(classes));
    }

    fn set_hosts(&mut self, hosts: &Arc<[[u32; 2]]>) {
        self.hosts = Arc::clone(hosts);
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        let (at, hashes) = (self.tin_of(&packet), self.hashes(&packet));
        if let Some(shaper) = self.shaper.as_mut().filter(|_| self.waiting.packets == 0) {
            shaper.begin(now);
        }
        let tin = &mut self.tins[at];
        if let Some(clock) = tin.clock.as_mut().filter(|_| tin.waiting == 0) {
            clock.begin(now);
        }
        let place = tin.place(&hashes);
        self.packets.push(&mut tin.queues[place].packets, packet);
        tin.waiting += 1;
        self.waiting = self.waiting.with(packet.size);
        self.backlogs.set(at * QUEUES + place, tin.queues[place].packets.backlog());
        if self.rule.ack_filter != AckFilter::Off {
            self.acknowledgments.note(packet.slot, self.view.acknowledgment);
            discards.extend(self.filter(now, at, place, &packet));
        }
        self.tins[at].activate(place, &mut self.random);
        while buffer.is_exceeded(self.waiting) || self.waiting.bytes > self.most_bytes {
            let Some(discarded) = self.drop_from_longest(now) else { return };
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        let mut decays = true;
        while self.waiting.packets > 0 && self.shaper.as_ref().is_none_or(|shaper| shaper.opens_at() <= now) {
            self.choose_tin(now);
            if let Some(packet) = self.serve(now, &mut decays, discards) {
                return Some(packet);
            }
        }
        None
    }

    fn held_until(&self) -> Option<Time> {
        self.shaper.as_ref().filter(|_| self.waiting.packets > 0).map(Shaper::opens_at)
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}
