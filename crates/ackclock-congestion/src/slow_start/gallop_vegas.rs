//! Gallop-Vegas: Vegas with a slow start whose steps grow by a packet per round trip (burst-tcp, 3.3.3).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::btcp::step;
use super::vegas::{CUT, GAMMA, end};
use crate::facts::{Ack, Congestion};
use crate::round_rtt::{RoundRtt, queued};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "gallop-vegas",
    title: "Gallop-Vegas: steps that grow by a packet per round trip, until packets queue",
    source: "burst-tcp, 3.3.3, after Ho, Chan and Chen, JCN 8(3), 2006",
    parameters: &[
        Parameter::new("initial", Unit::Packets, 2.0, (1.0, 1e6), "window of the beginning"),
        GAMMA,
        CUT,
        Parameter::new(
            "f",
            Unit::Number,
            0.0,
            (0.0, 1e6),
            "smoothing-out factor of Burst TCP's steps, instead of steps that grow by a packet; 0: those",
        ),
        Parameter::new("mice", Unit::Packets, 32.0, (1.0, 1e6), "the mice threshold of those steps (mice_t)"),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> GallopVegas {
    let burst = (values.get("f") > 0.0).then(|| Burst { f: values.get("f"), mice: values.get("mice") });
    GallopVegas::new(values.get("initial"), values.get("gamma"), values.get("cut"), burst)
}

/// The n-th round trip adds n packets ("stable growth"), spread over its acknowledgments. A round trip that found more than
/// `gamma` packets queued ends slow start.
///
/// burst-tcp has the algorithm without a formula: a speed between exponential and linear growth, an initial window of two
/// packets, and Vegas in all else. The choices made here:
/// - *The growth* is the simplest between the two: a step that itself grows linearly.
/// - *Each round trip* is judged by Vegas' rule, with the mean of its round-trip times and the window at its beginning: there
///   is no resting round, since steps are small.
/// - *The end* gives back an eighth of the window, as Vegas' slow start does here (`cut`).
/// - *After a loss* the steps begin with one packet again.
///
/// With `f` the window takes the steps of Burst TCP (burst-tcp, 6.2): large ones first, up to `mice` packets,
/// and from there on steps of one.
#[derive(Clone, Copy, Debug)]
pub struct GallopVegas {
    initial: f64,
    gamma: f64,
    cut: f64,
    burst: Option<Burst>,
    rtt: RoundRtt,
    /// The mean round-trip time of the round trip that has ended, in nanoseconds, until it is judged.
    ended: Option<f64>,
    /// Packets that the present round trip adds.
    step: f64,
    /// The window at its beginning, in packets; none before the first growth.
    base: Option<f64>,
    /// The packets counted in it since then, and the resulting window.
    counted: f64,
    grown: f64,
}

/// The parameters of Burst TCP's steps.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    /// The smoothing-out factor; no unit.
    pub f: f64,
    /// The mice threshold, in packets.
    pub mice: f64,
}

impl GallopVegas {
    /// `initial` and `gamma` in packets; `cut` is the part of the window given back at the end.
    pub fn new(initial: f64, gamma: f64, cut: f64, burst: Option<Burst>) -> GallopVegas {
        GallopVegas {
            initial,
            gamma,
            cut,
            burst,
            rtt: RoundRtt::default(),
            ended: None,
            step: 1.0,
            base: None,
            counted: 0.0,
            grown: 0.0,
        }
    }
}

impl SlowStart for GallopVegas {
    fn begin(&mut self, window: &mut Window) {
        window.cwnd = self.initial.min(window.ssthresh);
    }

    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        if let Some(rtt) = self.rtt.measure(ack) {
            self.ended = Some(rtt);
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        if let (Some(rtt), Some(base)) = (self.ended.take(), self.base) {
            if queued(base, ack.min_rtt.as_nanos() as f64, rtt) > self.gamma {
                return end(window, self.cut);
            }
            self.step += 1.0;
            self.base = None;
        }
        // A window that something else has moved is a new beginning.
        let base = self.base.filter(|_| window.cwnd.to_bits() == self.grown.to_bits());
        let base = base.unwrap_or_else(|| {
            self.counted = 0.0;
            window.cwnd
        });
        self.base = Some(base);
        // By the sum: a round trip adds whole packets, whatever the parts of one round to.
        self.counted += ack.counted(1.0);
        let packets = self.burst.map_or(self.step, |burst| step(burst.mice, base, burst.f));
        window.cwnd = (base + packets * (self.counted / base)).min(window.ssthresh);
        self.grown = window.cwnd;
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        // The samples of this round belong to the window before the reduction.
        self.rtt.restart();
        let GallopVegas { initial, gamma, cut, burst, rtt, .. } = *self;
        *self = GallopVegas { rtt, ..GallopVegas::new(initial, gamma, cut, burst) };
    }

    fn scale(&mut self, ratio: f64) {
        self.step *= ratio;
        self.base = None;
    }
}
