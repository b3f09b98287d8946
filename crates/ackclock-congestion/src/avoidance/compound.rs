//! Compound TCP (mesonet, 5.2.2; Tan, Song, Zhang and Sridharan 2006).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::reno::{Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::round_rtt::{RoundRtt, queued};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "compound",
    title: "Compound TCP: a delay-based window beside standard TCP's",
    source: "mesonet, 5.2.2 and Table 5-4; Tan, Song, Zhang, Sridharan, INFOCOM 2006; draft-sridharan-tcpm-ctcp-02",
    parameters: &[
        Parameter::new(
            "alpha",
            Unit::Number,
            0.125,
            (0.0, 10.0),
            "growth of the delay window per round trip, as a multiple of win^k",
        ),
        Parameter::new(
            "beta",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "part of both windows together given up after a loss, not less than standard TCP's",
        ),
        Parameter::new(
            "gamma",
            Unit::Packets,
            30.0,
            (0.0, f64::INFINITY),
            "queued data from which the delay window shrinks",
        ),
        Parameter::new(
            "zeta",
            Unit::Number,
            0.1,
            (0.0, 1000.0),
            "decrease of the delay window per queued packet and round trip",
        ),
        Parameter::new(
            "k",
            Unit::Number,
            0.8,
            (0.0, 1.0),
            "exponent of the growth of the delay window (0.75 in the draft)",
        ),
        Parameter::new(
            "low_window",
            Unit::Packets,
            41.0,
            (0.0, f64::INFINITY),
            "sum of both windows below which this is standard TCP (38 in Linux' agent)",
        ),
    ],
    aliases: &["ctcp"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Compound {
    Compound::new(values)
}

/// A send window of `win = cwnd + dwnd` packets: `cwnd` as in standard TCP, by `1 / win` per packet acknowledged;
/// `dwnd` once per round trip, by the packets queued, `diff = win (1 - base RTT / RTT)`:
/// - up by `alpha win^k - 1` while `diff < gamma`, so that both together grow by `alpha win^k`;
/// - down by `zeta diff` from `gamma` on;
/// - after a loss to `win (1 - beta) - cwnd / 2`, so that both together keep `1 - beta`;
///
/// and never below 0. It is 0 in slow start, after a timeout, and while `win` is below `low_window`.
///
/// This is the published algorithm with the parameters of mesonet's Table 5-4. Its equations 14 to 17, read literally,
/// add `dwnd` into `cwnd` with every acknowledgment, keep `dwnd` from rising above 0, and reduce it to 0 at each loss;
/// the published rule has none of that. Choices where the sources are silent or contradict each other:
/// - *The round-trip time of a round* is the mean of its samples, as for [`Vegas`](super::Vegas). If the last
///   acknowledgment of a round must not grow the window, the round does not change `dwnd`.
/// - *A loss* reduces `dwnd` at once. (17) waits for the next update.
/// - *`low_window`* is compared with `win`, as in the Linux agent, since `win` corresponds to standard TCP's window.
///   (13) compares `cwnd` alone, which would switch `dwnd` off after a loss that leaves most of the window in it.
/// - *The threshold after a timeout* is half of `cwnd`, as in (16).
#[derive(Clone, Copy, Debug)]
pub struct Compound {
    rule: Rule,
    /// The delay window in packets.
    dwnd: f64,
    /// The loss-based window as of the latest acknowledgment, in packets.
    cwnd: f64,
    rtt: RoundRtt,
    /// The mean round-trip time of the round that the latest acknowledgment completed, in nanoseconds.
    closed: Option<f64>,
    /// Packets queued at the last update; for traces.
    diff: f64,
}

/// The parameters, named as in Table 5-4.
#[derive(Clone, Copy, Debug)]
struct Rule {
    alpha: f64,
    beta: f64,
    gamma: f64,
    zeta: f64,
    k: f64,
    low_window: f64,
}

impl Compound {
    /// From the registry's values.
    fn new(values: &Values) -> Compound {
        let rule = Rule {
            alpha: values.get("alpha"),
            beta: values.get("beta"),
            gamma: values.get("gamma"),
            zeta: values.get("zeta"),
            k: values.get("k"),
            low_window: values.get("low_window"),
        };
        Compound { rule, dwnd: 0.0, cwnd: 0.0, rtt: RoundRtt::default(), closed: None, diff: f64::NAN }
    }

    /// The update of the delay window at the end of a round trip.
    fn update(&mut self, win: f64, ack: &Ack, rtt: f64) {
        let Rule { alpha, gamma, zeta, k, .. } = self.rule;
        let diff = queued(win, ack.min_rtt.as_nanos() as f64, rtt);
        self.diff = diff;
        // In a round without a sample the difference is NaN, and both comparisons are false.
        if diff < gamma {
            self.dwnd += (alpha * libm::pow(win, k) - 1.0).max(0.0);
        } else if diff >= gamma {
            self.dwnd = (self.dwnd - zeta * diff).max(0.0);
        }
    }
}

impl Avoidance for Compound {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.cwnd = window.cwnd;
        self.closed = self.rtt.measure(ack);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let win = window.cwnd + self.dwnd;
        if win < self.rule.low_window {
            self.dwnd = 0.0;
            Reno::per_ack().adjust(ack, window);
        } else {
            if let Some(rtt) = self.closed {
                self.update(win, ack, rtt);
            }
            window.cwnd += ack.counted(1.0) / win;
        }
        self.cwnd = window.cwnd;
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        // The measurements so far belong to the old window.
        self.rtt.restart();
        self.closed = None;
        let restart = event.restart || event.signal == Signal::Timeout;
        if used < self.rule.low_window {
            self.dwnd = 0.0;
            return half(used);
        }
        // A sender that used less than the whole window used less of both parts.
        let part = if self.dwnd > 0.0 { self.cwnd / (self.cwnd + self.dwnd) } else { 1.0 };
        let kept = half(part * used);
        let both = (1.0 - self.rule.beta) * used;
        self.dwnd = if restart { 0.0 } else { (both - kept).max(0.0) };
        kept
    }

    fn scale(&mut self, ratio: f64) {
        self.dwnd *= ratio;
        self.cwnd *= ratio;
        self.diff *= ratio;
    }

    fn delay_window(&self) -> f64 {
        self.dwnd
    }

    fn on_idle_restart(&mut self) {
        self.dwnd = 0.0;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("compound_dwnd_packets", self.dwnd);
        gauge("compound_diff_packets", self.diff);
    }
}
