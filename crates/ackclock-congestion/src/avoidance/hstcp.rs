//! HSTCP, TCP for high speeds (mesonet, 5.2.4; RFC 3649).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::above_window::AboveWindow;
use super::reno::{ABC_LIMIT, LEAST_KEPT};
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "hstcp",
    title: "HighSpeed TCP: the larger the window, the faster it grows and the less it gives up",
    source: "mesonet, 5.2.4, eq. 24-29; RFC 3649, 5 (there low_window=38, offset=0)",
    parameters: &[
        Parameter::new(
            "low_window",
            Unit::Packets,
            31.0,
            (1.0, 1e9),
            "window below which it is standard TCP",
        ),
        Parameter::new(
            "high_window",
            Unit::Packets,
            83_000.0,
            (1.0, 1e9),
            "window at which a loss takes high_decrease; above low_window",
        ),
        Parameter::new(
            "high_decrease",
            Unit::Number,
            0.1,
            (0.01, 0.5),
            "part of the window given up at high_window; at low_window it is half",
        ),
        Parameter::new(
            "offset",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "addition to the growth per round trip, as in eq. 26; RFC 3649 has none",
        ),
        ABC_LIMIT,
    ],
    check: Some(|values| {
        let (low, high) = (values.get("low_window"), values.get("high_window"));
        if low < high { Ok(()) } else { Err(format!("low_window={low} must be below high_window={high}")) }
    }),
    aliases: &["highspeed", "hs-tcp"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> AboveWindow<Hstcp> {
    let (low, high) = (values.get("low_window"), values.get("high_window"));
    let high_decrease = values.get("high_decrease");
    let inner = Hstcp {
        low_window: low,
        slope: (high_decrease - 0.5) / libm::log(high / low),
        low_growth: 0.078 * libm::pow(low, 0.8),
        high_decrease,
        offset: values.get("offset"),
        abc_limit: values.get("limit"),
    };
    AboveWindow { low, inner }
}

/// Additive increase by `a(w)` packets per round trip and decrease by the part `b(w)`, chosen so that the mean window
/// is `0.12 / p^0.835` at a loss probability `p` (RFC 3649, 5); [`AboveWindow`] wraps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hstcp {
    /// In packets; there `b` is a half.
    pub low_window: f64,
    /// The slope of `b` over the logarithm of the window: at the high window `b` is `high_decrease`.
    pub slope: f64,
    /// The square of the low window times the loss probability that goes with it.
    pub low_growth: f64,
    /// A part of the window.
    pub high_decrease: f64,
    /// In packets per round trip.
    pub offset: f64,
    /// Packets counted per acknowledgment, at the most.
    pub abc_limit: f64,
}

impl Hstcp {
    /// Eq. 26, in packets per round trip. At a window `w` the response function has the loss probability 0.078 / w^1.2;
    /// times the square of `w` that is 0.078 w^0.8. This runs for every acknowledgment, so the power is computed from
    /// the logarithm that `b` needs as well.
    fn increase(&self, window: f64) -> f64 {
        let position = libm::log(window / self.low_window);
        let b = self.decrease(position);
        self.low_growth * libm::exp(0.8 * position) * 2.0 * b / (2.0 - b) + self.offset
    }

    /// Eq. 27, a straight line over the logarithm of the window: `position` is where the window lies on that axis, 0 at
    /// the low window. The line extends beyond the high window, as RFC 3649's table does, down to half of its value
    /// there: without that bound it would be zero at 0.6 million packets, where the window would neither grow nor
    /// shrink, and negative at larger windows.
    fn decrease(&self, position: f64) -> f64 {
        let line = self.slope * position + 0.5;
        line.max(self.high_decrease / 2.0)
    }
}

impl Avoidance for Hstcp {
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += self.increase(window.cwnd) * ack.counted(self.abc_limit) / window.cwnd;
    }

    /// Eq. 28 and 29.
    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        ((1.0 - self.decrease(libm::log(used / self.low_window))) * used).max(LEAST_KEPT)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }
}
