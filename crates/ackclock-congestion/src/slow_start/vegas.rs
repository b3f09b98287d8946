//! The modified slow start of TCP Vegas (tcp-variants, 2.3.3; Brakmo and Peterson 1995).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion};
use crate::round_rtt::{RoundRtt, queued};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "vegas",
    title: "Vegas' slow start: doubling every other round trip, until packets queue",
    source: "tcp-variants, 2.3.3; Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    parameters: &[GAMMA, CUT],
    ..Entry::PLAIN
};

pub(super) const GAMMA: Parameter = Parameter::new(
    "gamma",
    Unit::Packets,
    1.0,
    (0.0, f64::INFINITY),
    "queued data above which slow start ends",
);
pub(super) const CUT: Parameter = Parameter::new(
    "cut",
    Unit::Number,
    0.125,
    (0.0, 1.0),
    "part of the window given up when slow start ends this way (0: none)",
);

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Vegas {
    Vegas::new(values.get("gamma"), values.get("cut"))
}

/// Ends slow start, and gives back this part of the window down to two packets.
pub(super) fn end(window: &mut Window, cut: f64) {
    window.cwnd = (window.cwnd * (1.0 - cut)).max(window.cwnd.min(2.0));
    window.ssthresh = window.cwnd;
}

/// Growth as in standard slow start in every other round trip; in between the window rests, and a rest that found
/// more than `gamma` packets queued ends slow start.
///
/// Points that the sources leave open, and the choices made here:
/// - *The first round* rests, as in ns-2, so that a comparison precedes every growth.
/// - *`gamma`* is a threshold of Brakmo and Peterson's without a value in tcp-variants; one packet in ns-2.
/// - *The window it ends with*: Vegas' implementation, and ns-2 from there, gives an eighth back (`cut`).
/// - *The round-trip time of the resting round* is the mean of its samples; see the avoidance.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    gamma: f64,
    cut: f64,
    rtt: RoundRtt,
    /// True in a round of growth.
    growing: bool,
    /// The mean round-trip time of the resting round before this one, in nanoseconds, until it is judged.
    rested: Option<f64>,
}

impl Vegas {
    /// `gamma` in packets; `cut` is the part of the window given back at the end.
    pub fn new(gamma: f64, cut: f64) -> Vegas {
        Vegas { gamma, cut, rtt: RoundRtt::default(), growing: false, rested: None }
    }
}

impl Default for Vegas {
    /// As in ns-2.
    fn default() -> Vegas {
        Vegas::new(1.0, 0.125)
    }
}

impl SlowStart for Vegas {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if let Some(rtt) = self.rtt.measure(ack) {
            self.growing = !self.growing;
            self.rested = self.growing.then_some(rtt);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        if !self.growing {
            return;
        }
        if let Some(rtt) = self.rested.take()
            && queued(window.cwnd, ack.min_rtt.as_nanos() as f64, rtt) > self.gamma
        {
            return end(window, self.cut);
        }
        window.cwnd = (window.cwnd + ack.counted(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        // The samples of this round belong to the window before the reduction.
        self.rtt.restart();
        self.rested = None;
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
