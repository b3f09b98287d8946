//! H-TCP (mesonet, 5.2.5; Shorten and Leith 2004).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::reno::{ABC_LIMIT, LEAST_KEPT, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "htcp",
    title: "H-TCP: growth by the time since the last loss, back-off by how much of the round trip was queueing",
    source: "mesonet, 5.2.5, eq. 30-36; Shorten and Leith, PFLDnet 2004",
    parameters: &[
        Parameter::new(
            "delta_l",
            Unit::Seconds,
            1.0,
            (0.0, f64::INFINITY),
            "time after a loss during which it grows like standard TCP",
        ),
        Parameter::new(
            "delta_b",
            Unit::Number,
            0.2,
            (0.0, f64::INFINITY),
            "relative change of the throughput between losses above which half is kept",
        ),
        Parameter::new(
            "beta_min",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "smallest part of the window kept after a loss; at most beta_max",
        ),
        Parameter::new(
            "beta_max",
            Unit::Number,
            0.8,
            (0.0, 1.0),
            "largest part of the window kept after a loss",
        ),
        Parameter::new(
            "weight",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "weight of the latest sample in the throughput",
        ),
        Parameter::new(
            "period",
            Unit::Seconds,
            0.25,
            (0.001, 1e6),
            "shortest time between samples of the throughput",
        ),
        Parameter::new(
            "rtt_scaling",
            Unit::Number,
            1.0,
            (0.0, 1000.0),
            "growth is multiplied by this times the shortest round-trip time in seconds (Linux: 10); 0: no scaling",
        ),
        Parameter::new(
            "fade",
            Unit::Number,
            0.0,
            (0.0, 1.0),
            "part of the longest queueing delay that is forgotten at each loss (Linux: 0.05)",
        ),
        Parameter::new(
            "rtt_step",
            Unit::Seconds,
            0.0,
            (0.0, 1e6),
            "a round-trip time longer than the longest by more than this does not count (Linux: 0.02); 0: each counts",
        ),
        ABC_LIMIT,
    ],
    check: Some(|values| {
        let (min, max) = (values.get("beta_min"), values.get("beta_max"));
        if min <= max { Ok(()) } else { Err(format!("beta_min={min} must not be above beta_max={max}")) }
    }),
    aliases: &["h-tcp"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Htcp {
    Htcp::new(values)
}

/// Additive increase that accelerates with the time since the last loss, and decrease to the ratio of the shortest to the
/// longest round-trip time.
///
/// Deviations from the printed equations:
/// - *Eq. 31*: the shortest round-trip time is in seconds.
/// - *Eq. 33-35*: the throughput at the previous loss is Table 5-7's `Bk1_H`; the first loss, which has no previous
///   one, counts as a large change. The threshold follows the window, as after any other algorithm's losses.
/// - *Eq. 34* has no lower bound where the text has one: the back-off "varies between 0.5 and 0.8".
/// - *Eq. 36*: the count restarts with each sample, and is divided by the elapsed time, since a sample is
///   taken when an acknowledgment arrives.
/// - *The longest round-trip time* is the longest of the whole connection, so one delayed acknowledgment lowers the
///   back-off factor for good. Linux lets it fade by a twentieth at each loss and limits its rise (`fade`,
///   `rtt_step`).
/// - *The time since the last loss* is the time since the first acknowledgment before any loss, and the time since the
///   last timeout after a timeout.
#[derive(Clone, Copy, Debug)]
pub struct Htcp {
    parameters: Parameters,
    /// `beta_H`: the part of the window kept at the last loss.
    beta: f64,
    last_loss: Option<Time>,
    min_rtt: Duration,
    max_rtt: Duration,
    throughput: Throughput,
    /// `Bk1_H`: the throughput at the last loss in packets per second; zero if there was none.
    at_last_loss: f64,
    /// `2 (1 - beta_H) f_alpha` at the latest growth, in packets per round trip; for traces.
    alpha: f64,
}

/// Table 5-7, with times in seconds.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    delta_l: f64,
    delta_b: f64,
    beta_min: f64,
    beta_max: f64,
    weight: f64,
    period: Duration,
    /// Per second of the shortest round-trip time; zero for no scaling.
    scaling: f64,
    fade: f64,
    /// Zero for no limit.
    rtt_step: Duration,
    abc_limit: f64,
}

/// Eq. 36.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// `Bk_H`, in packets per second.
    mean: f64,
    /// `acksRTT_H`: packets delivered since the last sample.
    delivered: f64,
    /// The time of that sample; none before the first acknowledgment.
    sampled: Option<Time>,
}

impl Throughput {
    fn measure(&mut self, ack: &Ack, weight: f64, period: Duration) {
        let Some(sampled) = self.sampled else {
            self.sampled = Some(ack.now);
            return;
        };
        self.delivered += ack.delivered;
        let elapsed = ack.now.since(sampled);
        if elapsed >= period {
            let sample = self.delivered / elapsed.as_secs_f64();
            self.mean = weight * sample + (1.0 - weight) * self.mean;
            self.delivered = 0.0;
            self.sampled = Some(ack.now);
        }
    }
}

impl Htcp {
    fn new(values: &Values) -> Htcp {
        let parameters = Parameters {
            delta_l: values.get("delta_l"),
            delta_b: values.get("delta_b"),
            beta_min: values.get("beta_min"),
            beta_max: values.get("beta_max"),
            weight: values.get("weight"),
            period: Duration::from_secs_f64(values.get("period")),
            scaling: values.get("rtt_scaling"),
            fade: values.get("fade"),
            rtt_step: Duration::from_secs_f64(values.get("rtt_step")),
            abc_limit: values.get("limit"),
        };
        Htcp {
            parameters,
            beta: parameters.beta_min,
            last_loss: None,
            min_rtt: Duration::ZERO,
            max_rtt: Duration::ZERO,
            throughput: Throughput::default(),
            at_last_loss: 0.0,
            alpha: f64::NAN,
        }
    }

    /// Eq. 31 and 32: packets per round trip, before the compensation of the back-off factor.
    fn speed(&self, since_loss: Duration) -> f64 {
        let beyond = since_loss.as_secs_f64() - self.parameters.delta_l;
        if beyond <= 0.0 {
            return 1.0;
        }
        let quadratic = 1.0 + 10.0 * beyond + 0.25 * beyond * beyond;
        let scaling = self.parameters.scaling;
        let scale = if scaling > 0.0 { scaling * self.min_rtt.as_secs_f64() } else { 1.0 };
        (quadratic * scale).max(1.0)
    }

    /// Eq. 34. Its argument is the relative change of the throughput since the previous loss.
    fn part_to_keep(&self) -> f64 {
        let Parameters { delta_b, beta_min, beta_max, .. } = self.parameters;
        let change = (self.throughput.mean - self.at_last_loss).abs();
        let changed = self.at_last_loss <= 0.0 || change > delta_b * self.at_last_loss;
        // Without a sample the divisor is missing, and the queue is unknown.
        if changed || self.max_rtt.is_zero() {
            return beta_min;
        }
        (self.min_rtt.as_secs_f64() / self.max_rtt.as_secs_f64()).clamp(beta_min, beta_max)
    }

    /// Updates the longest round-trip time, whose rise is limited against delays other than the queue's
    /// (`rtt_step`).
    fn measure_longest(&mut self, rtt: Duration) {
        let step = self.parameters.rtt_step;
        let is_jump = !step.is_zero() && rtt > self.max_rtt.max(self.min_rtt) + step;
        if !is_jump {
            self.max_rtt = self.max_rtt.max(rtt);
        }
    }

    /// Forgets a part of the longest queueing delay (`fade`).
    fn fade(&mut self) {
        let fade = self.parameters.fade;
        if fade > 0.0 && self.max_rtt > self.min_rtt {
            self.max_rtt = self.min_rtt + (self.max_rtt - self.min_rtt).mul_f64(1.0 - fade);
        }
    }
}

impl Avoidance for Htcp {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        self.throughput.measure(ack, self.parameters.weight, self.parameters.period);
        self.last_loss.get_or_insert(ack.now);
        self.min_rtt = ack.min_rtt;
        self.measure_longest(ack.rtt.unwrap_or_default());
    }

    /// Eq. 30. The increase is in packets per round trip, as everywhere in the source.
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let since_loss = self.last_loss.map_or(Duration::ZERO, |last| ack.now.since(last));
        self.alpha = 2.0 * (1.0 - self.beta) * self.speed(since_loss);
        window.cwnd += self.alpha * ack.counted(self.parameters.abc_limit) / window.cwnd;
    }

    /// Eq. 33 and 35.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let timeout = event.signal == Signal::Timeout;
        self.beta = if timeout { 0.5 } else { self.part_to_keep() };
        self.fade();
        self.at_last_loss = self.throughput.mean;
        self.last_loss = Some(event.now);
        if timeout { half(used) } else { (self.beta * used).max(LEAST_KEPT) }
    }

    /// Scales the throughputs; the increase is in packets per round trip, whatever their size.
    fn scale(&mut self, ratio: f64) {
        self.throughput.mean *= ratio;
        self.throughput.delivered *= ratio;
        self.at_last_loss *= ratio;
    }

    fn abc_limit(&self) -> f64 {
        self.parameters.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("htcp_alpha_packets", self.alpha);
        gauge("htcp_beta", self.beta);
    }
}
