//! Standard slow start (RFC 5681, 3.1).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "standard",
    title: "Standard slow start: one packet more for every packet acknowledged",
    source: "RFC 5681, 3.1, eq. 2; RFC 3465 for limits above 1",
    parameters: &[Parameter::new(
        "limit",
        Unit::Packets,
        1.0,
        (1.0, f64::INFINITY),
        "largest growth per acknowledgment (1: RFC 5681; 2: RFC 3465's L)",
    )],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Standard {
    Standard { abc_limit: values.get("limit") }
}

/// The window grows by the packets acknowledged, at most `abc_limit` per acknowledgment, up to the threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standard {
    /// Packets: 1 is RFC 5681's eq. 2, `cwnd += min(N, SMSS)`; RFC 3465, 2.2 calls it L and allows 2.
    pub abc_limit: f64,
}

impl Default for Standard {
    /// RFC 5681.
    fn default() -> Standard {
        Standard { abc_limit: 1.0 }
    }
}

impl SlowStart for Standard {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + ack.counted(self.abc_limit)).min(window.ssthresh);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
