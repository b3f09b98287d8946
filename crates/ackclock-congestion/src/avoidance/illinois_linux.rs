//! TCP Illinois as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::illinois::THETA;
use super::reno::LEAST_KEPT;
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

/// Growth per round trip, in 128ths of a packet.
const ALPHA_ONE: u64 = 128;
/// Three tenths, cut off.
const ALPHA_MIN: u64 = 38;
const ALPHA_MAX: u64 = 10 * ALPHA_ONE;

/// The part given up, in 64ths.
const BETA_ONE: u64 = 64;
const BETA_MIN: u64 = BETA_ONE / 8;
const BETA_MAX: u64 = BETA_ONE / 2;

/// Longer round-trip times count as this, in microseconds.
const LONGEST_RTT: u64 = 4_294_967_295 / ALPHA_MAX;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "illinois-linux",
    title: "TCP Illinois as in Linux: in whole packets, with growth in 128ths and back-off in 64ths",
    source: "Linux 6, tcp_illinois.c; Liu, Basar and Srikant, Performance Evaluation 65, 2008",
    parameters: &[
        Parameter::new(
            "low_window",
            Unit::Packets,
            15.0,
            (0.0, f64::INFINITY),
            "window below which the next round trip is standard TCP's",
        ),
        THETA,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> IllinoisLinux {
    IllinoisLinux {
        low_window: values.get("low_window"),
        theta: values.get("theta"),
        alpha: ALPHA_MAX,
        beta: BETA_MAX,
        counted: 0.0,
        round: None,
        restarted: false,
        rtt: Rtt::default(),
        was_above: false,
        low_rounds: 0.0,
    }
}

/// Illinois' growth and back-off as whole 128ths and 64ths, by delays in whole microseconds.
///
/// - *The update* comes with the first acknowledgment of a round trip outside of recovery, whose sample belongs to the round before;
///   the first one of the connection is an update, too. Before it growth is largest.
/// - *Round trips of low delay* are counted since growth was last largest. A round trip of high delay does not restart
///   the count.
/// - *The window* grows when the packets counted since its last growth, times `alpha`, fill it. It grows by the number
///   of windows that they fill; the rest is forgotten.
/// - *A timeout* leaves what a loss leaves, and takes both rates back to standard TCP's.
#[derive(Clone, Copy, Debug)]
pub struct IllinoisLinux {
    low_window: f64,
    theta: f64,
    alpha: u64,
    beta: u64,
    /// Packets acknowledged since the window last grew.
    counted: f64,
    /// The round of the last update; none before the first.
    round: Option<u64>,
    /// A timeout came after the last acknowledgment: the next acknowledgment begins a round.
    restarted: bool,
    rtt: Rtt,
    /// Since growth was last largest, a round trip had a delay above the low ones.
    was_above: bool,
    low_rounds: f64,
}

/// Round-trip times in microseconds.
#[derive(Clone, Copy, Debug)]
struct Rtt {
    /// Of all samples.
    least: u64,
    most: u64,
    /// The sum of the samples since the last update; their number has 16 bits.
    sum: u64,
    samples: u16,
}

impl Default for Rtt {
    fn default() -> Rtt {
        Rtt { least: u64::MAX, most: 0, sum: 0, samples: 0 }
    }
}

impl Rtt {
    fn take_sample(&mut self, rtt: u64, acks: u32) {
        self.least = self.least.min(rtt);
        self.most = self.most.max(rtt);
        self.sum += rtt * u64::from(acks);
        self.samples = self.samples.wrapping_add(acks as u16);
    }

    /// The largest and the mean queueing delay; none without a sample.
    fn queueing(&self) -> Option<(u64, u64)> {
        let mean = self.sum.checked_div(u64::from(self.samples))?;
        Some((self.most - self.least, mean - self.least))
    }

    fn restart(&mut self) {
        (self.sum, self.samples) = (0, 0);
    }
}

impl IllinoisLinux {
    fn update(&mut self, cwnd: f64) {
        if cwnd.floor() < self.low_window {
            (self.alpha, self.beta) = (ALPHA_ONE, BETA_MAX);
        } else if let Some((longest, mean)) = self.rtt.queueing() {
            self.renew_alpha(longest, mean);
            self.beta = beta(longest, mean);
        }
        self.rtt.restart();
    }

    fn renew_alpha(&mut self, longest: u64, mean: u64) {
        let low = longest / 100;
        if mean > low {
            self.was_above = true;
            let (longest, mean) = (longest - low, mean - low);
            self.alpha = longest * ALPHA_MAX / (longest + mean * (ALPHA_MAX - ALPHA_MIN) / ALPHA_MIN);
            return;
        }
        if self.was_above {
            self.low_rounds += 1.0;
            if self.low_rounds < self.theta {
                return;
            }
            (self.was_above, self.low_rounds) = (false, 0.0);
        }
        self.alpha = ALPHA_MAX;
    }
}

/// A straight line between a tenth and eight tenths of the longest queueing delay.
fn beta(longest: u64, mean: u64) -> u64 {
    let (short, long) = (longest / 10, 8 * longest / 10);
    if mean <= short {
        BETA_MIN
    } else if mean >= long || long <= short {
        BETA_MAX
    } else {
        (BETA_MIN * long + (BETA_MAX - BETA_MIN) * mean - BETA_MAX * short) / (long - short)
    }
}

impl Avoidance for IllinoisLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if let Some(rtt) = ack.rtt {
            self.rtt.take_sample((rtt.as_nanos() / 1_000).min(LONGEST_RTT), ack.acks);
        }
        if std::mem::take(&mut self.restarted) {
            self.round = Some(ack.round);
        }
        let may_update = !ack.suspended && ack.advanced && ack.delivered > 0.0;
        if may_update && self.round != Some(ack.round) {
            self.round = Some(ack.round);
            self.update(window.cwnd);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.counted += ack.delivered;
        let amount = (self.counted * self.alpha as f64 / ALPHA_ONE as f64).floor();
        let cwnd = window.cwnd.floor();
        if amount >= cwnd {
            window.cwnd += (amount / cwnd).floor();
            self.counted = 0.0;
        }
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let used = used.floor();
        let given_up = (used * self.beta as f64 / BETA_ONE as f64).floor();
        self.counted = 0.0;
        if event.signal == Signal::Timeout {
            (self.alpha, self.beta) = (ALPHA_ONE, BETA_MAX);
            (self.was_above, self.low_rounds) = (false, 0.0);
            self.rtt.restart();
            self.restarted = true;
        }
        (used - given_up).max(LEAST_KEPT)
    }

    /// Growth per round trip follows from parameters, and stays.
    fn scale(&mut self, ratio: f64) {
        self.counted *= ratio;
    }

    fn abc_limit(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("illinois_alpha_packets", self.alpha as f64 / ALPHA_ONE as f64);
        gauge("illinois_beta", self.beta as f64 / BETA_ONE as f64);
    }
}
