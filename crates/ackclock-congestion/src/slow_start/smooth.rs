//! Smooth Start: a slower exponential growth on the way to the threshold (burst-tcp, 3.3.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "smooth",
    title: "Smooth Start: standard slow start, then a slower exponential growth up to the threshold",
    source: "burst-tcp, 3.3.3, after Wang, Xin, Reeves and Shin, IEEE ISCC 2000",
    parameters: &[
        Parameter::new(
            "depth",
            Unit::Number,
            1.0,
            (0.0, 30.0),
            "doublings that remain to the threshold where the growth slows down; 0: none",
        ),
        Parameter::new(
            "grain",
            Unit::Number,
            2.0,
            (1.0, 1e6),
            "acknowledgments for a packet in the slower growth",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Smooth {
    Smooth { depth: values.get("depth"), grain: values.get("grain") }
}

/// Up to the smooth start threshold, `ssthresh / 2^depth`, the window grows by the packets acknowledged; from there to
/// ssthresh by `1/grain` of them, so that a round trip multiplies it by `1 + 1/grain`.
///
/// burst-tcp has the algorithm without a formula: a threshold `smsthresh` below ssthresh that depends on a depth and a grain
/// number, and a phase between the two whose growth is exponential but slower. The choices made here:
/// - *The depth number* places `smsthresh`: as many doublings below ssthresh.
/// - *The grain number* is the number of acknowledgments per packet in the phase.
/// - *Without an ssthresh* there is no `smsthresh` either: the growth is standard slow start's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Doublings; no unit.
    pub depth: f64,
    /// Acknowledgments per packet.
    pub grain: f64,
}

impl SlowStart for Smooth {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let smsthresh = window.ssthresh / libm::exp2(self.depth);
        let per_ack = if window.cwnd < smsthresh { 1.0 } else { 1.0 / self.grain };
        window.cwnd = (window.cwnd + ack.counted(1.0) * per_ack).min(window.ssthresh);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
