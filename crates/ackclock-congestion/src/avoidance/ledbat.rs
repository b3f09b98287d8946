//! LEDBAT (RFC 6817).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion};
use crate::queueing_delay::QueueingDelay;
use crate::windowed::{Avoidance, Window};

/// The smallest window in packets: `MIN_CWND`.
const MIN_CWND: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "ledbat",
    title: "LEDBAT: less than best effort, by a target for the queueing delay",
    source: "RFC 6817, 2.4",
    parameters: &[
        Parameter::new(
            "target",
            Unit::Milliseconds,
            100.0,
            (0.1, 10_000.0),
            "queueing delay at which the window rests (RFC 6817: at most 100 ms)",
        ),
        Parameter::new(
            "gain",
            Unit::Number,
            1.0,
            (0.0, 10.0),
            "packets per round trip that the window grows without any queue, and shrinks at twice the target (at most 1)",
        ),
        Parameter::new(
            "allowed_increase",
            Unit::Packets,
            1.0,
            (0.0, f64::INFINITY),
            "packets by which the window may be above what is in flight",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Ledbat {
    Ledbat {
        target: 1e6 * values.get("target"),
        gain: values.get("gain"),
        allowed_increase: values.get("allowed_increase"),
        delay: QueueingDelay::default(),
    }
}

/// Growth in proportion to the distance of the queueing delay from the target, down as well as up.
///
/// Points that the source leaves open, and the choices made here:
/// - *Delays* are round-trip times: the facts have no one-way delays, so that queues of acknowledgments count, too.
/// - *Slow start*, which the RFC does not describe, ends when the queueing delay reaches the target.
/// - *A round trip that the sender did not fill* leaves the window as it is. The RFC's bound by the
///   packets in flight holds as well.
/// - *A timeout* (the RFC's CTO) leaves half as the threshold.
#[derive(Clone, Debug)]
pub struct Ledbat {
    /// In nanoseconds.
    target: f64,
    gain: f64,
    allowed_increase: f64,
    delay: QueueingDelay,
}

impl Avoidance for Ledbat {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        let Some(rtt) = ack.rtt else { return };
        self.delay.measure(ack.now, rtt);
        if window.cwnd < window.ssthresh && self.delay.nanos() >= self.target {
            window.ssthresh = window.cwnd;
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let off_target = (self.target - self.delay.nanos()) / self.target;
        let moved = window.cwnd + self.gain * off_target * ack.delivered / window.cwnd;
        let in_flight_before = ack.in_flight + ack.delivered;
        window.cwnd = moved.min(in_flight_before + self.allowed_increase).max(MIN_CWND);
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        (used / 2.0).max(MIN_CWND)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("ledbat_queueing_delay_s", self.delay.nanos() / 1e9);
    }
}
