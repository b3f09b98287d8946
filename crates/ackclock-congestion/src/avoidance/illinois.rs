//! TCP Illinois (Liu, Basar and Srikant, Performance Evaluation 65, 2008).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::{BYTE_COUNTING, LEAST_KEPT, Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::round_rtt::RoundRtt;
use crate::windowed::{Avoidance, Window};

/// Standard TCP's: the packets added per round trip, and the part given up at a loss.
const STANDARD: Rates = Rates { alpha: 1.0, beta: 0.5 };

/// The parameter `theta`.
pub(super) const THETA: Parameter = Parameter::new(
    "theta",
    Unit::RoundTrips,
    5.0,
    (1.0, 1e6),
    "round trips of low delay before growth returns to its largest",
);

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "illinois",
    title: "TCP Illinois: losses give the direction, the queueing delay the size of the step",
    source: "Liu, Basar and Srikant, Performance Evaluation 65, 2008",
    parameters: &[
        Parameter::new("alpha_min", Unit::Packets, 0.3, (0.001, 1.0), "least growth per round trip"),
        Parameter::new("alpha_max", Unit::Packets, 10.0, (1.0, 1e6), "largest growth per round trip"),
        Parameter::new("beta_min", Unit::Number, 0.125, (0.0, 1.0), "least part given up at a loss"),
        Parameter::new(
            "beta_max",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "largest part given up at a loss; at least beta_min",
        ),
        Parameter::new(
            "low_window",
            Unit::Packets,
            10.0,
            (0.0, f64::INFINITY),
            "window below which the rule is standard TCP's (Linux and ns-3: 15)",
        ),
        THETA,
        Parameter::new(
            "d1",
            Unit::Number,
            0.01,
            (0.0, 0.99),
            "part of the largest queueing delay up to which growth is largest",
        ),
        Parameter::new(
            "d2",
            Unit::Number,
            0.1,
            (0.0, 1.0),
            "part of the largest queueing delay up to which the part given up is least",
        ),
        Parameter::new(
            "d3",
            Unit::Number,
            0.8,
            (0.0, 1.0),
            "part of the largest queueing delay from which on the part given up is largest; above d2",
        ),
        BYTE_COUNTING,
    ],
    check: Some(check),
    ..Entry::PLAIN
};

fn check(values: &Values) -> Result<(), String> {
    for (low, high, may_be_equal) in
        [("alpha_min", "alpha_max", false), ("beta_min", "beta_max", true), ("d2", "d3", false)]
    {
        let (least, most) = (values.get(low), values.get(high));
        if least > most || (!may_be_equal && least >= most) {
            return Err(format!("{low}={least} must be below {high}={most}"));
        }
    }
    Ok(())
}

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Illinois {
    Illinois {
        least: Rates { alpha: values.get("alpha_min"), beta: values.get("beta_min") },
        most: Rates { alpha: values.get("alpha_max"), beta: values.get("beta_max") },
        low_window: values.get("low_window"),
        theta: values.get("theta"),
        d1: values.get("d1"),
        d2: values.get("d2"),
        d3: values.get("d3"),
        standard: Reno::counting(values.get("limit")),
        rates: STANDARD,
        rtt: RoundRtt::default(),
        max_rtt: Duration::ZERO,
        low_rounds: f64::INFINITY,
    }
}

/// Packets added per round trip, and the part of the window given up at a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rates {
    alpha: f64,
    beta: f64,
}

/// Growth by `alpha` packets per round trip, which falls with the mean queueing delay, and a back-off by the part
/// `beta`, which rises with it.
///
/// Points that the source leaves open, and the choices made here:
/// - *The smallest and the largest round-trip time* are those of single packets, not of means, as in
///   Linux and ns-3.
/// - *The update* comes at the end of a round trip, with the mean of its samples.
/// - *A timeout* keeps half and takes `alpha` and `beta` back to standard TCP's, as in Linux.
/// - *Before the first round trip ends* both are standard TCP's; Linux begins with the largest growth.
#[derive(Clone, Copy, Debug)]
pub struct Illinois {
    least: Rates,
    most: Rates,
    low_window: f64,
    theta: f64,
    d1: f64,
    d2: f64,
    d3: f64,
    standard: Reno,
    rates: Rates,
    rtt: RoundRtt,
    max_rtt: Duration,
    /// Round trips of low delay since the last one of higher delay; infinite before any of those.
    low_rounds: f64,
}

impl Illinois {
    /// `mean` and `longest` are queueing delays in one unit: `d_a` and `d_m` of the source.
    fn update(&mut self, mean: f64, longest: f64) {
        let low = self.d1 * longest;
        if mean > low {
            self.low_rounds = 0.0;
            // k1 / (k2 + d_a), with numerator and denominator divided by k1 / alpha_max.
            let steepness = (self.most.alpha - self.least.alpha) / self.least.alpha;
            let range = longest - low;
            self.rates.alpha = self.most.alpha * range / (range + steepness * (mean - low));
        } else {
            self.low_rounds += 1.0;
            if self.low_rounds >= self.theta {
                self.rates.alpha = self.most.alpha;
            }
        }
        let (short, long) = (self.d2 * longest, self.d3 * longest);
        self.rates.beta = if mean <= short {
            self.least.beta
        } else if mean >= long {
            self.most.beta
        } else {
            self.least.beta + (self.most.beta - self.least.beta) * (mean - short) / (long - short)
        };
    }

    fn rates_at(&self, window: f64) -> Rates {
        if window < self.low_window { STANDARD } else { self.rates }
    }
}

impl Avoidance for Illinois {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if let Some(mean) = self.rtt.measure(ack).filter(|mean| mean.is_finite()) {
            let base = ack.min_rtt.as_nanos() as f64;
            self.update(mean - base, self.max_rtt.as_nanos() as f64 - base);
        }
        if let Some(rtt) = ack.rtt {
            self.max_rtt = self.max_rtt.max(rtt);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let alpha = self.rates_at(window.cwnd).alpha;
        window.cwnd += alpha * self.standard.increase(ack, window.cwnd);
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        if event.signal == Signal::Timeout {
            self.rates = STANDARD;
            self.low_rounds = f64::INFINITY;
            self.rtt.restart();
            return half(used);
        }
        (used * (1.0 - self.rates_at(used).beta)).max(LEAST_KEPT)
    }

    /// Growth per round trip follows from parameters, and stays.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("illinois_alpha_packets", self.rates.alpha);
        gauge("illinois_beta", self.rates.beta);
    }
}
