//! Burst TCP: large steps first, smaller ones as the window grows (burst-tcp, 4.2).

use super::{AnySlowStart, SlowStart};
use crate::facts::{Ack, Congestion};
use crate::registry::{Entry, Kind, Make, Parameter};
use crate::windowed::Window;

pub(crate) const ENTRY: Entry = Entry {
    name: "btcp",
    kind: Kind::SlowStart,
    title: "Burst TCP: steps that shrink as the window grows, once per connection",
    source: "burst-tcp, 4.2, figure 9",
    parameters: PARAMETERS,
    brings: None,
    check: None,
    make: Make::SlowStart(|values| AnySlowStart::Btcp(Btcp::new(values.get("f"), values.get("mice")))),
};

/// Those of either reading, with the defaults of the paper's annex.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "f",
        default: 8.0,
        min: 1.0,
        max: f64::INFINITY,
        meaning: "smoothing-out factor: the larger, the smaller the steps",
    },
    Parameter {
        name: "mice",
        default: 32.0,
        min: 1.0,
        max: f64::INFINITY,
        meaning: "packets (mice_t): the window at which a flow counts as an elephant",
    },
];

/// A round trip adds `floor((mice - cwnd) / f)` packets, and one at least, spread over the window's acknowledgements.
/// From `mice` packets on, and for ever after a loss, it is standard slow start.
///
/// What the source leaves open, and what is done here:
/// - *Above `mice`* the pseudo-code of figure 9 would shrink the window. The text lets B-TCP go on "up to cwnd reaches
///   the mice threshold value", "behaving as the standard Reno TCP, from this point on".
/// - *Each acknowledgement* counts once, and one of less than a packet as so much.
/// - *A loss that was none* (an undo) brings B-TCP back: it never happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Btcp {
    f: f64,
    mice: f64,
    enabled: bool,
}

impl Btcp {
    /// `f` has no unit, `mice` is in packets.
    pub fn new(f: f64, mice: f64) -> Btcp {
        Btcp { f, mice, enabled: true }
    }
}

impl SlowStart for Btcp {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        self.enabled &= window.cwnd < self.mice;
        let increment = if self.enabled {
            ((self.mice - window.cwnd) / self.f).floor().max(1.0) / window.cwnd
        } else {
            1.0
        };
        window.cwnd = (window.cwnd + increment * ack.delivered.min(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.enabled = false;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("btcp_enabled", f64::from(u8::from(self.enabled)));
    }
}
