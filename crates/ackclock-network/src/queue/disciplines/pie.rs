//! The proportional integral controller, enhanced (PIE): a drop probability controlled by the queueing delay.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::queue::arriving::{ArrivalAqm, Arriving, Verdict};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::{Occupancy, RandomStream};

/// The proportional integral controller, enhanced (RFC 8033).
///
/// The drop probability is updated periodically by the distance of the queueing delay from its reference, and by its growth.
/// A burst after a time without congestion is admitted.
///
/// The queueing delay is the delay of a packet that arrives at the update, known exactly from the link's
/// rate: neither timestamps nor an estimate of the rate (sections 4.2, 5.2) are needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pie {
    /// The reference queueing delay, `QDELAY_REF`.
    pub reference: Duration,
    /// The period of updates, `T_UPDATE`.
    pub update: Duration,
    /// The longest burst that is admitted, `MAX_BURST`.
    pub burst: Duration,
    /// The weight of the distance to the reference, per second.
    pub alpha: f64,
    /// The weight of the growth, per second.
    pub beta: f64,
    /// A packet's mean size in bytes, `MEAN_PKTSIZE`: two such packets are not a queue.
    pub packet: u32,
    /// The highest probability at which ECN-capable packets are marked instead of dropped, `mark_ecnth` (section 5.1).
    pub mark_up_to: f64,
    /// Drops are spread: none before the probabilities add up to 0.85, and one for certain at 8.5 (section 5.4).
    pub derandomised: bool,
    /// The probability, once it is 0.1, grows by at most 0.02 per update (section 5.5).
    pub capped: bool,
}

impl Discipline for Pie {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "pie",
        title: "drops or marks by a probability that follows the queueing delay",
        source: "RFC 8033",
        parameters: &[
            Parameter::new(
                "reference",
                Unit::Milliseconds,
                15.0,
                (0.001, 1e6),
                "the target queueing delay (QDELAY_REF)",
            ),
            Parameter::new(
                "update",
                Unit::Milliseconds,
                15.0,
                (0.001, 1e6),
                "the interval between updates of the probability (T_UPDATE)",
            ),
            Parameter::new(
                "burst",
                Unit::Milliseconds,
                150.0,
                (0.0, 1e6),
                "the duration of a burst that is admitted (MAX_BURST)",
            ),
            Parameter::new(
                "alpha",
                Unit::Number,
                0.125,
                (0.0, 1e3),
                "the gain per second of deviation from the reference",
            ),
            Parameter::new(
                "beta",
                Unit::Number,
                1.25,
                (0.0, 1e3),
                "the gain per second of growth since the last update",
            ),
            Parameter::new(
                "packet",
                Unit::Bytes,
                1000.0,
                (1.0, 65_535.0),
                "a packet's mean size (MEAN_PKTSIZE)",
            ),
            Parameter::new(
                "mark_up_to",
                Unit::Number,
                0.1,
                (0.0, 1.0),
                "the probability up to which marks replace drops (mark_ecnth)",
            ),
            Parameter::switch("ecn", true, "1: marks replace drops; 0: packets are dropped"),
            Parameter::switch("derandomised", false, "1: drops are spaced out (5.4)"),
            Parameter::switch("capped", false, "1: from 0.1 on, the probability grows by at most 0.02 (5.5)"),
        ],
        ..Entry::PLAIN
    };

    const ON_ARRIVAL: bool = true;

    fn make(values: &Values) -> Pie {
        Pie {
            reference: values.duration("reference"),
            update: values.duration("update"),
            burst: values.duration("burst"),
            alpha: values.get("alpha"),
            beta: values.get("beta"),
            packet: values.get("packet") as u32,
            mark_up_to: if values.is_on("ecn") { values.get("mark_up_to") } else { -1.0 },
            derandomised: values.is_on("derandomised"),
            capped: values.is_on("capped"),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::on_arrival(PieState::new(*self, site.random()))
    }

    fn update_period(&self) -> Option<Duration> {
        Some(self.update)
    }
}

/// The state of one queue.
#[derive(Clone, Debug)]
pub(crate) struct PieState {
    rule: Pie,
    probability: f64,
    /// The queueing delay at the last update.
    before: Duration,
    burst: Duration,
    next_update: Time,
    /// The sum of the probabilities since the last drop.
    accumulated: f64,
    random: RandomStream,
}

impl PieState {
    pub(crate) fn new(rule: Pie, random: RandomStream) -> PieState {
        let next_update = Time::ZERO + rule.update;
        let (before, burst) = (Duration::ZERO, rule.burst);
        PieState { rule, probability: 0.0, before, burst, next_update, accumulated: 0.0, random }
    }

    fn hits(&mut self) -> bool {
        if !self.rule.derandomised {
            return self.random.bernoulli(self.probability);
        }
        self.accumulated = if self.probability > 0.0 { self.accumulated + self.probability } else { 0.0 };
        let hit =
            self.accumulated >= 8.5 || self.accumulated >= 0.85 && self.random.bernoulli(self.probability);
        if hit {
            self.accumulated = 0.0;
        }
        hit
    }

    /// Makes the updates due by now. No packet has arrived since the last one, so the queueing delay at each update is the
    /// time to `free_at`.
    fn update_to(&mut self, now: Time, free_at: Time) {
        while self.next_update <= now {
            let waiting = free_at.since(self.next_update);
            let settled = waiting.is_zero() && self.before.is_zero() && self.probability <= 0.0;
            if settled && self.burst == self.rule.burst {
                let periods = now.since(self.next_update).as_nanos() / self.rule.update.as_nanos();
                self.next_update += self.rule.update.saturating_mul(periods + 1);
                return;
            }
            self.update(waiting);
            self.next_update += self.rule.update;
        }
    }

    /// Section 4.2, and the burst allowance of section 4.3.
    fn update(&mut self, waiting: Duration) {
        let Pie { reference, alpha, beta, .. } = self.rule;
        let seconds = |span: Duration| span.as_secs_f64();
        let error = seconds(waiting) - seconds(reference);
        let growth = seconds(waiting) - seconds(self.before);
        let mut change = (alpha * error + beta * growth) * scale(self.probability);
        if self.rule.capped && self.probability >= 0.1 {
            change = change.min(0.02);
        }
        self.probability += change;
        if waiting.is_zero() && self.before.is_zero() {
            // The decay stops by itself at the smallest number, which times 0.98 rounds to itself.
            self.probability =
                if self.probability < f64::MIN_POSITIVE { 0.0 } else { self.probability * 0.98 };
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst = self.burst.saturating_sub(self.rule.update);
        let half = Duration::from_nanos(reference.as_nanos() / 2);
        if self.probability <= 0.0 && waiting < half && self.before < half {
            self.burst = self.rule.burst;
        }
        self.before = waiting;
    }
}

impl ArrivalAqm for PieState {
    /// Decides on an arriving packet (section 4.1).
    fn on_arrival(&mut self, arriving: &Arriving, waiting: Occupancy, free_at: Time) -> Verdict {
        self.update_to(arriving.now, free_at);
        if !arriving.fits(waiting, free_at) {
            // Appendix B: the buffer is checked first, and its drops count as drops in section 5.4.
            self.accumulated = 0.0;
            return Verdict::Pass;
        }
        let calm = self.before.as_nanos() < self.rule.reference.as_nanos() / 2 && self.probability < 0.2;
        let short = waiting.bytes.get() <= 2 * u64::from(self.rule.packet);
        if self.burst > Duration::ZERO || calm || short || !self.hits() {
            return Verdict::Pass;
        }
        if self.probability <= self.rule.mark_up_to { Verdict::MarkOrDrop } else { Verdict::Drop }
    }
}

/// The scale of an update, smaller for small probabilities (section 4.2).
pub(super) fn scale(probability: f64) -> f64 {
    let steps = [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    let step = steps.iter().find(|(below, _)| probability < *below);
    step.map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

#[cfg(test)]
mod tests {
    use ackclock_units::Bytes;

    use super::*;
    use crate::BufferSize;

    fn state(rule: Pie) -> PieState {
        PieState::new(rule, RandomStream::new(1, "test"))
    }

    fn at(micros: u64) -> Time {
        Time::ZERO + Duration::from_micros(micros)
    }

    /// Offers a packet every millisecond, each of which would wait `wait`. Returns the fraction dropped or marked.
    fn drive(state: &mut PieState, from: u64, milliseconds: u64, wait: Duration) -> f64 {
        let waiting = Occupancy { packets: 50, bytes: Bytes::new(50_000) };
        let mut hits = 0;
        for millisecond in from..from + milliseconds {
            let now = at(millisecond * 1000);
            let arriving = Arriving { now, size: 1000, buffer: BufferSize::Unlimited };
            let free_at = if wait.is_zero() { Time::ZERO } else { now + wait };
            hits += u32::from(state.on_arrival(&arriving, waiting, free_at) != Verdict::Pass);
        }
        f64::from(hits) / milliseconds as f64
    }

    /// Section 4.3: a burst of up to `MAX_BURST` is admitted after a time without congestion, however long the queue.
    #[test]
    fn a_burst_is_admitted() {
        let mut state = state(Pie::default());
        assert!(drive(&mut state, 0, 150, Duration::from_millis(100)) <= 0.0);
        assert!(drive(&mut state, 150, 2000, Duration::from_millis(100)) > 0.1, "and no longer");
        // Without congestion the probability returns to zero, and the allowance to its maximum.
        drive(&mut state, 10_000, 5_000, Duration::ZERO);
        assert!(drive(&mut state, 15_000, 145, Duration::from_millis(100)) <= 0.0);
    }

    /// The equilibrium is where the queueing delay is the reference and does not change: then the probability stays.
    #[test]
    fn at_the_reference_the_probability_stays() {
        let mut state = state(Pie::default());
        drive(&mut state, 0, 3000, Duration::from_millis(30));
        drive(&mut state, 3000, 30, Duration::from_millis(15));
        let held = state.probability;
        assert!(held > 0.01, "{held}");
        drive(&mut state, 3030, 3000, Duration::from_millis(15));
        assert!((state.probability - held).abs() < 1e-12, "{held} {}", state.probability);
    }

    /// Each update adds alpha times the distance to the reference: from 0.1 on, 15 ms too much make 0.125 in a second.
    #[test]
    fn the_probability_grows_with_the_distance() {
        let mut state = state(Pie::default());
        drive(&mut state, 0, 1500, Duration::from_millis(30));
        state.probability = 0.2;
        drive(&mut state, 1500, 1500, Duration::from_millis(30));
        assert!((state.probability - 0.2 - 100.0 * 0.125 * 0.015).abs() < 1e-9, "{}", state.probability);
    }

    #[test]
    fn an_idle_link_forgets() {
        let mut state = state(Pie::default());
        drive(&mut state, 0, 5000, Duration::from_millis(60));
        assert!(state.probability > 0.3);
        // One packet after an hour: all updates between are made, and do not take long.
        drive(&mut state, 3_600_000, 1, Duration::ZERO);
        assert!(state.probability <= 0.0 && state.burst == Pie::default().burst);
        assert!(state.next_update > at(3_600_000_000));
    }

    #[test]
    fn marks_give_way_to_drops_where_the_probability_is_high() {
        let verdicts = |probability: f64| {
            let mut state = state(Pie { burst: Duration::ZERO, ..Pie::default() });
            drive(&mut state, 0, 20, Duration::from_millis(15));
            state.probability = probability;
            let arriving = Arriving { now: at(20_001), size: 1000, buffer: BufferSize::Unlimited };
            let waiting = Occupancy { packets: 50, bytes: Bytes::new(50_000) };
            (0..300).map(|_| state.on_arrival(&arriving, waiting, at(35_001))).collect::<Vec<_>>()
        };
        let (low, high) = (verdicts(0.09), verdicts(0.3));
        assert!(low.contains(&Verdict::MarkOrDrop) && !low.contains(&Verdict::Drop));
        assert!(high.contains(&Verdict::Drop) && !high.contains(&Verdict::MarkOrDrop));
    }

    /// Section 5.4: between two drops at least 0.85 / p packets pass.
    #[test]
    fn spread_drops_keep_their_distance() {
        let mut state = state(Pie { derandomised: true, burst: Duration::ZERO, ..Pie::default() });
        drive(&mut state, 0, 20, Duration::from_millis(15));
        state.probability = 0.05;
        let mut gap = 0;
        let mut gaps = Vec::new();
        for _ in 0..10_000 {
            gap += 1;
            if state.hits() {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps.len() > 100 && gaps.iter().all(|gap| (17..=170).contains(gap)), "{gaps:?}");
    }
    /// Appendix B: a packet for which the buffer has no space resets the accumulated probability, as other drops do.
    #[test]
    fn a_full_buffer_is_checked_first() {
        let mut state = state(Pie { derandomised: true, burst: Duration::ZERO, ..Pie::default() });
        drive(&mut state, 0, 20, Duration::from_millis(15));
        state.probability = 0.1;
        state.accumulated = 0.8;
        let waiting = Occupancy { packets: 50, bytes: Bytes::new(50_000) };
        let arriving = Arriving { now: at(20_001), size: 1000, buffer: BufferSize::Packets(50) };
        assert_eq!(state.on_arrival(&arriving, waiting, at(35_001)), Verdict::Pass);
        assert!(state.accumulated <= 0.0, "{}", state.accumulated);
    }
}
