//! Scalable TCP (mesonet, 5.2.6; Kelly 2003).

use super::reno::{ABC_LIMIT, LEAST_KEPT};
use super::{AboveWindow, AnyAvoidance};
use crate::facts::{Ack, Congestion};
use crate::registry::{Entry, Kind, Make, Parameter};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    name: "scalable",
    kind: Kind::Avoidance,
    title: "Scalable TCP: a fixed step per acknowledgment, so that any window recovers in equally many round trips",
    source: "mesonet, 5.2.6, eq. 37-40; Kelly, ACM CCR 33(2), 2003",
    parameters: &[
        Parameter {
            name: "alpha",
            default: 0.01,
            min: 0.0,
            max: 1.0,
            meaning: "packets added per acknowledged packet",
        },
        Parameter {
            name: "beta",
            default: 0.875,
            min: 0.0,
            max: 1.0,
            meaning: "part of the window kept after a loss or a timeout",
        },
        Parameter {
            name: "low_window",
            default: 16.0,
            min: 1.0,
            max: f64::INFINITY,
            meaning: "window in packets below which it is standard TCP",
        },
        ABC_LIMIT,
    ],
    brings: None,
    check: None,
    make: Make::Avoidance(|values| {
        let inner =
            Scalable { alpha: values.get("alpha"), beta: values.get("beta"), abc_limit: values.get("limit") };
        AnyAvoidance::Scalable(AboveWindow { low: values.get("low_window"), inner })
    }),
};

/// Multiplicative increase, multiplicative decrease; to be put into an [`AboveWindow`].
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

    /// Eq. 39, and eq. 40, which unlike the other algorithms' keeps as much after a timeout.
    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        (self.beta * used).max(LEAST_KEPT)
    }

    /// Nothing it remembers is counted in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }
}
