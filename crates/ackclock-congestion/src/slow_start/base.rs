//! Slow start to any base (burst-tcp, 4.1).

use super::AnySlowStart;
use crate::facts::Ack;
use crate::registry::{Entry, Kind, Make, Parameter};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    name: "base",
    kind: Kind::SlowStart,
    title: "Generalised slow start: the window times b in every round trip",
    source: "burst-tcp, 4.1",
    parameters: &[Parameter {
        name: "b",
        default: 2.0,
        min: 1.0,
        max: 1000.0,
        meaning: "what a round trip multiplies the window by (2: standard slow start)",
    }],
    brings: None,
    check: None,
    make: Make::SlowStart(|values| AnySlowStart::Base(Base { base: values.get("b") })),
};

/// The window grows by `base - 1` packets for every packet acknowledged, at most so much per acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// At least 1.
    pub base: f64,
}

impl SlowStart for Base {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + (self.base - 1.0) * ack.counted(1.0)).min(window.ssthresh);
    }

    /// Nothing it remembers is counted in packets.
    fn scale(&mut self, _ratio: f64) {}
}
