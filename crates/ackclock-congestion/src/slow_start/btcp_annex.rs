//! Burst TCP as its annex has it, which differs from its pseudo-code (burst-tcp, annex).

use ackclock_catalogue::{Entry, Values};

use super::btcp::{PARAMETERS, Settings};
use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "btcp-annex",
    title: "Burst TCP as in the annex of its paper: faster near the mice threshold, and resting there",
    source: "burst-tcp, annex (B-TCP NS-2 code)",
    parameters: PARAMETERS,
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> BtcpAnnex {
    BtcpAnnex::new(&Settings::of(values))
}

/// An acknowledgment adds `floor((mice - cwnd) / f) / cwnd` packets, or one where that is exactly 0; standard slow
/// start for ever after a loss.
///
/// The annex divides by the window before it looks for 0, where figure 9, which is [`Btcp`](super::Btcp), looks
/// first. So from `mice - f` on it adds a whole packet per acknowledgment, not one per round trip. Above `mice` the
/// quotient is negative and leads back: a flow without losses rests at `mice`.
///
/// The receive routine of the annex has a second effect, which is a parameter here, [`Settings::head_start`]: its window
/// has grown once already when the handshake ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BtcpAnnex {
    settings: Settings,
    enabled: bool,
}

impl BtcpAnnex {
    /// Before anything was sent.
    pub fn new(settings: &Settings) -> BtcpAnnex {
        BtcpAnnex { settings: *settings, enabled: true }
    }

    /// The increase of the window per acknowledged packet, in packets.
    fn increment(&self, cwnd: f64) -> f64 {
        let packets = ((self.settings.mice - cwnd) / self.settings.f).floor();
        if self.enabled && packets != 0.0 { packets / cwnd } else { 1.0 }
    }
}

impl SlowStart for BtcpAnnex {
    fn begin(&mut self, window: &mut Window) {
        self.settings.begin(self.increment(1.0), window);
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
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
