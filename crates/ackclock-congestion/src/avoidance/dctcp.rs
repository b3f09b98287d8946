//! Data Center TCP (RFC 8257; Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010).
//!
//! The sender keeps an estimate `alpha` of the part of its packets that were marked, and a mark reduces the window by
//! half of that part: slightly where few packets are marked, by half where all are. Losses and growth are standard TCP's.
//!
//! Choices where the sources are open or contradictory:
//! - The first mark of a round trip reduces the window, by the `alpha` of the round trips before (the paper's
//!   3.1, and Linux). RFC 8257's pseudocode reduces when the observation window ends.
//! - A mark reduces the smaller of the window and the packets in flight, like every reduction here (RFC 5681, eq. 4);
//!   RFC 8257, 3.3, reduces the window.
//! - A selectively acknowledged packet counts when it is reported, with the echo on the same acknowledgment; the RFC's
//!   `BytesAcked` counts it with the cumulative acknowledgment.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::reno::{BYTE_COUNTING, Reno, half};
use crate::facts::{Ack, Congestion, Needs, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "dctcp",
    title: "Data Center TCP: a mark reduces the window by half the part of packets that are marked",
    source: "RFC 8257; Alizadeh et al. 2010, eq. 1 and 2",
    parameters: &[
        Parameter::new(
            "g",
            Unit::Number,
            1.0 / 16.0,
            (1e-6, 1.0),
            "weight of a round trip's marks in the estimate alpha (RFC 8257, 4.2)",
        ),
        Parameter::new(
            "alpha",
            Unit::Number,
            1.0,
            (0.0, 1.0),
            "the initial estimate; 1 halves the window at the first mark (RFC 8257, 3.3)",
        ),
        BYTE_COUNTING,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Dctcp {
    Dctcp::new(values.get("g"), values.get("alpha"), values.get("limit"))
}

/// The smallest window after a mark, in packets, as after a loss in standard TCP (RFC 5681, eq. 4).
const LEAST_KEPT: f64 = 2.0;

/// Standard growth, and a reduction in proportion to the part of packets marked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dctcp {
    gain: f64,
    /// RFC 8257, 3.4: growth "in the same way as conventional TCP".
    standard: Reno,
    /// The estimated part of packets that are marked (`DCTCP.Alpha`).
    alpha: f64,
    /// The observed round trip; none before the first.
    round: Option<u64>,
    /// Packets delivered in the observed round trip (`DCTCP.BytesAcked`), and how many of them were marked
    /// (`DCTCP.BytesMarked`).
    delivered: f64,
    marked: f64,
}

impl Dctcp {
    /// With gain `gain` in (0, 1], the initial estimate `alpha` in [0, 1], and `abc_limit` in packets per acknowledgment.
    pub fn new(gain: f64, alpha: f64, abc_limit: f64) -> Dctcp {
        Dctcp { gain, standard: Reno::counting(abc_limit), alpha, round: None, delivered: 0.0, marked: 0.0 }
    }

    /// The estimated part of packets that are marked.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Eq. 1: alpha = (1 - g) alpha + g F, with F the part of the round trip's packets that were marked.
    fn close_round(&mut self) {
        if self.delivered > 0.0 {
            let part = (self.marked / self.delivered).min(1.0);
            self.alpha += self.gain * (part - self.alpha);
        }
        (self.delivered, self.marked) = (0.0, 0.0);
    }
}

impl Avoidance for Dctcp {
    /// The observation window is a round trip (RFC 8257, 3.3); the acknowledgment that begins one belongs to it.
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if self.round != Some(ack.round) {
            self.close_round();
            self.round = Some(ack.round);
        }
        self.delivered += ack.delivered;
        self.marked += ack.ce_marked;
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.standard.adjust(ack, window);
    }

    /// Eq. 2 for marks; standard TCP's half for losses (RFC 8257, 3.5).
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        match event.signal {
            Signal::Ecn => (used * (1.0 - self.alpha / 2.0)).max(LEAST_KEPT),
            Signal::Loss | Signal::Timeout => half(used),
        }
    }

    /// Scales the counts of the round trip; the marked part has no unit.
    fn scale(&mut self, ratio: f64) {
        self.delivered *= ratio;
        self.marked *= ratio;
    }

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn needs(&self) -> Needs {
        Needs { accurate_ecn: true, ..Needs::default() }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("dctcp_alpha", self.alpha);
    }
}
