//! TCP Vegas' congestion avoidance as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::whole_packets::WholePackets;
use crate::facts::{Ack, Congestion};
use crate::linux_round::{LinuxRound, Measured, queued, without_queue};
use crate::windowed::{Avoidance, Window};

const LEAST_WINDOW: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "vegas-linux",
    title: "TCP Vegas as in Linux: by the smallest round-trip time of a round, in whole packets",
    source: "Linux 6 and 2.6.22, tcp_vegas.c; Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    parameters: &[
        Parameter::new(
            "alpha",
            Unit::Packets,
            2.0,
            (0.0, f64::INFINITY),
            "queued data below which the window grows by one packet per round trip",
        ),
        Parameter::new(
            "beta",
            Unit::Packets,
            4.0,
            (0.0, f64::INFINITY),
            "queued data above which the window shrinks by one packet per round trip; at least alpha",
        ),
        Parameter::switch(
            "round_before",
            false,
            "1: by the packets acknowledged in the round, in halves, and from the window of the round before (Linux 2.6.22); \
             0: by the present window (Linux 6)",
        ),
    ],
    check: Some(|values| {
        let (alpha, beta) = (values.get("alpha"), values.get("beta"));
        if alpha <= beta { Ok(()) } else { Err(format!("alpha={alpha} must not be above beta={beta}")) }
    }),
    companions: &[("slow start", "vegas-linux")],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> VegasLinux {
    VegasLinux {
        alpha: values.get("alpha"),
        beta: values.get("beta"),
        round_before: values.is_on("round_before"),
        round: LinuxRound::default(),
        measured: None,
        standard: WholePackets::default(),
        diff: f64::NAN,
    }
}

/// Changes the window once per round trip: one packet more below `alpha` packets queued, one less above `beta`, no
/// change in between.
///
/// - *The round-trip time of a round* is its smallest; a round with fewer than three samples grows as standard TCP.
/// - *The difference* is rounded down to whole packets. It is relative to the base round-trip time, where Brakmo and
///   Peterson's is relative to the present one.
/// - *Linux 2.6.22* takes the packets acknowledged in the round instead of the window, and rounds the window without
///   queueing down to half packets. It moves by one packet towards one more or one less than the window of the round
///   before.
/// - *After a loss* half is kept.
#[derive(Clone, Copy, Debug)]
pub struct VegasLinux {
    alpha: f64,
    beta: f64,
    round_before: bool,
    round: LinuxRound,
    /// The round that the latest acknowledgment closed.
    measured: Option<Measured>,
    /// The growth of rounds with few samples.
    standard: WholePackets,
    /// The difference at the last decision, in packets; for traces.
    diff: f64,
}

impl Avoidance for VegasLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.measured = self.round.measure(ack, window.cwnd);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let Some(measured) = self.measured else { return };
        let Some(rtt) = measured.rtt else {
            self.standard.grow(ack.counted(f64::INFINITY), window.cwnd.floor(), window);
            return;
        };
        let base = ack.min_rtt.as_nanos() as f64;
        let from = if self.round_before {
            self.diff = measured.packets.floor() - without_queue(measured.packets, base, rtt);
            measured.cwnd
        } else {
            self.diff = queued(window.cwnd, base, rtt);
            window.cwnd
        };
        let step = f64::from(self.diff < self.alpha) - f64::from(self.diff > self.beta);
        let wanted = from + step;
        if wanted > window.cwnd {
            window.cwnd += 1.0;
        } else if wanted < window.cwnd {
            window.cwnd = (window.cwnd - 1.0).max(LEAST_WINDOW.min(window.cwnd));
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        self.round.restart();
        self.measured = None;
        self.standard.restart();
        (used / 2.0).floor().max(LEAST_WINDOW)
    }

    fn scale(&mut self, ratio: f64) {
        self.round.scale(ratio);
        self.standard.scale(ratio);
        self.diff *= ratio;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("vegas_diff_packets", self.diff);
    }
}
