//! TCP Veno (Fu and Liew, IEEE JSAC 21(2), 2003).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::{BYTE_COUNTING, LEAST_KEPT, Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::round_rtt::queued;
use crate::windowed::{Avoidance, Window};

/// The part of the window kept after a loss that counts as random.
const KEPT_AFTER_RANDOM_LOSS: f64 = 0.8;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "veno",
    title: "TCP Veno: a loss with a short queue is taken for a random one, and leaves four fifths",
    source: "Fu and Liew, IEEE JSAC 21(2), 2003",
    parameters: &[
        Parameter::new(
            "beta",
            Unit::Packets,
            3.0,
            (0.0, f64::INFINITY),
            "queued data from which on the network counts as congested",
        ),
        BYTE_COUNTING,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Veno {
    Veno {
        beta: values.get("beta"),
        standard: Reno::counting(values.get("limit")),
        base_rtt: None,
        backlog: None,
    }
}

/// Standard TCP that estimates its backlog as Vegas does. With a backlog of `beta` packets or more it grows half
/// as fast; with less, a loss leaves four fifths of the window.
///
/// Points that the source leaves open, and the choices made here:
/// - *The increase at every other acknowledgment* is here half an increase at each, so that batches count alike.
/// - *Without a round-trip time* since the last loss, which resets the smallest one, the network counts as congested.
/// - *A mark* is no random loss and halves the window; a timeout halves the threshold, as in standard TCP.
#[derive(Clone, Copy, Debug)]
pub struct Veno {
    beta: f64,
    standard: Reno,
    /// The smallest round-trip time since the last loss.
    base_rtt: Option<Duration>,
    /// The estimate of packets that wait in queues; none since the last loss before a round-trip time is known.
    backlog: Option<f64>,
}

impl Veno {
    fn has_short_queue(&self) -> bool {
        self.backlog.is_some_and(|backlog| backlog < self.beta)
    }
}

impl Avoidance for Veno {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if let Some(rtt) = ack.rtt {
            self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
        }
        if let Some(base) = self.base_rtt.filter(|_| !ack.srtt.is_zero()) {
            let (base, srtt) = (base.as_nanos() as f64, ack.srtt.as_nanos() as f64);
            self.backlog = Some(queued(window.cwnd, base, srtt));
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let increase = self.standard.increase(ack, window.cwnd);
        window.cwnd += if self.has_short_queue() { increase } else { increase / 2.0 };
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let is_random = event.signal == Signal::Loss && self.has_short_queue();
        (self.base_rtt, self.backlog) = (None, None);
        if is_random { (KEPT_AFTER_RANDOM_LOSS * used).max(LEAST_KEPT) } else { half(used) }
    }

    fn scale(&mut self, ratio: f64) {
        self.backlog = self.backlog.map(|backlog| backlog * ratio);
    }

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("veno_backlog_packets", self.backlog.unwrap_or(f64::NAN));
    }
}
