//! Standard slow start (RFC 5681, 3.1).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "standard",
    title: "Standard slow start: one packet more for every packet acknowledged",
    source: "RFC 5681, 3.1, eq. 2; RFC 3465 for limits above 1",
    parameters: &[
        Parameter::new(
            "limit",
            Unit::Packets,
            1.0,
            (1.0, f64::INFINITY),
            "largest growth per acknowledgment (1: RFC 5681; 2: RFC 3465's L)",
        ),
        Parameter::new(
            "after_timeout",
            Unit::Packets,
            1.0,
            (1.0, f64::INFINITY),
            "the limit, if it is smaller, in a slow start that repairs losses (1: RFC 3465, 2.3)",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Standard {
    Standard::new(values.get("limit"), values.get("after_timeout"))
}

/// The window grows by the packets acknowledged, at most by a limit per acknowledgment, up to the threshold.
///
/// A slow start that repairs losses, after a timeout or as Tahoe's after three duplicates, has a limit of its own: there an
/// acknowledgment may cover data that left the network long ago. It lasts until the window has reached the threshold, or
/// until the next congestion episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standard {
    /// Packets: 1 is RFC 5681's eq. 2, `cwnd += min(N, SMSS)`; RFC 3465, 2.2 calls it L and allows 2.
    abc_limit: f64,
    /// The limit L in a slow start that follows a timeout.
    after_timeout: f64,
    /// The limit L of the slow start under way, or of the next.
    current: f64,
}

impl Standard {
    /// With these limits: of a slow start, and of one that repairs losses.
    pub fn new(abc_limit: f64, after_timeout: f64) -> Standard {
        Standard { abc_limit, after_timeout: after_timeout.min(abc_limit), current: abc_limit }
    }
}

impl Default for Standard {
    /// RFC 5681.
    fn default() -> Standard {
        Standard::new(1.0, 1.0)
    }
}

impl SlowStart for Standard {
    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd += ack.counted(self.current);
        if window.cwnd >= window.ssthresh {
            window.cwnd = window.ssthresh;
            self.current = self.abc_limit;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        let repairs = event.restart || event.signal == Signal::Timeout;
        self.current = if repairs { self.after_timeout } else { self.abc_limit };
    }

    /// The state has no quantity in packets of data: limits are counted in packets of any size.
    fn scale(&mut self, _ratio: f64) {}
}
