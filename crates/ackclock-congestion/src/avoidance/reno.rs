//! The congestion avoidance of standard TCP (RFC 5681, 3.1).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

/// The largest count per acknowledgment, a parameter of every rule with an increment per acknowledgment.
pub(crate) const ABC_LIMIT: Parameter = Parameter::new(
    "limit",
    Unit::Packets,
    1.0,
    (1.0, f64::INFINITY),
    "largest count per acknowledgment (1: once per acknowledgment; inf: every packet)",
);

/// The smallest window after a loss, in packets (RFC 5681, eq. 4).
pub(crate) const LEAST_KEPT: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "reno",
    title: "Standard congestion avoidance: one packet more per round trip, half after a loss",
    source: "RFC 5681, 3.1, eq. 3 and 4; RFC 3465 for limits above 1",
    parameters: &[ABC_LIMIT],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Reno {
    Reno { abc_limit: values.get("limit") }
}

/// Additive increase by one packet per window of acknowledgments, multiplicative decrease by half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reno {
    /// The most packets counted per acknowledgment. With 1, eq. 3 of RFC 5681, a receiver that acknowledges
    /// every other packet halves the growth; with infinity, RFC 3465's byte counting, it does not.
    pub abc_limit: f64,
}

impl Default for Reno {
    /// RFC 5681.
    fn default() -> Reno {
        Reno { abc_limit: 1.0 }
    }
}

impl Avoidance for Reno {
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        // An acknowledgment of less than a packet counts as what it is: RFC 5681, 3.1 recommends counting bytes,
        // and so a receiver gains nothing by splitting acknowledgments.
        window.cwnd += ack.counted(self.abc_limit) / window.cwnd;
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        half(used)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}

/// RFC 5681, eq. 4: half of what is in flight, and at least two packets.
pub(crate) fn half(used: f64) -> f64 {
    (used / 2.0).max(LEAST_KEPT)
}
