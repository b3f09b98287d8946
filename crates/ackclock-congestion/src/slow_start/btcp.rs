//! Burst TCP: large steps first, smaller ones as the window grows (burst-tcp, 4.2).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "btcp",
    title: "Burst TCP: steps that shrink as the window grows, once per connection",
    source: "burst-tcp, 4.2, figure 9",
    parameters: PARAMETERS,
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Btcp {
    Btcp::new(&Settings::of(values))
}

/// Those of either reading, with the defaults of the paper's annex.
pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "f",
        Unit::Number,
        8.0,
        (1.0, 1e6),
        "smoothing-out factor: the larger, the smaller the steps",
    ),
    Parameter::new(
        "mice",
        Unit::Packets,
        32.0,
        (1.0, 1e6),
        "the window from which a flow counts as an elephant (mice_t)",
    ),
    Parameter::switch(
        "head_start",
        false,
        "1: begins with a window of one packet grown once, as the annex's agent; 0: with the initial window",
    ),
];

/// The parameters of either reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The smoothing-out factor; no unit.
    pub f: f64,
    /// The mice threshold, in packets.
    pub mice: f64,
    /// True if the window begins as one packet that has grown once, for any initial window of the connection.
    ///
    /// The annex's agent leaves out what ns-2's own do when the handshake ends: set the window, which was one packet
    /// for the SYN and has grown by its acknowledgment, to the initial window. So its first burst is what B-TCP makes
    /// of one packet, a round trip before an agent that begins with one packet gets there.
    pub head_start: bool,
}

impl Settings {
    pub(super) fn of(values: &Values) -> Settings {
        Settings { f: values.get("f"), mice: values.get("mice"), head_start: values.get("head_start") > 0.0 }
    }

    /// The window of a connection's beginning, where `first` is what an acknowledgment adds to one packet.
    pub(super) fn begin(&self, first: f64, window: &mut Window) {
        if self.head_start {
            window.cwnd = (1.0 + first).min(window.ssthresh);
        }
    }
}

/// A round trip adds `floor((mice - cwnd) / f)` packets, and one at least, spread over the window's acknowledgments.
/// From `mice` packets on, and for ever after a loss, it is standard slow start.
///
/// Points that the source leaves open, and the choices made here:
/// - *Above `mice`* the pseudo-code of figure 9 would shrink the window. The text lets B-TCP go on "up to cwnd reaches
///   the mice threshold value", "behaving as the standard Reno TCP, from this point on".
/// - *Each acknowledgment* counts as a packet, or as a part of one if it covers less.
/// - *A spurious loss* is undone: B-TCP goes on as before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Btcp {
    settings: Settings,
    enabled: bool,
}

impl Btcp {
    /// Before anything was sent.
    pub fn new(settings: &Settings) -> Btcp {
        Btcp { settings: *settings, enabled: true }
    }

    /// The increase of the window per acknowledged packet, in packets.
    fn increment(&self, cwnd: f64) -> f64 {
        let Settings { f, mice, .. } = self.settings;
        if self.enabled { ((mice - cwnd) / f).floor().max(1.0) / cwnd } else { 1.0 }
    }
}

impl SlowStart for Btcp {
    fn begin(&mut self, window: &mut Window) {
        self.settings.begin(self.increment(1.0), window);
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        self.enabled &= window.cwnd < self.settings.mice;
        let grown = window.cwnd + self.increment(window.cwnd) * ack.counted(1.0);
        window.cwnd = grown.min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.enabled = false;
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("btcp_enabled", f64::from(u8::from(self.enabled)));
    }
}
