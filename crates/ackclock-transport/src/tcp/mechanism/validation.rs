//! Congestion window validation (RFC 7661): the non-validated phase of a window and its end, by time (section 4.4.3) or by a loss (4.4.1).
//!
//! Choices: the period of five minutes begins when the last sample that validates the window is older than the sampling period. At its end
//! and at each further one the window is adjusted, once for each (4.5.2), when a segment is sent or an acknowledgment arrives. The share
//! that the algorithm leaves of what was used stands for the RFC's half, except where its least threshold of two segments decides: there it is
//! half. R (4.4.1) counts what was declared lost and sent again, in either order, each octet once.

use ackclock_units::{Duration, Time};

use super::pipe_ack::PipeAck;
use super::sequence_ranges::SequenceRanges;

/// The non-validated period: it "SHOULD NOT exceed five minutes" (section 4.4).
const PERIOD: Duration = Duration::from_secs(300);

/// The threshold that standard TCP keeps at least, in packets (RFC 5681, equation 4): a window reduced to it shows no share.
const LEAST_KEPT: f64 = 2.0;

/// The least window after a recovery, in packets: "MUST NOT be reduced below 1 TCP Maximum Segment Size" (section 4.4.1).
const LEAST_WINDOW: f64 = 1.0;

/// The phase of a window.
#[derive(Clone, Debug, Default)]
pub(crate) struct Validation {
    pub pipe_ack: PipeAck,
    /// When the non-validated period began; none in the validated phase.
    since: Option<Time>,
    /// The loss of a window that was not validated, while it is repaired.
    loss: Option<UnvalidatedLoss>,
}

/// A loss in the non-validated phase.
#[derive(Clone, Debug)]
struct UnvalidatedLoss {
    /// The larger of `pipeACK` and `LossFlightSize`, in packets.
    used: f64,
    /// The part of it that the algorithm leaves.
    share: f64,
    /// The recovery repairs what precedes this.
    until: u64,
    again: SequenceRanges,
    /// The bytes sent again.
    volume: u64,
    /// The bytes that had been found lost after they were sent again, before this recovery.
    before: u64,
}

impl Validation {
    /// True in the non-validated phase.
    pub fn is_lacking(&self) -> bool {
        self.since.is_some()
    }

    /// Looks whether a window of this many bytes is validated.
    pub fn look(&mut self, now: Time, window: f64, srtt: Duration) {
        let ended_at = self.pipe_ack.validated_until(now, window, srtt);
        self.since = ended_at.map(|at| self.since.unwrap_or(at));
    }

    /// Takes the non-validated periods that are over.
    pub fn take_periods(&mut self, now: Time) -> u64 {
        let Some(since) = &mut self.since else { return 0 };
        let periods = now.since(*since).as_nanos().saturating_sub(1) / PERIOD.as_nanos();
        *since += PERIOD.saturating_mul(periods);
        periods
    }

    /// Congestion ends the phase, and nothing is known afterwards (sections 4.2 and 4.4).
    pub fn leave(&mut self) {
        self.pipe_ack.forget();
        self.since = None;
    }

    /// Another loss of the same recovery lets it last until what precedes this is repaired.
    pub fn prolong(&mut self, until: u64) {
        self.loss.iter_mut().for_each(|loss| loss.until = until);
    }

    /// The episode of a loss is over without a recovery: a timeout follows, or it was spurious.
    pub fn give_up_recovery(&mut self) {
        self.loss = None;
    }

    /// Of `used` packets of a window that was not validated, `kept` remain for the recovery of what precedes `until`. The bytes that
    /// were found lost after they had been sent again were this many `before`.
    pub fn on_loss(&mut self, (used, kept): (f64, f64), until: u64, before: u64) {
        let share = if kept > LEAST_KEPT { kept / used } else { 0.5 };
        self.loss =
            Some(UnvalidatedLoss { used, share, until, again: SequenceRanges::default(), volume: 0, before });
    }

    /// Lost data is sent again.
    pub fn on_sent_again(&mut self, start: u64, end: u64) {
        if let Some(loss) = &mut self.loss {
            loss.again.insert(start, end, |from, to| loss.volume += to - from);
        }
    }

    /// All that precedes `una` has arrived, and the sender is in fast recovery or not. If that ends the recovery of a window that was not
    /// validated, the window in packets that it leaves (section 4.4.1). The bytes that were found lost after they had
    /// been sent again are `after` now.
    pub fn take_recovered(&mut self, una: u64, is_fast: bool, after: u64, mss: u16) -> Option<f64> {
        let UnvalidatedLoss { used, share, volume, before, .. } =
            self.loss.take_if(|loss| loss.until <= una || !is_fast)?;
        let again = (volume + after - before) as f64 / f64::from(mss);
        Some(((used - again) * share).max(LEAST_WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 4.4.1. Of 12 packets in use a recovery keeps 6, and (12 - 2) / 2 = 5 remain, though one of the two is sent again twice. Of
    /// 3 packets the RFC has 1.5 during the recovery and (3 - 1) / 2 = 1 after it, though no algorithm goes below two. CUBIC's 0.7 stands
    /// for the half: 0.7 * (20 - 10).
    #[test]
    fn what_was_sent_again_is_taken_from_what_was_used() {
        for (used, kept, sent, left) in [
            (12.0, 6.0, vec![(0, 1000), (3000, 4000), (0, 1000)], 5.0),
            (3.0, 2.0, vec![(0, 1000)], 1.0),
            (3.0, 2.0, vec![(0, 3000)], 1.0),
            (20.0, 14.0, vec![(0, 4000), (5000, 11_000)], 7.0),
        ] {
            let mut validation = Validation::default();
            validation.on_loss((used, kept), 12_000, 5000);
            for (start, end) in sent {
                validation.on_sent_again(start, end);
            }
            assert_eq!(validation.take_recovered(11_999, true, 5000, 1000), None);
            let mut early = validation.clone();
            let found = validation.take_recovered(12_000, true, 5000, 1000).unwrap();
            assert_eq!(
                early.take_recovered(11_999, false, 5000, 1000),
                Some(found),
                "the recovery ended early"
            );
            assert!((found - left).abs() < 1e-12, "{found} of {used}");
            assert_eq!(validation.take_recovered(12_000, true, 5000, 1000), None);
        }
    }
}
