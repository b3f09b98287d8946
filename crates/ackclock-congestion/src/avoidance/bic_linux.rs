//! BIC as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::reno::{LEAST_KEPT, half};
use super::whole_packets::{LINUX_LIMIT, WholePackets};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

/// The search covers a quarter of the way to the target per round trip: Linux's `BICTCP_B`.
const B: f64 = 4.0;

/// Until the first loss the window grows by at least a twentieth per round trip.
const FIRST_COUNT: f64 = 20.0;

/// The assumed packets per acknowledgment, in sixteenths.
const TWO_PER_ACK: f64 = 32.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "bic-linux",
    title: "BIC as in Linux: a quarter of the way to the window of the last loss per round trip, by whole packets",
    source: "Linux 6, tcp_bic.c; Xu, Harfoush and Rhee, IEEE INFOCOM 2004",
    parameters: &[
        Parameter::new(
            "beta",
            Unit::Number,
            819.0 / 1024.0,
            (0.0, 1.0),
            "part of the window kept after a loss or a timeout",
        ),
        Parameter::new("smax", Unit::Packets, 16.0, (1.0, 1e6), "largest growth per round trip"),
        Parameter::new(
            "smooth",
            Unit::Number,
            20.0,
            (1.0, 1e6),
            "near the target the window grows by 4/smooth packets per round trip",
        ),
        Parameter::new(
            "low_window",
            Unit::Packets,
            14.0,
            (1.0, f64::INFINITY),
            "window up to which it is standard TCP",
        ),
        Parameter::switch(
            "fast_convergence",
            true,
            "1: a loss below the last one's window leaves room for others",
        ),
        LINUX_LIMIT,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> BicLinux {
    BicLinux {
        beta: values.get("beta"),
        smax: values.get("smax"),
        smooth: values.get("smooth"),
        low: values.get("low_window"),
        fast_convergence: values.is_on("fast_convergence"),
        abc_limit: values.get("limit"),
        max: 0.0,
        ack_ratio: TWO_PER_ACK,
        whole: WholePackets::default(),
    }
}

/// The window grows towards `max`, the window of the last loss: by a quarter of the distance per round trip
/// within `smax`, slowly near it, and ever faster beyond it.
///
/// - Linux corrects for delayed acknowledgments by an average of packets per acknowledgment in whole sixteenths, whose
///   rounding stops it at 31/16 where every packet is acknowledged. So it grows nearly twice as fast as its parameters say.
/// - A timeout forgets `max`, after which the window grows by a twentieth per round trip, at the least, until the next loss.
/// - *The ratio is measured* in Linux's state `Open`; here, outside of recovery and while growth is not suspended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BicLinux {
    beta: f64,
    smax: f64,
    smooth: f64,
    low: f64,
    fast_convergence: bool,
    abc_limit: f64,
    /// `last_max_cwnd`, in packets; zero before the first loss.
    max: f64,
    /// `delayed_ack`: packets per acknowledgment, in sixteenths.
    ack_ratio: f64,
    whole: WholePackets,
}

impl BicLinux {
    /// The number of acknowledged packets for which the window grows by one.
    fn count(&self, cwnd: f64) -> f64 {
        if cwnd <= self.low {
            return cwnd;
        }
        let slowly = (cwnd * self.smooth / B).floor();
        let fast = (cwnd / self.smax).floor();
        let count = if cwnd < self.max {
            let distance = ((self.max - cwnd) / B).floor();
            if distance > self.smax {
                fast
            } else if distance <= 1.0 {
                slowly
            } else {
                (cwnd / distance).floor()
            }
        } else if cwnd < self.max + B {
            slowly
        } else if cwnd < self.max + self.smax * (B - 1.0) {
            (cwnd * (B - 1.0) / (cwnd - self.max)).floor()
        } else {
            fast
        };
        let count = if self.max > 0.0 { count } else { count.min(FIRST_COUNT) };
        (count * 16.0 / self.ack_ratio).floor().max(1.0)
    }
}

impl Avoidance for BicLinux {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if ack.advanced && !ack.recovering && !ack.suspended {
            self.ack_ratio += ack.delivered.floor() - (self.ack_ratio / 16.0).floor();
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let count = self.count(window.cwnd.floor());
        self.whole.grow(ack.counted(self.abc_limit), count, window);
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        self.whole.restart();
        let used = used.floor();
        let leaves_room = self.fast_convergence && used < self.max;
        self.max = if leaves_room { (used * (1.0 + self.beta) / 2.0).floor() } else { used };
        if event.signal == Signal::Timeout {
            self.max = 0.0;
            self.ack_ratio = TWO_PER_ACK;
        }
        if used <= self.low { half(used).floor() } else { (self.beta * used).floor().max(LEAST_KEPT) }
    }

    fn scale(&mut self, ratio: f64) {
        self.max *= ratio;
        self.whole.scale(ratio);
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("bic_max_packets", self.max);
    }
}
