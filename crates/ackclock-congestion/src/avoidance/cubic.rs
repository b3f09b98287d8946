//! CUBIC (RFC 9438).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::reno::{ABC_LIMIT, ECN_BETA, LEAST_KEPT};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "cubic",
    title: "CUBIC: back to the window of the last loss and on along a cubic of time, or with Reno where that is faster",
    source: "RFC 9438; RFC 8511",
    parameters: &[
        Parameter::new(
            "c",
            Unit::Number,
            0.4,
            (0.0001, 1000.0),
            "steepness of the cubic in packets per cubic second",
        ),
        Parameter::new(
            "beta",
            Unit::Number,
            0.7,
            (0.0, 1.0),
            "part of the window kept after a loss or a timeout",
        ),
        Parameter::switch(
            "fast_convergence",
            true,
            "1: after a loss below the last maximum the next one is set lower; 0: it is not",
        ),
        Parameter::new(
            "margin",
            Unit::Packets,
            0.0,
            (0.0, 1e6),
            "packets by which a loss must be below the last maximum to count as lower for fast convergence",
        ),
        ABC_LIMIT,
        ECN_BETA,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Cubic {
    Cubic {
        ecn_beta: values.get("ecn_beta"),
        margin: values.get("margin"),
        ..Cubic::new(
            values.get("c"),
            values.get("beta"),
            values.is_on("fast_convergence"),
            values.get("limit"),
        )
    }
}

/// The window is a cubic function of the time since congestion avoidance began, with its plateau at the window of the
/// last loss, and at least the window that standard TCP would have.
///
/// Choices where the source is open:
/// - *`cwnd` at a congestion event* is the smaller of the window and `FlightSize`, for `ssthresh`, `W_max` and
///   `cwnd_prior` alike: a window that was not filled was not tested.
/// - *A stage that begins at `W_max` or above* has its plateau there, like a stage without `W_max`: K has no meaning
///   for it.
/// - *In the Reno-friendly region* the window is set to `W_est` unless it is larger already. It can be, since it
///   followed `W_cubic` one round trip ahead.
/// - *Excluded time* (4.2): if an acknowledgment must not grow the window, all time up to it is excluded. Of the gap
///   before any other acknowledgment, the part that exceeds its round-trip time is excluded: a sender that is never
///   idle sent the acknowledged packet no later than the arrival of the previous acknowledgment.
/// - *A loss below the last maximum* counts as one however small the difference. Linux has windows of whole packets, so
///   a difference of less than a packet does not count there (`margin`).
/// - *After an ECN signal* the threshold may be as small as the least window, one packet; the source has two packets.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    c: f64,
    beta: f64,
    /// The part kept after a mark; zero to keep `beta`.
    ecn_beta: f64,
    fast_convergence: bool,
    /// In packets.
    margin: f64,
    abc_limit: f64,
    /// `W_max`, in packets; zero before the first loss.
    w_max: f64,
    /// `cwnd_prior`: the window at the latest back-off, in packets.
    prior: f64,
    timed_out: bool,
    stage: Option<Stage>,
    last_ack: Option<Time>,
}

/// Congestion avoidance between two events.
#[derive(Clone, Copy, Debug)]
struct Stage {
    /// t, without excluded time.
    elapsed: Duration,
    /// K, in seconds.
    k: f64,
    /// The plateau of the cubic, in packets.
    level: f64,
    /// `W_est`, in packets.
    estimate: f64,
}

impl Cubic {
    /// `c` in packets per cubic second, `beta` a part of the window, `abc_limit` in packets per acknowledgment.
    pub fn new(c: f64, beta: f64, fast_convergence: bool, abc_limit: f64) -> Cubic {
        Cubic {
            c,
            beta,
            ecn_beta: 0.0,
            fast_convergence,
            margin: 0.0,
            abc_limit,
            w_max: 0.0,
            prior: 0.0,
            timed_out: false,
            stage: None,
            last_ack: None,
        }
    }

    /// 4.2, 4.8 and 4.10: starts a stage with this window.
    fn begin(&mut self, cwnd: f64) -> Stage {
        if self.w_max <= 0.0 {
            self.prior = cwnd;
        }
        let (k, level) = if self.timed_out || self.w_max <= cwnd {
            (0.0, cwnd)
        } else {
            (libm::cbrt((self.w_max - cwnd) / self.c), self.w_max)
        };
        self.timed_out = false;
        Stage { elapsed: Duration::ZERO, k, level, estimate: cwnd }
    }

    /// Eq. 1: `W_cubic` in packets, `ahead` of the present time.
    fn cubic(&self, stage: &Stage, ahead: Duration) -> f64 {
        let t = (stage.elapsed + ahead).as_secs_f64() - stage.k;
        self.c * t * t * t + stage.level
    }

    /// `alpha_cubic` (4.3), in packets per round trip.
    fn alpha(&self, estimate: f64) -> f64 {
        if estimate >= self.prior { 1.0 } else { 3.0 * (1.0 - self.beta) / (1.0 + self.beta) }
    }
}

impl Default for Cubic {
    /// RFC 9438.
    fn default() -> Cubic {
        Cubic::new(0.4, 0.7, true, 1.0)
    }
}

impl Avoidance for Cubic {
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        let gap = self.last_ack.map_or(Duration::ZERO, |last| ack.now.since(last));
        self.last_ack = Some(ack.now);
        if let Some(stage) = self.stage.as_mut().filter(|_| ack.may_grow()) {
            stage.elapsed += gap.min(ack.rtt.unwrap_or(ack.srtt));
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let mut stage = match self.stage {
            Some(stage) => stage,
            None => self.begin(window.cwnd),
        };
        // Eq. 4, for all of the packets acknowledged, however many acknowledgments they took.
        stage.estimate += self.alpha(stage.estimate) * ack.delivered / window.cwnd;
        if self.cubic(&stage, Duration::ZERO) < stage.estimate {
            window.cwnd = window.cwnd.max(stage.estimate);
        } else {
            let target = self.cubic(&stage, ack.srtt).clamp(window.cwnd, 1.5 * window.cwnd);
            window.cwnd += (target - window.cwnd) / window.cwnd * ack.counted(self.abc_limit);
        }
        self.stage = Some(stage);
    }

    /// 4.6 to 4.8.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let lower = self.fast_convergence && used < self.w_max - self.margin;
        self.w_max = if lower { used * f64::midpoint(1.0, self.beta) } else { used };
        self.prior = used;
        self.timed_out = event.signal == Signal::Timeout;
        self.stage = None;
        let is_mark = event.signal == Signal::Ecn;
        let least = if is_mark { 1.0 } else { LEAST_KEPT };
        let kept = if is_mark && self.ecn_beta > 0.0 { self.ecn_beta } else { self.beta };
        (kept * used).max(least)
    }

    /// Keeps the window and the plateau equal in bytes. Counted in packets, the distance from the plateau is `ratio`
    /// times as large; on a cubic, that distance takes `ratio`'s cube root as much time.
    fn scale(&mut self, ratio: f64) {
        self.w_max *= ratio;
        self.prior *= ratio;
        if let Some(stage) = &mut self.stage {
            let elapsed = stage.elapsed.as_secs_f64();
            stage.k = elapsed - libm::cbrt(ratio) * (elapsed - stage.k);
            stage.level *= ratio;
            stage.estimate *= ratio;
        }
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("cubic_w_max_packets", self.w_max);
        gauge("cubic_k_s", self.stage.map_or(f64::NAN, |stage| stage.k));
    }
}
