//! YeAH-TCP (Baiocchi, Castellani and Vacirca, `PFLDnet` 2007).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::{BYTE_COUNTING, LEAST_KEPT, Reno, half};
use crate::facts::{Ack, Congestion, Signal};
use crate::round_rtt::{LeastRoundRtt, queued};
use crate::windowed::{Avoidance, Window};

/// The packets that an acknowledged packet adds in fast mode: Scalable TCP's growth.
const SCALABLE: f64 = 0.01;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "yeah",
    title: "YeAH-TCP: Scalable TCP while its queue is short, Reno while it is not, and a queue that it empties",
    source: "Baiocchi, Castellani and Vacirca, PFLDnet 2007; values of Linux, tcp_yeah.c",
    parameters: &[
        Parameter::new(
            "q_max",
            Unit::Packets,
            80.0,
            (0.0, f64::INFINITY),
            "queued data above which the window gives it up",
        ),
        Parameter::new(
            "phi",
            Unit::Number,
            8.0,
            (0.0, f64::INFINITY),
            "slow mode begins where the queueing delay is above the base round-trip time over phi (inf: above 0, as ns-3)",
        ),
        Parameter::new(
            "gamma",
            Unit::Number,
            1.0,
            (0.01, f64::INFINITY),
            "a decongestion gives up the queued data over gamma",
        ),
        Parameter::new(
            "epsilon",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "largest part of the window that a decongestion gives up",
        ),
        Parameter::new(
            "delta",
            Unit::Number,
            0.125,
            (0.0, 0.5),
            "least part of the window that a loss takes",
        ),
        Parameter::new(
            "rho",
            Unit::RoundTrips,
            16.0,
            (0.0, f64::INFINITY),
            "round trips of slow mode from which on Reno flows are thought to compete, and a loss takes half",
        ),
        Parameter::new(
            "zeta",
            Unit::RoundTrips,
            50.0,
            (0.0, f64::INFINITY),
            "round trips of fast mode after which no Reno flow is thought to compete",
        ),
        BYTE_COUNTING,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Yeah {
    Yeah {
        q_max: values.get("q_max"),
        phi: values.get("phi"),
        gamma: values.get("gamma"),
        epsilon: values.get("epsilon"),
        delta: values.get("delta"),
        rho: values.get("rho"),
        zeta: values.get("zeta"),
        standard: Reno::counting(values.get("limit")),
        rtt: LeastRoundRtt::default(),
        queue: 0.0,
        reno_window: LEAST_KEPT,
        slow_rounds: 0.0,
        fast_rounds: 0.0,
        surplus: 0.0,
    }
}

/// Once per round trip, the algorithm estimates how many of its own packets are queued. Fast mode grows as
/// Scalable TCP; A longer queue or delay selects slow mode. Slow mode grows as standard TCP, and reduces the
/// window by the excess of the queue over `q_max` unless a Reno flow seems to compete.
///
/// Points that the source leaves open, and the choices made here; its values come from the authors' module in
/// Linux:
/// - *Windows* are real numbers, where Linux counts whole packets.
/// - *The update* comes with the acknowledgment that closes a round. If that acknowledgment may not grow the
///   window, there is no update.
/// - *A decongestion* ends slow start. The acknowledgment that causes it does not grow the window.
/// - *A timeout* keeps half.
#[derive(Clone, Copy, Debug)]
pub struct Yeah {
    q_max: f64,
    phi: f64,
    gamma: f64,
    epsilon: f64,
    delta: f64,
    rho: f64,
    zeta: f64,
    standard: Reno,
    rtt: LeastRoundRtt,
    /// The estimate of own packets in the queue: Q.
    queue: f64,
    /// The estimate of the window that a competing Reno flow has: `cwnd_reno`. Two packets mean that none
    /// competes.
    reno_window: f64,
    /// Successive round trips of slow mode: `count_reno`.
    slow_rounds: f64,
    /// Round trips of fast mode since the last loss: `count_fast`.
    fast_rounds: f64,
    /// Packets to give up at this acknowledgment.
    surplus: f64,
}

impl Yeah {
    fn decide(&mut self, rtt: Duration, base: Duration, window: &mut Window) {
        let (rtt, base) = (rtt.as_nanos() as f64, base.as_nanos() as f64);
        self.queue = queued(window.cwnd, base, rtt);
        if self.queue > self.q_max || (rtt - base) * self.phi > base {
            self.slow_round(window);
        } else {
            self.fast_round();
        }
    }

    fn slow_round(&mut self, window: &mut Window) {
        let mut kept = window.cwnd;
        if self.queue > self.q_max && kept > self.reno_window {
            let given_up = (self.queue / self.gamma).min(self.epsilon * kept);
            kept = (kept - given_up).max(self.reno_window);
            self.surplus = window.cwnd - kept;
            // The window moves in avoidance.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
        self.reno_window = if self.reno_window <= LEAST_KEPT { half(kept) } else { self.reno_window + 1.0 };
        self.slow_rounds += 1.0;
    }

    fn fast_round(&mut self) {
        self.slow_rounds = 0.0;
        self.fast_rounds += 1.0;
        if self.fast_rounds > self.zeta {
            self.reno_window = LEAST_KEPT;
            self.fast_rounds = 0.0;
        }
    }
}

impl Avoidance for Yeah {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if let Some(rtt) = self.rtt.measure(ack).filter(|_| ack.may_grow()) {
            self.decide(rtt, ack.min_rtt, window);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        if self.surplus > 0.0 {
            window.cwnd -= std::mem::take(&mut self.surplus);
            window.ssthresh = window.cwnd;
            return;
        }
        let standard = self.standard.increase(ack, window.cwnd);
        let fast = SCALABLE * ack.counted(self.standard.abc_limit);
        window.cwnd += if self.slow_rounds > 0.0 { standard } else { standard.max(fast) };
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        (self.fast_rounds, self.surplus) = (0.0, 0.0);
        self.reno_window = half(self.reno_window);
        if event.signal == Signal::Timeout || self.slow_rounds >= self.rho {
            return half(used);
        }
        (used - self.queue.max(self.delta * used).min(used / 2.0)).max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        self.queue *= ratio;
        self.reno_window *= ratio;
        self.surplus *= ratio;
    }

    fn abc_limit(&self) -> f64 {
        self.standard.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("yeah_queue_packets", self.queue);
        gauge("yeah_reno_window_packets", self.reno_window);
        gauge("yeah_slow_rounds", self.slow_rounds);
    }
}
