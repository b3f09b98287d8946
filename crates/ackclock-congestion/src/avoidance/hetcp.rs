//! HE-TCP: rapid growth while the window is below the estimated bandwidth-delay product (he-tcp, 3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use super::reno::{Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "hetcp",
    title: "HE-TCP: slow start's growth below the estimated bandwidth-delay product, standard TCP above",
    source: "he-tcp, 3, eq. 1-3 and figure 2 (Park, Park, Lee, Kim, ICCS 2007)",
    parameters: &[
        Parameter::new(
            "n",
            Unit::Number,
            10.0,
            (1.0, 1e6),
            "samples of the bandwidth per window (GTSW); 1: the estimator ABE; above any window, 1000000: TSW (3.1)",
        ),
        Parameter::new(
            "loss_estimate",
            Unit::PacketsPerSecond,
            0.0,
            (0.0, 1e9),
            "value from which the bandwidth estimate restarts after a loss: 0 in figure 2, 1 in 3.3",
        ),
        Parameter::new(
            "smoothed",
            Unit::Number,
            0.0,
            (0.0, 1.0),
            "0: the estimate forgets over the base round-trip time (figure 2); else: over SRTT (1)",
        ),
        Parameter::new(
            "from_start",
            Unit::Number,
            0.0,
            (0.0, 1.0),
            "0: the estimate sets the threshold after slow start; else: at once (figure 2)",
        ),
        Parameter::new(
            "low_window",
            Unit::Packets,
            0.0,
            (0.0, f64::INFINITY),
            "window below which the estimate does not set the threshold",
        ),
    ],
    aliases: &["he-tcp"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> HeTcp {
    HeTcp::new(values)
}

/// Standard TCP with a threshold that follows the estimated bandwidth: `ssthresh = int(BW * base RTT)`, about `n`
/// times per window. Whenever the threshold lies above the window, the window grows as in slow start: the RI phase.
///
/// The estimate (GTSW) is `(RTT * BW + packets) / (RTT + dt)`, with `packets` acknowledged in `dt`. After a
/// loss, which halves the window, the estimate restarts.
///
/// *RI is the slow start this avoidance is combined with.* The paper's listing has standard slow start in both phases.
/// With `limited`, RI is limited too; a slow start that tests round-trip times tests them in RI.
///
/// Choices where the source is open or contradictory:
/// - *In slow start* the estimate lags behind the doubling window: it is at most 0.6 of the window. Read literally,
///   figure 2 therefore ends slow start with its first sample. The window then grows by a packet in each of the first
///   round trips and, on a path that it does not fill, by some two fifths in each later one; figure 1 shows slow
///   start. Here the estimate moves the threshold only after slow start has ended, initially and after a timeout.
///   `from_start` follows the listing.
/// - *The time constant of the estimate* is the base round-trip time in figure 2 and the smoothed one in (1).
/// - *After a loss* figure 2 has 0 for the estimate, 3.3 has 1, without a unit.
/// - *Small windows*: 3.4 requires standard TCP at windows of "ordinary small BDP networks", without a number. Figure
///   2 has no such rule, so `low_window` is 0.
/// - *A timeout* is standard TCP's, and the estimate restarts.
/// - *Packets* are counted, not acknowledgments, which may acknowledge two.
#[derive(Clone, Copy, Debug)]
pub struct HeTcp {
    rule: Rule,
    /// In packets per second.
    bandwidth: f64,
    /// Packets acknowledged since the latest sample.
    count: f64,
    sampled: Option<Time>,
    /// The estimate sets the threshold.
    past_slow_start: bool,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
struct Rule {
    n: f64,
    loss_estimate: f64,
    smoothed: bool,
    from_start: bool,
    low_window: f64,
}

impl HeTcp {
    /// From the registry's values.
    fn new(values: &Values) -> HeTcp {
        let rule = Rule {
            n: values.get("n"),
            loss_estimate: values.get("loss_estimate"),
            smoothed: values.get("smoothed") > 0.0,
            from_start: values.get("from_start") > 0.0,
            low_window: values.get("low_window"),
        };
        HeTcp { rule, bandwidth: 0.0, count: 0.0, sampled: None, past_slow_start: rule.from_start }
    }

    /// Processes an acknowledgment. Returns true if it completed a sample.
    fn estimate(&mut self, ack: &Ack, cwnd: f64) -> bool {
        let Some(sampled) = self.sampled else {
            self.sampled = Some(ack.now);
            return false;
        };
        self.count += ack.delivered;
        let packets = (cwnd / self.rule.n).floor().max(1.0);
        if self.count < packets || ack.min_rtt.is_zero() {
            return false;
        }
        let memory = if self.rule.smoothed { ack.srtt } else { ack.min_rtt }.as_secs_f64();
        let elapsed = ack.now.since(sampled).as_secs_f64();
        // Equation 2.
        self.bandwidth = (memory * self.bandwidth + self.count) / (memory + elapsed);
        self.count = 0.0;
        self.sampled = Some(ack.now);
        true
    }
}

impl Avoidance for HeTcp {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.past_slow_start |= window.cwnd >= window.ssthresh;
        let sampled = self.estimate(ack, window.cwnd);
        if sampled && self.past_slow_start && window.cwnd >= self.rule.low_window {
            // Equation 3. A product that rounding leaves just below a whole number counts as that number.
            let packets = (self.bandwidth * ack.min_rtt.as_secs_f64() + 1e-9).floor();
            window.ssthresh = packets.max(1.0);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        Reno::per_ack().adjust(ack, window);
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let restart = event.restart || event.signal == Signal::Timeout;
        self.past_slow_start = self.rule.from_start || !restart;
        self.bandwidth = self.rule.loss_estimate;
        half(used)
    }

    fn scale(&mut self, ratio: f64) {
        self.bandwidth *= ratio;
        self.count *= ratio;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("hetcp_bandwidth_packets_per_s", self.bandwidth);
    }
}
