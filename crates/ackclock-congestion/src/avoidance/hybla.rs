//! The congestion avoidance of TCP Hybla (Caini and Firrincieli 2004).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::{BYTE_COUNTING, Reno, half};
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

/// The reference connection's round-trip time, a parameter of both phases.
pub(crate) const RTT0: Parameter = Parameter::new(
    "rtt0",
    Unit::Milliseconds,
    25.0,
    (1.0, 10_000.0),
    "round-trip time of the reference connection, whose rate longer connections reach",
);

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "hybla",
    title: "TCP Hybla: a long path gets the rate of standard TCP on a path of 25 ms",
    source: "Caini and Firrincieli, Int. J. of Satellite Communications and Networking 22(5), 2004",
    parameters: &[RTT0, BYTE_COUNTING],
    companions: &[("slow start", "hybla")],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Hybla {
    let standard = Reno::counting(values.get("limit"));
    Hybla { rho: NormalizedRtt::new(values.get("rtt0")), standard }
}

/// Rho: the round-trip time over the reference connection's round-trip time, and at least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NormalizedRtt {
    /// In nanoseconds.
    reference: f64,
    /// Rho; one before any measurement.
    pub rho: f64,
}

impl NormalizedRtt {
    /// `rtt0` in milliseconds.
    pub(crate) fn new(rtt0: f64) -> NormalizedRtt {
        NormalizedRtt { reference: 1e6 * rtt0, rho: 1.0 }
    }

    pub(crate) fn measure(&mut self, min_rtt: Duration) {
        self.rho = (min_rtt.as_nanos() as f64 / self.reference).max(1.0);
    }
}

/// Growth by rho squared packets per round trip: after equal times the window is rho times as large as
/// the reference connection's, so both have the same rate.
///
/// Points that the source leaves open, and the choices made here:
/// - *The round-trip time* of rho is the smallest one, as in ns-3, so that rho does not grow with the
///   queue. Linux takes the smallest smoothed one.
/// - *Paths shorter than the reference connection's* behave as standard TCP, as in the source.
#[derive(Clone, Copy, Debug)]
pub struct Hybla {
    rho: NormalizedRtt,
    standard: Reno,
}

impl Avoidance for Hybla {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        self.rho.measure(ack.min_rtt);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let rho = self.rho.rho;
        window.cwnd += rho * rho * self.standard.increase(ack, window.cwnd);
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        half(used)
    }

    /// The state has no quantity in packets.
    fn scale(&mut self, _ratio: f64) {}

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("hybla_rho", self.rho.rho);
    }
}
