//! The round trips by which Linux's Vegas judges its window.

use ackclock_units::Duration;

use crate::facts::Ack;

/// Samples of a round up to which it is not judged: they may all be of delayed acknowledgments.
const TOO_FEW: u32 = 2;

/// Measures each round trip outside of recovery. The acknowledgment that opens a round gives its round-trip time to the
/// round before, and its packets to the new one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinuxRound {
    /// None before the first acknowledgment.
    round: Option<u64>,
    /// No recovery since the round began.
    whole: bool,
    least: Option<Duration>,
    samples: u32,
    packets: f64,
    /// The window at the beginning of the round.
    cwnd: f64,
}

/// A round trip that was measured whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// The smallest round-trip time, in nanoseconds; None if there are too few samples.
    pub(crate) rtt: Option<f64>,
    /// Packets acknowledged in it.
    pub(crate) packets: f64,
    /// The window at its beginning.
    pub(crate) cwnd: f64,
}

impl LinuxRound {
    /// Takes in one acknowledgment, which finds a window of `cwnd`. The round before, if this one opens another.
    pub(crate) fn measure(&mut self, ack: &Ack, cwnd: f64) -> Option<Measured> {
        self.whole &= !ack.recovering;
        if let Some(rtt) = ack.rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
            self.samples = self.samples.saturating_add(ack.acks);
        }
        let mut measured = None;
        if self.round != Some(ack.round) {
            if self.whole {
                let rtt = self.least.filter(|_| self.samples > TOO_FEW).map(|rtt| rtt.as_nanos() as f64);
                measured = Some(Measured { rtt, packets: self.packets, cwnd: self.cwnd });
            }
            let round = Some(ack.round);
            *self = LinuxRound { round, whole: !ack.recovering, cwnd, ..LinuxRound::default() };
        }
        self.packets += ack.delivered;
        measured
    }

    /// The round is not judged: a congestion signal came in it.
    pub(crate) fn restart(&mut self) {
        self.whole = false;
    }

    /// Its counts in packets of another size.
    pub(crate) fn scale(&mut self, ratio: f64) {
        self.packets *= ratio;
        self.cwnd *= ratio;
    }
}

/// Packets of a window that queue, over the base round-trip time, in whole packets.
pub(crate) fn queued(cwnd: f64, base: f64, rtt: f64) -> f64 {
    (cwnd.floor() * (rtt - base) / base).floor()
}

/// The window that the rate of these packets per round trip takes without a queue, in half packets.
pub(crate) fn without_queue(packets: f64, base: f64, rtt: f64) -> f64 {
    (2.0 * packets.floor() * base / rtt).floor() / 2.0
}
