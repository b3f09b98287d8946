//! FAST TCP, with fixed alpha or with alpha tuning (mesonet, 5.2.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::reno::half;
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "fast",
    title: "FAST TCP: keep alpha packets queued, by the queueing delay",
    source: "mesonet, 5.2.3, eq. 18-23 and Table 5-5; Wei, Jin, Low, Hegde, IEEE/ACM ToN 14(6), 2006",
    parameters: &[
        Parameter::new(
            "alpha",
            Unit::Packets,
            200.0,
            (0.0, 1e6),
            "queued data that each flow aims at; with tuning, its initial value",
        ),
        Parameter::new(
            "gamma",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "weight of the new target relative to the present window (beta_F of Table 5-5)",
        ),
        Parameter::new(
            "period",
            Unit::Milliseconds,
            20.0,
            (0.0, 1e6),
            "interval between updates of the target window",
        ),
        Parameter::new(
            "tuning",
            Unit::Number,
            0.0,
            (0.0, 1.0),
            "0: alpha is fixed; otherwise: it moves between low, middle and high with the throughput",
        ),
        Parameter::new(
            "tuning_period",
            Unit::Seconds,
            200.0,
            (0.0, 1e6),
            "interval between updates of alpha",
        ),
        Parameter::new("low", Unit::Packets, 8.0, (0.0, 1e6), "the first setting of alpha (A1)"),
        Parameter::new("middle", Unit::Packets, 20.0, (0.0, 1e6), "the second setting of alpha (A2)"),
        Parameter::new("high", Unit::Packets, 200.0, (0.0, 1e6), "the third setting of alpha (A3)"),
        Parameter::new(
            "m0m1",
            Unit::PacketsPerSecond,
            1500.0,
            (0.0, f64::INFINITY),
            "throughput from which alpha goes from low to middle",
        ),
        Parameter::new(
            "m1m0",
            Unit::PacketsPerSecond,
            1250.0,
            (0.0, f64::INFINITY),
            "throughput down to which alpha goes from middle to low",
        ),
        Parameter::new(
            "m1m2",
            Unit::PacketsPerSecond,
            15_000.0,
            (0.0, f64::INFINITY),
            "throughput from which alpha goes from middle to high",
        ),
        Parameter::new(
            "m2m1",
            Unit::PacketsPerSecond,
            12_500.0,
            (0.0, f64::INFINITY),
            "throughput down to which alpha goes from high to middle",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Fast {
    Fast::new(values)
}

/// The weight of the newest sample of the throughput (`T_F` of Table 5-5).
const THROUGHPUT_WEIGHT: f64 = 0.5;

/// Moves the window towards a target that leaves `alpha` packets queued; halves it after a loss.
///
/// Every `period` the target is `(1 - gamma) cwnd + gamma (minRTT / SRTT cwnd + alpha)`, at most twice the window (21).
/// Acknowledgments bring the window up to it in about a round trip, or down to it at once (18).
///
/// Choices where the source is open or misprinted:
/// - *(18)* adds to the window, and divides by the acknowledgments of the last complete smoothed round-trip time; a
///   running count, reset to 0 by (23), would make the window jump at the end of a round trip. An acknowledgment of
///   several packets counts as that many, and moves the window at most to the target.
/// - *(18), downwards, can take the window below the threshold* and so back to slow start. The threshold moves
///   along to prevent that.
/// - *(21)* weighs with `γ_F`, which Table 5-5 calls `β_F`.
/// - *(22)* is a chain of alternatives: one step per period.
/// - *(23)*'s weight is on the newest sample, as in Table 5-5; both are 0.5.
/// - *The thresholds of (22)* are packets per second, though Table 5-5 says per millisecond.
/// - *Periods* (5.3.3.3) end with the first acknowledgment after their time, and the next period begins there. They
///   are counted from the first acknowledgment. Only the throughput is measured during the initial slow start as
///   well.
#[derive(Clone, Copy, Debug)]
pub struct Fast {
    rule: Rule,
    alpha: f64,
    /// The target window; NaN, which changes nothing, where there is none.
    target: f64,
    /// The initial slow start is over.
    started: bool,
    throughput: Throughput,
    target_due: Option<Time>,
    alpha_due: Option<Time>,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
struct Rule {
    gamma: f64,
    period: Duration,
    tuning: bool,
    tuning_period: Duration,
    /// `A1`, `A2`, `A3` in packets.
    low: f64,
    middle: f64,
    high: f64,
    /// In packets per second.
    m0m1: f64,
    m1m0: f64,
    m1m2: f64,
    m2m1: f64,
}

/// Packets per smoothed round-trip time, and the average throughput (23).
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// The start of the current count.
    since: Option<Time>,
    count: f64,
    /// Packets acknowledged in the last complete smoothed round-trip time; 0 before there was one.
    last_round: f64,
    /// In packets per second (`Bk_F`).
    average: f64,
}

impl Throughput {
    fn measure(&mut self, ack: &Ack) {
        let since = *self.since.get_or_insert(ack.now);
        self.count += ack.delivered;
        if ack.srtt.is_zero() || ack.now.since(since) < ack.srtt {
            return;
        }
        let sample = self.count / ack.srtt.as_secs_f64();
        self.average = (1.0 - THROUGHPUT_WEIGHT) * self.average + THROUGHPUT_WEIGHT * sample;
        self.last_round = self.count;
        self.count = 0.0;
        self.since = Some(ack.now);
    }
}

/// Starts the next period if the current one is over. Returns true if it was.
fn is_due(due: &mut Option<Time>, now: Time, period: Duration) -> bool {
    let over = due.is_some_and(|due| now >= due);
    if over {
        *due = Some(now + period);
    }
    over
}

impl Fast {
    /// From the registry's values.
    fn new(values: &Values) -> Fast {
        let rule = Rule {
            gamma: values.get("gamma"),
            period: Duration::from_secs_f64(values.get("period") / 1e3),
            tuning: values.get("tuning") > 0.0,
            tuning_period: Duration::from_secs_f64(values.get("tuning_period")),
            low: values.get("low"),
            middle: values.get("middle"),
            high: values.get("high"),
            m0m1: values.get("m0m1"),
            m1m0: values.get("m1m0"),
            m1m2: values.get("m1m2"),
            m2m1: values.get("m2m1"),
        };
        Fast {
            rule,
            alpha: values.get("alpha"),
            target: f64::NAN,
            started: false,
            throughput: Throughput::default(),
            target_due: None,
            alpha_due: None,
        }
    }

    /// Equation 22.
    #[expect(clippy::float_cmp, reason = "alpha is one of the three settings, copied and never computed")]
    fn tune(&mut self) {
        let Rule { low, middle, high, m0m1, m1m0, m1m2, m2m1, .. } = self.rule;
        let throughput = self.throughput.average;
        if throughput >= m0m1 && self.alpha == low {
            self.alpha = middle;
        } else if throughput <= m1m0 && self.alpha == middle {
            self.alpha = low;
        } else if throughput >= m1m2 && self.alpha == middle {
            self.alpha = high;
        } else if throughput <= m2m1 && self.alpha == high {
            self.alpha = middle;
        }
    }
}

impl Avoidance for Fast {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.throughput.measure(ack);
        self.target_due.get_or_insert(ack.now + self.rule.period);
        self.alpha_due.get_or_insert(ack.now + self.rule.tuning_period);
        self.started |= window.cwnd >= window.ssthresh;
        if !self.started || ack.srtt.is_zero() {
            return;
        }
        if is_due(&mut self.target_due, ack.now, self.rule.period) {
            // Equation 21.
            let unqueued = ack.min_rtt.as_nanos() as f64 / ack.srtt.as_nanos() as f64 * window.cwnd;
            let Rule { gamma, .. } = self.rule;
            let target = (1.0 - gamma) * window.cwnd + gamma * (unqueued + self.alpha);
            self.target = target.min(2.0 * window.cwnd);
        }
        if self.rule.tuning && is_due(&mut self.alpha_due, ack.now, self.rule.tuning_period) {
            self.tune();
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let per_round = self.throughput.last_round;
        if self.target > window.cwnd && per_round > 0.0 {
            window.cwnd += (self.target - window.cwnd) * (ack.delivered / per_round).min(1.0);
        } else if self.target < window.cwnd {
            window.cwnd = self.target;
        }
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        self.started = true;
        // Equations 19 and 20 set the target to the reduced window, so that the window rests until the next update.
        self.target = f64::NAN;
        half(used)
    }

    /// Target, counts and throughput; `alpha` is a setting.
    fn scale(&mut self, ratio: f64) {
        let Throughput { count, last_round, average, .. } = &mut self.throughput;
        for packets in [&mut self.target, count, last_round, average] {
            *packets *= ratio;
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("fast_alpha_packets", self.alpha);
        gauge("fast_target_packets", self.target);
        gauge("fast_throughput_packets_per_s", self.throughput.average);
    }
}
