//! `DualPI2`: a low-latency queue for L4S and a queue for all others, with one controller for both.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::arriving::Verdict;
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Ecn, Occupancy};

/// The dual-queue coupled AQM with PI2 (RFC 9332, appendix A).
///
/// Packets with ECT(1) or CE wait in the L4S queue, all others in the Classic queue. A proportional-integral controller
/// holds the Classic queue's delay at a target by a base probability p'. Classic packets are dropped or marked with
/// probability p'^2. L4S packets are marked with the larger of k p' and a ramp over their own queueing delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2 {
    /// The target delay of the Classic queue, `target`.
    pub target: Duration,
    /// The longest round-trip time for which the controller is stable, `RTT_max`.
    pub max_rtt: Duration,
    /// The coupling factor, `k`.
    pub coupling: f64,
    /// The queueing delay from which the ramp marks L4S packets, `minTh`.
    pub min_threshold: Duration,
    /// The width of the ramp, `range`; zero for a step.
    pub range: Duration,
    /// The ramp marks only while more packets than this wait in the L4S queue, `Th_len`.
    pub min_packets: u32,
    /// The order of service.
    pub order: DualOrder,
}

/// The order of service of the two queues of [`DualPi2`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum DualOrder {
    /// Weighted round robin in bytes; the Classic queue has this share of the link while packets wait in both.
    Weighted(f64),
    /// First in, first out, where L4S packets count as having arrived this much earlier.
    TimeShifted(Duration),
}

impl Discipline for DualPi2 {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "dualpi2",
        title: "a low-latency queue for L4S and one for all others, coupled by one controller",
        source: "RFC 9332",
        parameters: &[
            Parameter::new(
                "target",
                Unit::Milliseconds,
                15.0,
                (0.001, 1e6),
                "the target delay of the Classic queue (target)",
            ),
            Parameter::new(
                "max_rtt",
                Unit::Milliseconds,
                100.0,
                (0.01, 1e6),
                "the longest round-trip time for which the controller is stable (RTT_max)",
            ),
            Parameter::new(
                "coupling",
                Unit::Number,
                2.0,
                (0.01, 100.0),
                "the L4S probability over the base probability (k)",
            ),
            Parameter::new(
                "min_threshold",
                Unit::Milliseconds,
                0.8,
                (0.0, 1e6),
                "the queueing delay from which L4S packets are marked (minTh)",
            ),
            Parameter::new(
                "range",
                Unit::Milliseconds,
                0.4,
                (0.0, 1e6),
                "the width of the ramp above it, at whose end all are marked; 0: a step (range)",
            ),
            Parameter::new(
                "min_packets",
                Unit::Packets,
                1.0,
                (0.0, 4e9),
                "the ramp marks only while more L4S packets than this wait (Th_len)",
            ),
            Parameter::new(
                "classic_weight",
                Unit::Number,
                0.1,
                (0.001, 0.999),
                "the Classic queue's share of the link while packets wait in both",
            ),
            Parameter::new(
                "time_shift",
                Unit::Milliseconds,
                0.0,
                (0.0, 1e6),
                "0: weighted round robin; otherwise first in, first out, L4S packets ahead by this",
            ),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> DualPi2 {
        let shift = values.duration("time_shift");
        DualPi2 {
            target: values.duration("target"),
            max_rtt: values.duration("max_rtt"),
            coupling: values.get("coupling"),
            min_threshold: values.duration("min_threshold"),
            range: values.duration("range"),
            min_packets: values.get("min_packets") as u32,
            order: if shift.is_zero() {
                DualOrder::Weighted(values.get("classic_weight"))
            } else {
                DualOrder::TimeShifted(shift)
            },
        }
    }

    fn build(&self, _: &Site<'_>) -> Built {
        Built::pulled(DualQueues::new(*self))
    }

    fn update_period(&self) -> Option<Duration> {
        Some(self.period())
    }
}

impl DualPi2 {
    /// The period of the controller, `Tupdate` (appendix A.1).
    fn period(&self) -> Duration {
        self.target.min(self.max_rtt.mul_f64(1.0 / 3.0)).max(Duration::from_nanos(1))
    }

    /// The probability by which the ramp marks a packet that waited so long, `laqm`.
    fn ramp(&self, waited: Duration) -> f64 {
        let above = waited.saturating_sub(self.min_threshold);
        if above >= self.range {
            return if waited >= self.min_threshold { 1.0 } else { 0.0 };
        }
        above.as_secs_f64() / self.range.as_secs_f64()
    }
}

/// One of the two queues.
#[derive(Clone, Debug, Default)]
struct CoupledQueue {
    packets: Fifo,
    /// The sum of the probabilities of the packets since the last hit.
    count: f64,
}

impl CoupledQueue {
    /// `recur`: true for this part of the packets, at regular intervals.
    fn recurs(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        let hits = self.count > 1.0;
        if hits {
            self.count -= 1.0;
        }
        hits
    }

    /// The time for which its oldest packet has waited.
    fn delay(&self, now: Time) -> Duration {
        self.packets.first().map_or(Duration::ZERO, |packet| now.since(packet.arrived))
    }
}

/// The state of the discipline.
#[derive(Clone, Debug)]
pub(crate) struct DualQueues {
    rule: DualPi2,
    update: Duration,
    /// The gains of the controller in hertz.
    alpha: f64,
    beta: f64,
    l4s: CoupledQueue,
    classic: CoupledQueue,
    /// The base probability p'.
    base: f64,
    /// The delay at the last update.
    before: Duration,
    next_update: Time,
    /// For weighted round robin: the bytes that the Classic queue may send before the L4S queue.
    credit: f64,
}

impl DualQueues {
    pub(crate) fn new(rule: DualPi2) -> DualQueues {
        let update = rule.period();
        let max_rtt = rule.max_rtt.as_secs_f64();
        DualQueues {
            rule,
            update,
            alpha: 0.1 * update.as_secs_f64() / (max_rtt * max_rtt),
            beta: 0.3 / max_rtt,
            l4s: CoupledQueue::default(),
            classic: CoupledQueue::default(),
            base: 0.0,
            before: Duration::ZERO,
            next_update: Time::ZERO + update,
            credit: 0.0,
        }
    }

    /// Makes the updates due by now. The queues have not changed since the last update.
    fn update_to(&mut self, now: Time) {
        while self.next_update <= now {
            let at = self.next_update;
            let delay = self.classic.delay(at).max(self.l4s.delay(at));
            if delay.is_zero() && self.before.is_zero() && self.base <= 0.0 {
                let periods = now.since(at).as_nanos() / self.update.as_nanos();
                self.next_update += self.update.saturating_mul(periods + 1);
                return;
            }
            let (seconds, target) = (delay.as_secs_f64(), self.rule.target.as_secs_f64());
            let growth = seconds - self.before.as_secs_f64();
            self.base = (self.base + self.alpha * (seconds - target) + self.beta * growth).clamp(0.0, 1.0);
            self.before = delay;
            self.next_update += self.update;
        }
    }

    /// True if the L4S queue is served next, false for the Classic queue; none if both are empty.
    fn serves_l4s(&self, now: Time) -> Option<bool> {
        match (self.l4s.packets.is_empty(), self.classic.packets.is_empty()) {
            (true, true) => None,
            (false, true) => Some(true),
            (true, false) => Some(false),
            (false, false) => Some(match self.rule.order {
                DualOrder::Weighted(_) => self.credit <= 0.0,
                DualOrder::TimeShifted(shift) => self.l4s.delay(now) + shift >= self.classic.delay(now),
            }),
        }
    }

    /// Accounts for a packet that is transmitted, if packets of the other queue wait as well.
    fn charge(&mut self, is_l4s: bool, size: u32) {
        let DualOrder::Weighted(weight) = self.rule.order else { return };
        let other = if is_l4s { &self.classic } else { &self.l4s };
        if !other.packets.is_empty() {
            let part = if is_l4s { weight } else { weight - 1.0 };
            self.credit += part * f64::from(size);
        }
    }

    /// Decides on a packet taken from the L4S queue. If coupling would mark every packet, some packets are dropped as
    /// in the Classic queue (appendix A.2).
    fn judge_l4s(&mut self, waited: Duration) -> Verdict {
        let coupled = (self.rule.coupling * self.base).min(1.0);
        if coupled >= 1.0 && self.l4s.recurs(self.base * self.base) {
            return Verdict::Drop;
        }
        let is_long = self.l4s.packets.len() > self.rule.min_packets as usize;
        let native = if is_long && coupled < 1.0 { self.rule.ramp(waited) } else { 0.0 };
        if self.l4s.recurs(native.max(coupled)) { Verdict::MarkOrDrop } else { Verdict::Pass }
    }

    /// Decides on a packet taken from the Classic queue. In overload ECN does not save it (appendix A.2).
    fn judge_classic(&mut self, ecn: Ecn) -> Verdict {
        let squared = self.base * self.base;
        if !self.classic.recurs(squared) {
            return Verdict::Pass;
        }
        let most_marked = (1.0 / (self.rule.coupling * self.rule.coupling)).min(1.0);
        if ecn == Ecn::NotCapable || squared >= most_marked { Verdict::Drop } else { Verdict::MarkOrDrop }
    }
}

impl Scheduler for DualQueues {
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.update_to(now);
        if buffer.is_exceeded(self.occupancy().with(packet.size)) {
            discards.push((packet, DropReason::Queue));
            return;
        }
        let queue = if packet.ecn.is_l4s() { &mut self.l4s } else { &mut self.classic };
        queue.packets.push(packet);
    }

    /// Appendix A, `dualpi2_dequeue`.
    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.update_to(now);
        while let Some(is_l4s) = self.serves_l4s(now) {
            let queue = if is_l4s { &mut self.l4s } else { &mut self.classic };
            let packet = queue.packets.pop()?;
            let waited = now.since(packet.arrived);
            let verdict = if is_l4s { self.judge_l4s(waited) } else { self.judge_classic(packet.ecn) };
            if verdict == Verdict::Drop {
                discards.push((packet, DropReason::Early));
                continue;
            }
            self.charge(is_l4s, packet.size);
            return Some(QueuedPacket { marked: verdict == Verdict::MarkOrDrop, ..packet });
        }
        None
    }

    fn occupancy(&self) -> Occupancy {
        self.l4s.packets.occupancy().and(self.classic.packets.occupancy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::{at, queued};

    const UNLIMITED: BufferSize = BufferSize::Unlimited;

    /// Queues in which `count` packets of each kind wait since `arrived`.
    fn both(rule: DualPi2, count: u32, arrived: Time, classic: Ecn) -> DualQueues {
        let mut queues = DualQueues::new(rule);
        let mut discards = Vec::new();
        for slot in 0..count {
            queues.enqueue(arrived, queued(slot, arrived, classic), UNLIMITED, &mut discards);
            queues.enqueue(arrived, queued(slot, arrived, Ecn::Capable1), UNLIMITED, &mut discards);
        }
        queues
    }

    /// The Classic queue's shares dropped and marked, then the L4S queue's shares, at a base probability that
    /// stays.
    fn shares(base: f64, classic: Ecn, count: u32) -> [f64; 4] {
        let rule = DualPi2 {
            target: Duration::from_secs(1000),
            max_rtt: Duration::from_secs(9000),
            ..DualPi2::default()
        };
        let mut queues =
            both(DualPi2 { min_threshold: Duration::from_secs(1), ..rule }, count, at(0), classic);
        queues.base = base;
        let mut discards = Vec::new();
        let served: Vec<QueuedPacket> = std::iter::from_fn(|| queues.dequeue(at(0), &mut discards)).collect();
        let dropped = |l4s| discards.iter().filter(|(packet, _)| packet.ecn.is_l4s() == l4s).count();
        let marked = |l4s| served.iter().filter(|packet| packet.marked && packet.ecn.is_l4s() == l4s).count();
        [dropped(false), marked(false), dropped(true), marked(true)]
            .map(|hits| hits as f64 / f64::from(count))
    }

    /// Section 2.1: `p_C = (p_CL / k)^2`. Classic packets are dropped or marked with the square of half the probability with
    /// which L4S packets are marked, whichever it is.
    #[test]
    fn the_classic_probability_is_the_square_of_the_coupled_one() {
        for base in [0.02, 0.1, 0.3, 0.45] {
            let [dropped, marked, lost, l4s] = shares(base, Ecn::NotCapable, 40_000);
            assert!((dropped - (l4s / 2.0).powi(2)).abs() < 1e-4 && l4s > base, "{base}: {dropped} {l4s}");
            assert!(marked <= 0.0 && lost <= 0.0);
            let [dropped, marked, ..] = shares(base, Ecn::Capable0, 40_000);
            assert!((marked - (l4s / 2.0).powi(2)).abs() < 1e-4 && dropped <= 0.0, "{base}: {marked} {l4s}");
        }
    }

    /// Appendix A.2: once coupling marks every L4S packet, both queues drop with the same probability, whatever the packets'
    /// ECN field, and the L4S packets that remain are all marked.
    #[test]
    fn overload_drops_from_both_queues_alike() {
        let [dropped, marked, l4s_dropped, l4s_marked] = shares(0.7, Ecn::Capable0, 10_000);
        assert!(
            (dropped - 0.49).abs() < 1e-3 && (l4s_dropped - 0.49).abs() < 1e-3,
            "{dropped} {l4s_dropped}"
        );
        assert!(marked <= 0.0 && (l4s_marked - 0.51).abs() < 1e-3, "{marked} {l4s_marked}");
    }

    /// Appendix A.1: a Classic queue 10 ms above its target adds 0.1 / s, since alpha is 0.15 Hz and the period 15 ms.
    #[test]
    fn the_base_probability_integrates_the_distance_from_the_target() {
        let mut queues = both(DualPi2::default(), 0, at(0), Ecn::NotCapable);
        let mut discards = Vec::new();
        let mut bases = Vec::new();
        for millisecond in 0..2000 {
            // Every packet has waited 25 ms.
            let now = at(25_000 + millisecond * 1000);
            queues.classic.packets = Fifo::default();
            queues.classic.packets.push(queued(0, at(millisecond * 1000), Ecn::NotCapable));
            queues.update_to(now);
            bases.push(queues.base);
        }
        assert!((bases[1999] - bases[999] - 0.1).abs() < 0.003, "{} {}", bases[999], bases[1999]);
        queues.classic.packets = Fifo::default();
        assert!(queues.dequeue(at(60_000_000), &mut discards).is_none());
        assert!(queues.base <= 0.0, "an idle link forgets: {}", queues.base);
    }

    /// The ramp: no mark below `minTh`, every packet at its end, half of them in its middle, and none of a queue of one.
    #[test]
    fn the_ramp_marks_by_the_waiting_time() {
        let marked = |waited: u64, rule: DualPi2| {
            let mut queues = both(rule, 1000, at(0), Ecn::NotCapable);
            let mut discards = Vec::new();
            let served = std::iter::from_fn(|| queues.dequeue(at(waited), &mut discards));
            served.filter(|packet| packet.marked).count()
        };
        let rule = DualPi2::default();
        assert_eq!(marked(799, rule), 0);
        assert!((498..=501).contains(&marked(1000, rule)), "{}", marked(1000, rule));
        assert!((996..=999).contains(&marked(1200, rule)), "the last two wait alone: {}", marked(1200, rule));
        let step = DualPi2 { range: Duration::ZERO, min_packets: 0, ..rule };
        assert_eq!(marked(799, step), 0);
        assert!(marked(800, step) >= 998, "{}", marked(800, step));
    }

    /// While packets wait in both, the Classic queue has its weight of the bytes, and the L4S queue begins.
    #[test]
    fn the_weight_is_the_classic_share() {
        for (weight, classic) in [(0.1, 100), (0.25, 250)] {
            let rule = DualPi2 { order: DualOrder::Weighted(weight), ..DualPi2::default() };
            let mut queues = both(rule, 1000, at(0), Ecn::NotCapable);
            let mut discards = Vec::new();
            let served: Vec<bool> =
                (0..1000).map(|_| queues.dequeue(at(0), &mut discards).unwrap().ecn.is_l4s()).collect();
            let found = served.iter().filter(|l4s| !**l4s).count();
            assert!(served[0] && found.abs_diff(classic) <= 1, "{weight}: {found}");
        }
    }

    /// A time-shifted first-in first-out queue: an L4S packet passes Classic packets that came at most the shift before it.
    #[test]
    fn l4s_packets_are_ahead_by_the_time_shift() {
        let order = DualOrder::TimeShifted(Duration::from_millis(30));
        let mut queues = DualQueues::new(DualPi2 { order, ..DualPi2::default() });
        let mut discards = Vec::new();
        for (slot, millisecond, ecn) in
            [(0, 0, Ecn::NotCapable), (1, 9, Ecn::NotCapable), (2, 40, Ecn::Capable1), (3, 41, Ecn::Capable1)]
        {
            queues.enqueue(
                at(millisecond * 1000),
                queued(slot, at(millisecond * 1000), ecn),
                UNLIMITED,
                &mut discards,
            );
        }
        let served: Vec<u32> = std::iter::from_fn(|| queues.dequeue(at(41_000), &mut discards))
            .map(|packet| packet.slot)
            .collect();
        assert_eq!(served, [0, 1, 2, 3], "40 ms and 31 ms before");
        queues.enqueue(at(50_000), queued(4, at(50_000), Ecn::Capable0), UNLIMITED, &mut discards);
        queues.enqueue(at(80_000), queued(5, at(80_000), Ecn::Congested), UNLIMITED, &mut discards);
        let served = queues.dequeue(at(81_000), &mut discards).map(|packet| packet.slot);
        assert_eq!(served, Some(5), "30 ms before, and CE counts as L4S");
    }
}
