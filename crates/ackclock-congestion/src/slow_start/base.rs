//! Slow start to any base (burst-tcp, 4.1).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "base",
    title: "Generalised slow start: the window times b in every round trip",
    source: "burst-tcp, 4.1",
    parameters: &[Parameter::new(
        "b",
        Unit::Number,
        2.0,
        (1.0, 1000.0),
        "factor of the window's growth per round trip (2: standard slow start; 1: no growth)",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Base {
    Base { base: values.get("b") }
}

/// The window grows by `base - 1` packets for every packet acknowledged, at most once per acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// At least 1.
    pub base: f64,
}

impl SlowStart for Base {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + (self.base - 1.0) * ack.counted(1.0)).min(window.ssthresh);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
