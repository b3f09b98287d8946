//! Decreasing Byte Counting: a limit on the growth that falls as the window grows (burst-tcp, 3.3.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::Ack;
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "decreasing",
    title: "Decreasing Byte Counting: the limit on the growth by an acknowledgment falls as the window grows",
    source: "burst-tcp, 3.3.3, after Barakat and Altman, IFIP Networking 2000",
    parameters: &[
        Parameter::new(
            "limit",
            Unit::Packets,
            2.0,
            (1.0, 1e6),
            "largest growth per acknowledgment of a window of one packet (RFC 3465's L)",
        ),
        Parameter::new(
            "window",
            Unit::Packets,
            32.0,
            (2.0, 1e9),
            "window from which the growth is one packet per acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Decreasing {
    Decreasing { limit: values.get("limit"), window: values.get("window") }
}

/// The window grows by the packets acknowledged, at most by a limit that falls linearly from `limit` at one packet to one packet
/// at `window`.
///
/// burst-tcp has the idea, to "adapt dynamically the Allman's limitation based on the current congestion window", and no
/// formula: the line between the two is the choice made here. Small windows grow as if acknowledgments were not delayed;
/// large ones do not send bursts that small buffers cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decreasing {
    /// Packets.
    pub limit: f64,
    /// Packets.
    pub window: f64,
}

impl SlowStart for Decreasing {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let left = ((self.window - window.cwnd) / (self.window - 1.0)).clamp(0.0, 1.0);
        let limit = 1.0 + (self.limit - 1.0) * left;
        window.cwnd = (window.cwnd + ack.counted(limit)).min(window.ssthresh);
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}
}
