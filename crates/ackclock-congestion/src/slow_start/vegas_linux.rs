//! TCP Vegas' slow start as in Linux.

use ackclock_catalogue::{Entry, Parameter, Values};

use super::vegas::GAMMA;
use crate::facts::{Ack, Congestion};
use crate::linux_round::{LinuxRound, Measured, queued, without_queue};
use crate::windowed::{SlowStart, Window};

const LEAST_WINDOW: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "vegas-linux",
    title: "Vegas' slow start as in Linux: doubling every round trip, until packets queue",
    source: "Linux 6 and 2.6.22, tcp_vegas.c",
    parameters: &[
        GAMMA,
        Parameter::switch(
            "round_before",
            false,
            "1: by the packets acknowledged in the round, in halves (Linux 2.6.22); 0: by the present window (Linux 6)",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> VegasLinux {
    VegasLinux {
        gamma: values.get("gamma"),
        round_before: values.is_on("round_before"),
        round: LinuxRound::default(),
        measured: None,
    }
}

/// Growth as in standard slow start; a round with more than `gamma` packets queued ends it at one packet more than the
/// window that its rate takes without a queue.
///
/// In Linux 2.6.22 that is the rate of the round before, half of the present one, and an acknowledgment is one packet.
#[derive(Clone, Copy, Debug)]
pub struct VegasLinux {
    gamma: f64,
    round_before: bool,
    round: LinuxRound,
    /// The round that the latest acknowledgment closed.
    measured: Option<Measured>,
}

impl VegasLinux {
    /// The window to leave slow start with, if it is time.
    fn leaves_with(&self, measured: &Measured, cwnd: f64, base: f64) -> Option<f64> {
        let rtt = measured.rtt?;
        let (diff, target) = if self.round_before {
            let target = without_queue(measured.packets, base, rtt);
            (measured.packets.floor() - target, target.floor())
        } else {
            (queued(cwnd, base, rtt), (cwnd.floor() * base / rtt).floor())
        };
        (diff > self.gamma).then(|| cwnd.min(target + 1.0).max(LEAST_WINDOW))
    }
}

impl SlowStart for VegasLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.measured = self.round.measure(ack, window.cwnd);
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        let base = ack.min_rtt.as_nanos() as f64;
        if let Some(measured) = &self.measured
            && let Some(cwnd) = self.leaves_with(measured, window.cwnd, base)
        {
            window.cwnd = cwnd;
            window.ssthresh = window.ssthresh.min(cwnd);
            return;
        }
        let limit = if self.round_before { 1.0 } else { f64::INFINITY };
        window.cwnd = (window.cwnd + ack.counted(limit)).min(window.ssthresh);
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.round.restart();
        self.measured = None;
    }

    fn scale(&mut self, ratio: f64) {
        self.round.scale(ratio);
    }
}
