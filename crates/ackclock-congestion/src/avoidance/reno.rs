//! The congestion avoidance of standard TCP (RFC 5681, 3.1).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

/// The most packets counted per acknowledgment, for rules whose sources state the increment per acknowledgment.
pub(crate) const ABC_LIMIT: Parameter = limit(1.0);

/// The most packets counted per acknowledgment, for rules that increase as standard TCP does: RFC 5681 recommends
/// counting all acknowledged data.
pub(crate) const BYTE_COUNTING: Parameter = limit(f64::INFINITY);

const fn limit(default: f64) -> Parameter {
    Parameter::new(
        "limit",
        Unit::Packets,
        default,
        (1.0, f64::INFINITY),
        "largest count per acknowledgment (1: once per acknowledgment; inf: every packet)",
    )
}

/// The part of the window kept after a mark, for algorithms that keep more of it than after a loss.
pub(crate) const ECN_BETA: Parameter = Parameter::new(
    "ecn_beta",
    Unit::Number,
    0.0,
    (0.0, 1.0),
    "part of the window kept after a mark (RFC 8511: 0.8); 0: as after a loss",
);

/// The smallest window after a loss, in packets (RFC 5681, eq. 4).
pub(crate) const LEAST_KEPT: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "reno",
    title: "Standard congestion avoidance: one packet more per round trip, half after a loss",
    source: "RFC 5681, 3.1; RFC 3465, 2.1; RFC 8511",
    parameters: &[BYTE_COUNTING, ECN_BETA],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Reno {
    Reno { abc_limit: values.get("limit"), ecn_beta: values.get("ecn_beta") }
}

/// Additive increase by one packet per window of acknowledgments, multiplicative decrease by half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reno {
    /// The most packets counted per acknowledgment: infinite by default, since RFC 3465 has a limit L in slow start (2.2)
    /// and none in congestion avoidance (2.1). With 1, eq. 3 of RFC 5681, a receiver that acknowledges every other packet
    /// halves the growth.
    pub abc_limit: f64,
    /// The part kept after a mark (RFC 8511, Alternative Backoff with ECN); zero to keep as much as after a loss.
    pub ecn_beta: f64,
}

impl Reno {
    /// Eq. 3 of RFC 5681, once per acknowledgment, for algorithms whose sources count acknowledgments.
    pub(crate) const fn per_ack() -> Reno {
        Reno::counting(1.0)
    }

    /// Counts at most `abc_limit` packets per acknowledgment, and backs off alike after all signals.
    pub(crate) const fn counting(abc_limit: f64) -> Reno {
        Reno { abc_limit, ecn_beta: 0.0 }
    }

    /// The packets that an acknowledgment adds to a window of `cwnd`, for algorithms that add a multiple of it.
    pub(crate) fn increase(self, ack: &Ack, cwnd: f64) -> f64 {
        // An acknowledgment of less than a packet counts as a part of one, so a receiver gains nothing by splitting
        // acknowledgments. An acknowledgment that fills a hole may cover more than a window; it adds at most one
        // packet, as in RFC 3465, 2.1 ("cwnd MUST NOT be increased by more than SMSS bytes per RTT", RFC 5681, 3.1).
        (ack.counted(self.abc_limit) / cwnd).min(f64::from(ack.acks))
    }
}

impl Default for Reno {
    /// Byte counting, "the RECOMMENDED way to increase cwnd during congestion avoidance" (RFC 5681, 3.1).
    fn default() -> Reno {
        Reno::counting(f64::INFINITY)
    }
}

impl Avoidance for Reno {
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += self.increase(ack, window.cwnd);
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        if event.signal == Signal::Ecn && self.ecn_beta > 0.0 {
            return (self.ecn_beta * used).max(LEAST_KEPT);
        }
        half(used)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}

/// RFC 5681, eq. 4: half of what is in flight, and at least two packets.
pub(crate) fn half(used: f64) -> f64 {
    (used / 2.0).max(LEAST_KEPT)
}
