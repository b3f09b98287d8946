//! Scalable TCP (mesonet, 5.2.6; Kelly 2003).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::above_window::AboveWindow;
use super::reno::{ABC_LIMIT, LEAST_KEPT};
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "scalable",
    title: "Scalable TCP: a fixed step per acknowledgment, so that any window recovers in equally many round trips",
    source: "mesonet, 5.2.6, eq. 37-40; Kelly, ACM CCR 33(2), 2003",
    parameters: &[
        Parameter::new("alpha", Unit::Packets, 0.01, (0.0, 1.0), "growth per acknowledged packet"),
        Parameter::new(
            "beta",
            Unit::Number,
            0.875,
            (0.0, 1.0),
            "part of the window kept after a loss or a timeout",
        ),
        Parameter::new(
            "low_window",
            Unit::Packets,
            16.0,
            (1.0, f64::INFINITY),
            "window below which it is standard TCP",
        ),
        ABC_LIMIT,
    ],
    aliases: &["stcp"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> AboveWindow<Scalable> {
    let inner =
        Scalable { alpha: values.get("alpha"), beta: values.get("beta"), abc_limit: values.get("limit") };
    AboveWindow { low: values.get("low_window"), inner }
}

/// Multiplicative increase, multiplicative decrease. [`AboveWindow`] wraps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalable {
    /// Packets added per packet acknowledged.
    pub alpha: f64,
    /// The part of the window kept.
    pub beta: f64,
    /// Packets counted per acknowledgment, at the most.
    pub abc_limit: f64,
}

impl Avoidance for Scalable {
    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += self.alpha * ack.counted(self.abc_limit);
    }

    /// Eq. 39 and 40. Unlike other algorithms, it keeps as much after a timeout as after a loss.
    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        (self.beta * used).max(LEAST_KEPT)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }
}
