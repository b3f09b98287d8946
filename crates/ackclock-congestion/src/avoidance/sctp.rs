//! The congestion avoidance of SCTP (RFC 9260, 7.2).

use ackclock_catalogue::{Entry, Values};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "sctp",
    title: "SCTP's congestion avoidance: a packet for every window acknowledged, half after a loss and at least four",
    source: "RFC 9260, 7.2; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The algorithm, which has no parameters.
pub(crate) fn make(_values: &Values) -> Sctp {
    Sctp::default()
}

/// The smallest threshold after a loss, in packets of the path MTU (RFC 9260, 7.2.3).
const LEAST_KEPT: f64 = 4.0;

/// The smallest window after a loss found by acknowledgments, in packets.
const LEAST_WINDOW: f64 = 2.0;

/// The window grows by a whole packet whenever a full window has been acknowledged (7.2.2); a loss leaves
/// half, but at least four packets (7.2.3).
///
/// Points in which the composition differs from the RFC:
/// - *Slow start* is used below ssthresh, not up to it (7.2.1): all algorithms here choose the phase alike.
/// - *A loss halves* the smaller of the window and the packets in flight, not always cwnd.
/// - *A loss found by acknowledgments* leaves a window of fewer than four packets as it is. Read literally,
///   7.2.3 would raise that window to four.
/// - *Idle times* are the transport's: the RFC halves the window per timeout of idleness down to four packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sctp {
    /// Packets acknowledged since the window grew last (`partial_bytes_acked`).
    acknowledged: f64,
}

impl Avoidance for Sctp {
    /// 7.2.2: when all data is acknowledged, the count begins anew.
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if ack.in_flight <= 0.0 {
            self.acknowledged = 0.0;
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.acknowledged += ack.delivered;
        if self.acknowledged >= window.cwnd {
            self.acknowledged -= window.cwnd;
            window.cwnd += 1.0;
        }
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        self.acknowledged = 0.0;
        let threshold = (used / 2.0).max(LEAST_KEPT);
        let restarts = event.restart || event.signal == Signal::Timeout;
        if restarts { threshold } else { threshold.min(used.max(LEAST_WINDOW)) }
    }

    fn scale(&mut self, ratio: f64) {
        self.acknowledged *= ratio;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("sctp_partial_packets_acked", self.acknowledged);
    }
}
