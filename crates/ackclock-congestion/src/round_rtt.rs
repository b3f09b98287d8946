//! The mean round-trip time of each round trip.

use ackclock_units::Duration;

use crate::facts::Ack;

/// Averages the round-trip times sampled between two advances of [`Ack::round`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RoundRtt {
    /// None before the first acknowledgment, whatever round that one falls into.
    round: Option<u64>,
    /// Of the current round, in nanoseconds; exact as long as it is below 2^53, or 104 days.
    sum: f64,
    count: u32,
}

impl RoundRtt {
    /// Takes in one acknowledgment. If it opens a new round: the mean in nanoseconds over the round before, or NaN
    /// if no sample was taken in it.
    pub(crate) fn measure(&mut self, ack: &Ack) -> Option<f64> {
        let mut closed = None;
        if self.round != Some(ack.round) {
            closed = self.round.map(|_| self.sum / f64::from(self.count));
            *self = RoundRtt { round: Some(ack.round), sum: 0.0, count: 0 };
        }
        // The acknowledgment that opens a round belongs to it: its packet was the first sent in the round before.
        if let Some(rtt) = ack.rtt {
            self.sum += rtt.as_nanos() as f64;
            self.count += 1;
        }
        closed
    }

    /// Forgets the samples of the current round.
    pub(crate) fn restart(&mut self) {
        self.sum = 0.0;
        self.count = 0;
    }
}

/// The smallest round-trip time sampled between two advances of [`Ack::round`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LeastRoundRtt {
    /// None before the first acknowledgment.
    round: Option<u64>,
    least: Option<Duration>,
}

impl LeastRoundRtt {
    /// Takes in one acknowledgment. If it opens a new round: the smallest sample of the round before, if it has one.
    pub(crate) fn measure(&mut self, ack: &Ack) -> Option<Duration> {
        let mut closed = None;
        if self.round != Some(ack.round) {
            closed = self.least.take();
            self.round = Some(ack.round);
        }
        if let Some(rtt) = ack.rtt {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
        closed
    }
}

/// Packets of a window of `cwnd` that wait in queues, by the difference between the expected rate `cwnd / base` and
/// the actual rate `cwnd / rtt`, over a base round-trip time (tcp-variants, 2.3.2; Brakmo and Peterson 1995).
/// The unit of the two times does not matter. NaN where there is no measurement.
pub(crate) fn queued(cwnd: f64, base: f64, rtt: f64) -> f64 {
    cwnd * (rtt - base) / rtt
}
