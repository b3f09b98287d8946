//! Burst TCP as its annex has it, which differs from its pseudo-code (burst-tcp, annex).

use super::btcp::PARAMETERS;
use super::{AnySlowStart, SlowStart};
use crate::facts::{Ack, Congestion};
use crate::registry::{Entry, Kind, Make};
use crate::windowed::Window;

pub(crate) const ENTRY: Entry = Entry {
    name: "btcp-annex",
    kind: Kind::SlowStart,
    title: "Burst TCP as in the annex of its paper: faster near the mice threshold, and resting there",
    source: "burst-tcp, annex (B-TCP NS-2 code)",
    parameters: PARAMETERS,
    brings: None,
    check: None,
    make: Make::SlowStart(|values| {
        AnySlowStart::BtcpAnnex(BtcpAnnex::new(values.get("f"), values.get("mice")))
    }),
};

/// An acknowledgement adds `floor((mice - cwnd) / f) / cwnd` packets, or one where that is exactly 0; standard slow
/// start for ever after a loss.
///
/// The annex divides by the window before it looks for 0, where figure 9, which is [`Btcp`](super::Btcp), looks
/// first. So from `mice - f` on it adds a whole packet per acknowledgement, not one per round trip. Above `mice` the
/// quotient is negative and leads back: a flow without losses rests at `mice`.
///
/// The receive routine of the annex has a second effect, which belongs to the connection and is not here: its window
/// has grown once already when the handshake ends. An initial window of `1 + floor((mice - 1) / f)` does the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BtcpAnnex {
    f: f64,
    mice: f64,
    enabled: bool,
}

impl BtcpAnnex {
    /// `f` has no unit, `mice` is in packets.
    pub fn new(f: f64, mice: f64) -> BtcpAnnex {
        BtcpAnnex { f, mice, enabled: true }
    }
}

impl SlowStart for BtcpAnnex {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let packets = ((self.mice - window.cwnd) / self.f).floor();
        let increment = if self.enabled && packets != 0.0 { packets / window.cwnd } else { 1.0 };
        window.cwnd = (window.cwnd + increment * ack.delivered.min(1.0)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.enabled = false;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("btcp_enabled", f64::from(u8::from(self.enabled)));
    }
}
