//! Flow queueing with the proportional integral controller, enhanced: a queue per hash of flows, each with PIE.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_memory::{memory_of, prefetch};
use ackclock_units::{Duration, Time};

use super::fq_codel;
use super::pie::scale;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::flow_hash::FlowHash;
use crate::queue::parts::new_and_old::NewAndOld;
use crate::queue::parts::packet_lists::{PacketList, PacketStore};
use crate::queue::scheduler::{MANY, Scheduler};
use crate::{BufferSize, DropReason, Ecn, Occupancy, RandomStream};

/// Flow queueing with PIE, as in Linux (`sch_fq_pie`).
///
/// Flows are hashed to queues, which share the link as in FQ-CoDel. Each queue has its own drop probability, which
/// depends on how long departing packets have waited. Packets are dropped on arrival only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqPie {
    /// The number of queues, at least one.
    pub flows: u32,
    /// The bytes that a queue may send per round.
    pub quantum: u32,
    /// The most packets in all queues, within the link's buffer.
    pub limit: u32,
    /// The target queueing delay.
    pub target: Duration,
    /// The period of updates of the probabilities.
    pub update: Duration,
    /// The weight of the distance to the target, per second.
    pub alpha: f64,
    /// The weight of the growth of the queueing delay, per second.
    pub beta: f64,
    /// The highest probability at which ECN-capable packets are marked instead of dropped; below zero for no marks.
    pub mark_up_to: f64,
}

impl Discipline for FqPie {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "fq-pie",
        title: "a queue for each hash of flows, new ones first, each with PIE's rule",
        source: "Linux sch_fq_pie; RFC 8033",
        parameters: &[
            Parameter::new("target", Unit::Milliseconds, 15.0, (0.001, 1e6), "the target queueing delay"),
            Parameter::new(
                "update",
                Unit::Milliseconds,
                15.0,
                (0.001, 1e6),
                "the interval between updates of the probabilities (tupdate)",
            ),
            Parameter::new(
                "alpha",
                Unit::Number,
                0.125,
                (0.0, 1e3),
                "the gain per second of deviation from the target",
            ),
            Parameter::new(
                "beta",
                Unit::Number,
                1.25,
                (0.0, 1e3),
                "the gain per second of growth since the last update",
            ),
            Parameter::new(
                "quantum",
                Unit::Bytes,
                1514.0,
                (1.0, 1_048_576.0),
                "the credit of a queue per turn: an Ethernet frame",
            ),
            fq_codel::FLOWS,
            fq_codel::LIMIT,
            Parameter::new(
                "mark_up_to",
                Unit::Number,
                0.1,
                (0.0, 1.0),
                "the probability up to which marks replace drops (ecn_prob)",
            ),
            Parameter::switch("ecn", true, "1: marks replace drops; 0: packets are dropped"),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> FqPie {
        FqPie {
            flows: values.get("flows") as u32,
            quantum: values.get("quantum") as u32,
            limit: values.get("limit") as u32,
            target: values.duration("target"),
            update: values.duration("update"),
            alpha: values.get("alpha"),
            beta: values.get("beta"),
            mark_up_to: if values.is_on("ecn") { values.get("mark_up_to") } else { -1.0 },
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(PieQueues::new(*self, site.random()))
    }

    fn memory(&self) -> u64 {
        u64::from(self.flows.max(1)) * size_of::<PieQueue>() as u64
    }

    fn update_period(&self) -> Option<Duration> {
        Some(self.update)
    }
}

/// The longest burst that is admitted after a time without congestion.
const MAX_BURST: Duration = Duration::from_millis(150);
/// Above this queueing delay, a probability grows by another [`STEP`] per update.
const LONG_WAIT: Duration = Duration::from_millis(250);
/// The most by which a probability grows per update, once it is 0.1.
const STEP: f64 = 0.02;
/// A queue of up to this many bytes does not count as one: two Ethernet frames.
const SHORT: u64 = 2 * 1514;

/// The drop probability of one queue.
#[derive(Clone, Debug)]
struct FlowPie {
    probability: f64,
    /// The sum of the probabilities since the last drop.
    accumulated: f64,
    burst: Duration,
    /// The queueing delay of the packet that departed last; zero if it left the queue empty.
    delay: Duration,
    /// The queueing delay at the last update.
    before: Duration,
    departed: Option<Time>,
    next_update: Time,
}

impl FlowPie {
    fn new(rule: &FqPie) -> FlowPie {
        FlowPie {
            probability: 0.0,
            accumulated: 0.0,
            burst: MAX_BURST,
            delay: Duration::ZERO,
            before: Duration::ZERO,
            departed: None,
            next_update: Time::ZERO + rule.update,
        }
    }

    /// Makes the updates due by now; `backlog` bytes have waited since the last packet arrived or departed.
    fn update_to(&mut self, rule: &FqPie, now: Time, backlog: u64) {
        while self.next_update <= now {
            let state = (self.probability.to_bits(), self.before);
            self.update(rule, backlog);
            self.next_update += rule.update;
            if (self.probability.to_bits(), self.before) == state && self.next_update <= now {
                // Further updates would change nothing either, for example at a probability of 0 or 1.
                let periods = now.since(self.next_update).as_nanos() / rule.update.as_nanos();
                self.next_update += rule.update.saturating_mul(periods + 1);
            }
        }
    }

    fn update(&mut self, rule: &FqPie, backlog: u64) {
        let error = self.delay.as_secs_f64() - rule.target.as_secs_f64();
        let growth = self.delay.as_secs_f64() - self.before.as_secs_f64();
        let mut change = (rule.alpha * error + rule.beta * growth) * scale(self.probability);
        if self.probability >= 0.1 {
            change = change.min(STEP);
        }
        if self.delay > LONG_WAIT {
            change += STEP;
        }
        self.probability = (self.probability + change).clamp(0.0, 1.0);
        if self.delay.is_zero() && self.before.is_zero() && backlog == 0 {
            self.probability -= self.probability / 64.0;
        }
        let half = Duration::from_nanos(rule.target.as_nanos() / 2);
        if self.delay < half && self.before < half && self.probability <= 0.0 {
            (self.accumulated, self.burst, self.departed) = (0.0, MAX_BURST, None);
        }
        self.before = self.delay;
    }

    /// True if an arriving packet is hit.
    fn hits(&mut self, rule: &FqPie, backlog: u64, random: &mut RandomStream) -> bool {
        let is_calm = self.delay.as_nanos() < rule.target.as_nanos() / 2 && self.probability < 0.2;
        if self.burst > Duration::ZERO || is_calm || backlog < SHORT {
            return false;
        }
        self.accumulated = if self.probability > 0.0 { self.accumulated + self.probability } else { 0.0 };
        let hits = self.accumulated >= 8.5 || self.accumulated >= 0.85 && random.bernoulli(self.probability);
        if hits {
            self.accumulated = 0.0;
        }
        hits
    }

    /// Accounts for the departure of a packet that waited for `waited`, and leaves `backlog` bytes behind.
    fn depart(&mut self, now: Time, waited: Duration, backlog: u64) {
        self.delay = if backlog == 0 { Duration::ZERO } else { waited };
        let since = self.departed.replace(now).map_or(Duration::ZERO, |before| now.since(before));
        self.burst = self.burst.saturating_sub(since);
    }
}

#[derive(Clone, Debug)]
struct PieQueue {
    packets: PacketList,
    pie: FlowPie,
    /// The bytes that it may still send in this round.
    credit: i64,
    /// True if it is in one of the lists.
    active: bool,
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct PieQueues {
    rule: FqPie,
    queues: Vec<PieQueue>,
    packets: PacketStore,
    order: NewAndOld,
    waiting: Occupancy,
    hash: FlowHash,
    random: RandomStream,
}

impl PieQueues {
    pub(crate) fn new(rule: FqPie, random: RandomStream) -> PieQueues {
        let (packets, pie) = (PacketList::default(), FlowPie::new(&rule));
        let queue = PieQueue { packets, pie, credit: 0, active: false };
        PieQueues {
            rule,
            queues: vec![queue; rule.flows.max(1) as usize],
            packets: PacketStore::default(),
            order: NewAndOld::default(),
            waiting: Occupancy::default(),
            hash: FlowHash::new(None, random.clone()),
            random,
        }
    }
}

impl Scheduler for PieQueues {
    fn enqueue(
        &mut self,
        now: Time,
        mut packet: QueuedPacket,
        buffer: BufferSize,
        discards: &mut Vec<Discard>,
    ) {
        let place = self.hash.bucket(packet.flow, self.queues.len() as u32);
        let queue = &mut self.queues[place];
        let backlog = queue.packets.bytes();
        queue.pie.update_to(&self.rule, now, backlog);
        let with = self.waiting.with(packet.size);
        if buffer.is_exceeded(with) || with.packets > self.rule.limit {
            queue.pie.accumulated = 0.0;
            discards.push((packet, DropReason::Queue));
            return;
        }
        if queue.pie.hits(&self.rule, backlog, &mut self.random) {
            if packet.ecn == Ecn::NotCapable || queue.pie.probability > self.rule.mark_up_to {
                discards.push((packet, DropReason::Early));
                return;
            }
            packet.marked = true;
        }
        self.waiting = with;
        self.packets.push(&mut queue.packets, packet);
        if !queue.active {
            queue.active = true;
            queue.credit = i64::from(self.rule.quantum);
            self.order.add(place);
        }
    }

    fn dequeue(&mut self, now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        loop {
            let (place, is_new) = self.order.first()?;
            let queue = &mut self.queues[place];
            if queue.credit <= 0 {
                queue.credit += i64::from(self.rule.quantum);
                self.order.defer_first();
                continue;
            }
            queue.pie.update_to(&self.rule, now, queue.packets.bytes());
            if let Some(packet) = self.packets.pop(&mut queue.packets) {
                self.waiting = self.waiting.without(packet.size);
                queue.credit -= i64::from(packet.size);
                queue.pie.depart(now, now.since(packet.arrived), queue.packets.bytes());
                return Some(packet);
            }
            if is_new && self.order.has_old() {
                // A queue that alternates between empty and full must not be new each time.
                self.order.defer_first();
            } else {
                queue.active = false;
                self.order.take_first();
            }
        }
    }

    fn prefetch(&self, flow: u32) {
        if self.queues.len() > MANY {
            prefetch(memory_of(&self.queues[self.hash.bucket(flow, self.queues.len() as u32)]));
        }
    }

    fn prefetch_next(&self) -> Option<SlotId> {
        let list = |queue: usize| &self.queues[queue].packets;
        let prefetch_queue = |queue: usize| prefetch(memory_of(&self.queues[queue]));
        self.packets.prefetch_upcoming(self.order.upcoming(), list, prefetch_queue)
    }

    /// The lists advance past empty queues until none is left in them.
    fn on_idle(&mut self, _since: Time) {
        while let Some(place) = self.order.take_first() {
            self.queues[place].active = false;
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// The probability of a queue whose packets have waited `wait`, after this many milliseconds.
    fn after(wait: u64, millis: u64) -> FlowPie {
        let rule = FqPie::default();
        let mut pie = FlowPie::new(&rule);
        for millisecond in 0..millis {
            pie.update_to(&rule, at(millisecond), 10_000);
            pie.depart(at(millisecond), Duration::from_millis(wait), 10_000);
        }
        pie
    }

    /// Above 250 ms a probability grows by another 2 % per update of 15 ms, so that it is 1 within 0.8 s; 40 ms are below that.
    #[test]
    fn long_waits_are_answered_fast() {
        assert!((after(300, 900).probability - 1.0).abs() < 1e-9, "{}", after(300, 900).probability);
        assert!(after(40, 900).probability < 0.1, "{}", after(40, 900).probability);
    }

    /// The burst allowance is 150 ms of departures, and returns with the calm.
    #[test]
    fn a_burst_is_admitted_for_150_ms() {
        let mut random = RandomStream::new(1, "test");
        let rule = FqPie { target: Duration::from_millis(1), ..FqPie::default() };
        let mut pie = FlowPie::new(&rule);
        pie.probability = 1.0;
        for millisecond in 0..=150 {
            assert!(!pie.hits(&rule, 10_000, &mut random), "{millisecond}");
            pie.depart(at(millisecond), Duration::from_millis(300), 10_000);
        }
        assert!(pie.hits(&rule, 10_000, &mut random));
        pie.depart(at(151), Duration::ZERO, 0);
        pie.update_to(&rule, at(60_000), 0);
        assert!(pie.burst == MAX_BURST && pie.probability <= 0.0);
        assert!(pie.next_update > at(60_000) && pie.next_update <= at(60_015));
    }

    /// Updates made late, for the times at which they were due, are those made in time.
    #[test]
    fn an_idle_queue_is_updated_when_it_is_asked() {
        let rule = FqPie::default();
        for idle in [10, 100, 1000, 100_000] {
            let (mut late, mut punctual) = (after(30, 3000), after(30, 3000));
            late.depart(at(3000), Duration::ZERO, 0);
            punctual.depart(at(3000), Duration::ZERO, 0);
            for millisecond in 3000..=3000 + idle {
                punctual.update_to(&rule, at(millisecond), 0);
            }
            late.update_to(&rule, at(3000 + idle), 0);
            assert_eq!((late.probability, late.next_update), (punctual.probability, punctual.next_update));
            assert_eq!((late.burst, late.before), (punctual.burst, punctual.before));
        }
    }
}
