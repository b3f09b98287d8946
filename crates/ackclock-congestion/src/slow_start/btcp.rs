//! Burst TCP: large steps first, smaller ones as the window grows (burst-tcp, 4.2).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::eligible_rate::EligibleRate;
use crate::facts::{Ack, Congestion, Signal};
use crate::round_rtt::{RoundRtt, queued};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "btcp",
    title: "Burst TCP: steps that shrink as the window grows, once per connection",
    source: "burst-tcp, 4.2, figure 9",
    parameters: &[F, MICE, HEAD_START, LIFE, ESTIMATE],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Btcp {
    let estimate = values.is_on("estimate").then(Estimate::default);
    Btcp { life: values.is_on("life").then(Life::default), estimate, ..Btcp::new(&Settings::of(values)) }
}

const F: Parameter = Parameter::new(
    "f",
    Unit::Number,
    8.0,
    (1.0, 1e6),
    "smoothing-out factor: the larger, the smaller the steps",
);
const MICE: Parameter = Parameter::new(
    "mice",
    Unit::Packets,
    32.0,
    (1.0, 1e6),
    "the window from which a flow counts as an elephant (mice_t)",
);
const HEAD_START: Parameter = Parameter::switch(
    "head_start",
    false,
    "1: begins with a window of one packet grown once, as the annex's agent; 0: with the initial window",
);
const LIFE: Parameter = Parameter::switch(
    "life",
    false,
    "1: also after losses, instead of slow start, and back to the window before one; 0: until the first loss",
);
const ESTIMATE: Parameter = Parameter::switch(
    "estimate",
    false,
    "1: mice_t is at least the bandwidth-delay product by the eligible rate, and f grows with the packets queued",
);

/// Those of either reading, with the defaults of the paper's annex.
pub(super) const PARAMETERS: &[Parameter] = &[F, MICE, HEAD_START];

/// The parameters of either reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The smoothing-out factor; no unit.
    pub f: f64,
    /// The mice threshold, in packets.
    pub mice: f64,
    /// True if the window begins as one packet that has grown once, for any initial window of the connection.
    ///
    /// The annex's agent leaves out what ns-2's own do when the handshake ends: set the window, which was one packet
    /// for the SYN and has grown by its acknowledgment, to the initial window. So its first burst is what B-TCP makes
    /// of one packet, a round trip before an agent that begins with one packet gets there.
    pub head_start: bool,
}

impl Settings {
    pub(super) fn of(values: &Values) -> Settings {
        Settings { f: values.get("f"), mice: values.get("mice"), head_start: values.get("head_start") > 0.0 }
    }

    /// The window of a connection's beginning, where `first` is what an acknowledgment adds to one packet.
    pub(super) fn begin(&self, first: f64, window: &mut Window) {
        if self.head_start {
            window.cwnd = (1.0 + first).min(window.ssthresh);
        }
    }
}

/// The packets that a round trip adds: a part of the way to `goal`, whole packets, one at least.
pub(super) fn step(goal: f64, cwnd: f64, f: f64) -> f64 {
    ((goal - cwnd) / f).floor().max(1.0)
}

/// A round trip adds `floor((mice - cwnd) / f)` packets, and one at least, spread over the window's acknowledgments.
/// From `mice` packets on, and for ever after a loss, it is standard slow start.
///
/// Points that the source leaves open, and the choices made here:
/// - *Above `mice`* the pseudo-code of figure 9 would shrink the window. The text lets B-TCP go on "up to cwnd reaches
///   the mice threshold value", "behaving as the standard Reno TCP, from this point on".
/// - *Each acknowledgment* counts as a packet, or as a part of one if it covers less.
/// - *A spurious loss* is undone: B-TCP continues as before the loss.
///
/// 6.2 of the source asks for two extensions and gives no rule for either:
/// - *`life`*, "in substitution to the Slow Start algorithm after a retransmission timeout or a reception of three duplicated
///   ACKs": after a timeout the steps are those of the beginning. After duplicates they lead back to the window before the loss,
///   which takes the place of `mice`: "to compensate for the steep reductions".
/// - *`estimate`*, parameters "estimated during the flow's lifetime" by "a rate estimation scheme like the one employed by TCP
///   Vegas or TCP Westwood": Westwood's eligible rate times the smallest round-trip time is the least `mice`, and Vegas'
///   number of packets queued, plus one, multiplies `f`.
#[derive(Clone, Debug)]
pub struct Btcp {
    settings: Settings,
    enabled: bool,
    life: Option<Life>,
    estimate: Option<Estimate>,
}

/// B-TCP after losses.
#[derive(Clone, Copy, Debug, Default)]
struct Life {
    /// The window that the latest acknowledgment found, in packets.
    latest: f64,
    /// The window before the latest loss, until the threshold is raised to it.
    lost_at: Option<f64>,
    /// The window that the steps lead back to; none if they lead to `mice`.
    back_to: Option<f64>,
}

/// The estimates of B-TCP's parameters.
#[derive(Clone, Debug)]
struct Estimate {
    eligible: EligibleRate,
    /// The bandwidth-delay product, in packets.
    product: f64,
    rtt: RoundRtt,
    /// The window at the beginning of the round trip.
    base: f64,
    /// The packets that the last round trip had queued.
    queued: f64,
}

impl Default for Estimate {
    /// With the filter of Adaptive Start.
    fn default() -> Estimate {
        let eligible = EligibleRate::new(1.0);
        Estimate { eligible, product: 0.0, rtt: RoundRtt::default(), base: 0.0, queued: 0.0 }
    }
}

impl Estimate {
    fn measure(&mut self, ack: &Ack, cwnd: f64) {
        self.product = self.eligible.sample(ack).unwrap_or(0.0).max(self.product);
        if let Some(rtt) = self.rtt.measure(ack) {
            if !rtt.is_nan() && self.base > 0.0 {
                self.queued = queued(self.base, ack.min_rtt.as_nanos() as f64, rtt).max(0.0);
            }
            self.base = cwnd;
        }
    }
}

impl Btcp {
    /// Before anything was sent.
    pub fn new(settings: &Settings) -> Btcp {
        Btcp { settings: *settings, enabled: true, life: None, estimate: None }
    }

    /// The window to which the steps lead.
    fn goal(&self) -> f64 {
        let mice = self.settings.mice.max(self.estimate.as_ref().map_or(0.0, |estimate| estimate.product));
        self.life.and_then(|life| life.back_to).unwrap_or(mice)
    }

    /// The increase of the window per acknowledged packet, in packets.
    fn increment(&self, cwnd: f64) -> f64 {
        let f = self.settings.f * (1.0 + self.estimate.as_ref().map_or(0.0, |estimate| estimate.queued));
        if self.enabled { step(self.goal(), cwnd, f) / cwnd } else { 1.0 }
    }
}

impl SlowStart for Btcp {
    fn begin(&mut self, window: &mut Window) {
        self.settings.begin(self.increment(1.0), window);
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if let Some(life) = &mut self.life {
            life.latest = window.cwnd;
            if let Some(lost_at) = life.lost_at.filter(|_| ack.may_grow()) {
                (life.lost_at, life.back_to) = (None, Some(lost_at));
                window.ssthresh = window.ssthresh.max(lost_at);
            }
        }
        if let Some(estimate) = &mut self.estimate {
            estimate.measure(ack, window.cwnd);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        self.enabled &= window.cwnd < self.goal();
        let grown = window.cwnd + self.increment(window.cwnd) * ack.counted(1.0);
        window.cwnd = grown.min(window.ssthresh);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.enabled = self.life.is_some();
        if let Some(life) = &mut self.life {
            let restarts = event.restart || event.signal == Signal::Timeout;
            (life.lost_at, life.back_to) = ((!restarts).then_some(life.latest), None);
        }
        if let Some(estimate) = &mut self.estimate {
            estimate.eligible.clear();
            estimate.rtt.restart();
            estimate.base = 0.0;
        }
    }

    fn scale(&mut self, ratio: f64) {
        if let Some(life) = &mut self.life {
            life.latest *= ratio;
            life.lost_at = life.lost_at.map(|packets| packets * ratio);
            life.back_to = life.back_to.map(|packets| packets * ratio);
        }
        if let Some(estimate) = &mut self.estimate {
            estimate.eligible.scale(ratio);
            estimate.product *= ratio;
            estimate.base *= ratio;
            estimate.queued *= ratio;
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("btcp_enabled", f64::from(u8::from(self.enabled)));
    }
}
