//! TCP-LP (Kuzmanovic and Knightly, INFOCOM 2003).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::{BYTE_COUNTING, Reno, half};
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

/// For this many round trips after a reduction, acknowledgments are of packets sent before it.
const ROUNDS_UNTIL_SEEN: u64 = 2;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "lp",
    title: "TCP-LP: low priority; gives way to other traffic when its delay rises",
    source: "Kuzmanovic and Knightly, INFOCOM 2003; IEEE/ACM ToN 14(4), 2006",
    parameters: &[
        Parameter::new(
            "delta",
            Unit::Number,
            0.15,
            (0.0, 1.0),
            "part of the range of delays above which the smoothed delay shows congestion",
        ),
        Parameter::new("gamma", Unit::Number, 0.125, (1e-6, 1.0), "weight of a sample in the smoothed delay"),
        Parameter::new(
            "inference",
            Unit::RoundTrips,
            3.0,
            (0.0, 1e6),
            "round trips after a reduction in which the window does not grow, and may fall to one packet",
        ),
        BYTE_COUNTING,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Lp {
    Lp {
        delta: values.get("delta"),
        gamma: values.get("gamma"),
        inference: values.get("inference"),
        standard: Reno::counting(values.get("limit")),
        delay: None,
        inferring: None,
    }
}

/// Standard TCP that infers congestion early, from a smoothed delay in the upper part of the range of delays. It halves
/// the window, and does not grow it for three round trips; if congestion persists meanwhile, the window falls to one
/// packet.
///
/// Points that the source leaves open, and the choices made here:
/// - *Delays* are round-trip times: the facts have no one-way delays.
/// - *A second reduction* needs packets that were sent after the first, which are acknowledged from the second round on.
/// - *After it* the window does not grow for another three round trips, as in Linux.
/// - *The range of delays* covers all samples from the beginning, and is used in avoidance only.
#[derive(Clone, Copy, Debug)]
pub struct Lp {
    delta: f64,
    gamma: f64,
    inference: f64,
    standard: Reno,
    delay: Option<Delay>,
    inferring: Option<Inference>,
}

/// The delays of all samples, in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Delay {
    smoothed: f64,
    least: Duration,
    most: Duration,
}

/// The time after a reduction.
#[derive(Clone, Copy, Debug)]
struct Inference {
    /// Its end in nanoseconds.
    end: f64,
    /// The round of the reduction.
    round: u64,
}

impl Lp {
    /// The early congestion indication.
    fn is_congested(&self) -> bool {
        self.delay.is_some_and(|delay| {
            let (least, most) = (delay.least.as_nanos() as f64, delay.most.as_nanos() as f64);
            delay.smoothed > least + (most - least) * self.delta
        })
    }

    fn reduce(&mut self, ack: &Ack, window: &mut Window, to: f64) {
        window.cwnd = to.max(1.0);
        window.ssthresh = window.ssthresh.min(window.cwnd);
        let end = ack.now.as_nanos() as f64 + self.inference * ack.srtt.as_nanos() as f64;
        self.inferring = Some(Inference { end, round: ack.round });
    }
}

impl Avoidance for Lp {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        let Some(rtt) = ack.rtt else { return };
        let sample = rtt.as_nanos() as f64;
        let delay = self.delay.get_or_insert(Delay { smoothed: sample, least: rtt, most: rtt });
        delay.smoothed += self.gamma * (sample - delay.smoothed);
        delay.least = delay.least.min(rtt);
        delay.most = delay.most.max(rtt);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let now = ack.now.as_nanos() as f64;
        match self.inferring.filter(|inference| now < inference.end) {
            None if self.is_congested() => self.reduce(ack, window, window.cwnd / 2.0),
            None => self.standard.adjust(ack, window),
            Some(inference) if ack.round >= inference.round + ROUNDS_UNTIL_SEEN && self.is_congested() => {
                self.reduce(ack, window, 1.0);
            }
            Some(_) => {}
        }
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        half(used)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("lp_delay_s", self.delay.map_or(f64::NAN, |delay| delay.smoothed / 1e9));
    }
}
