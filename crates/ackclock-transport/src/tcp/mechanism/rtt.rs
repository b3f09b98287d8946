//! Round-trip time estimation and the retransmission timeout.

use ackclock_units::Duration;

use super::super::settings::{MinBounds, RtoSettings};

/// Round-trip time estimation and the retransmission timeout (RFC 6298, Jacobson 1988).
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    /// SRTT and RTTVAR in nanoseconds, as real numbers: with many samples per round trip a step is a small part of a
    /// nanosecond.
    exact: (f64, f64),
    /// SRTT to the nearest nanosecond.
    srtt: Duration,
    min_rtt: Duration,
    latest: Duration,
    base: Duration,
    backoffs: u32,
}

impl RttEstimator {
    /// Nothing measured yet: the timeout is the initial one.
    pub fn new(settings: &RtoSettings) -> RttEstimator {
        RttEstimator {
            exact: (0.0, 0.0),
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            latest: Duration::ZERO,
            base: settings.initial,
            backoffs: 0,
        }
    }

    /// Takes a sample (RFC 6298, 2.2 and 2.3), one of about `per_round` in a round trip. It does not change the
    /// back-off. A sample of zero counts as a nanosecond.
    ///
    /// The gains of RFC 6298 are meant for one sample per round trip. With more samples, history would be forgotten
    /// within a fraction of a round trip, so the gains are divided by `per_round` (RFC 7323, 4.2 and appendix G).
    #[inline]
    pub fn sample(&mut self, rtt: Duration, per_round: u32, settings: &RtoSettings) {
        let rtt = rtt.max(Duration::from_nanos(1));
        let nanos = rtt.as_nanos().cast_signed() as f64;
        let (mut srtt, mut rttvar) = self.exact;
        if srtt > 0.0 {
            // beta = 1/4 and alpha = 1/8; the variance uses the srtt from before this sample.
            let alpha = 0.125 / f64::from(per_round.max(1));
            let difference = nanos - srtt;
            rttvar += 2.0 * alpha * (difference.abs() - rttvar);
            srtt += alpha * difference;
        } else {
            (srtt, rttvar) = (nanos, nanos / 2.0);
        }
        self.min_rtt = if self.min_rtt.is_zero() { rtt } else { self.min_rtt.min(rtt) };
        self.exact = (srtt, rttvar);
        self.latest = rtt;
        self.srtt = nanoseconds(srtt);
        self.set_base(nanoseconds(4.0 * rttvar), settings);
    }

    /// SRTT is known, and four times RTTVAR, the `spread`: the timeout follows.
    #[inline]
    fn set_base(&mut self, spread: Duration, settings: &RtoSettings) {
        let least = match settings.min_bounds {
            MinBounds::Timeout => settings.granularity,
            MinBounds::Variation => settings.min,
        };
        let timeout = self.srtt + spread.max(least);
        // On most paths it is the minimum that counts, and there is nothing to round.
        self.base =
            if timeout <= settings.min { settings.min } else { timeout.round_up_to(settings.granularity) };
    }

    /// Takes over SRTT and RTTVAR from other connections, before any sample. The timeout follows from them (RFC 9040).
    pub fn inherit(&mut self, (srtt, rttvar): (Duration, Duration), settings: &RtoSettings) {
        self.exact = (srtt.as_nanos() as f64, rttvar.as_nanos() as f64);
        self.srtt = srtt;
        self.set_base(rttvar.saturating_mul(4), settings);
    }

    /// Discards `min_rtt`, which the SYN measured. A SYN takes less time to transmit than a full segment: with its
    /// round trip as the base, an algorithm that compares round-trip times would see a queued segment that does not
    /// exist. Brakmo and Peterson (1995, 3.2) take the round trip of a segment.
    pub fn forget_min_rtt(&mut self) {
        self.min_rtt = Duration::ZERO;
    }

    /// Doubles the timeout after the timer expired (5.5). After several expiries the estimate may be cleared; the next
    /// sample then counts as the first (5, after 5.7).
    pub fn back_off(&mut self, settings: &RtoSettings) {
        self.backoffs += 1;
        if settings.clear_after.is_some_and(|most| self.backoffs >= most) {
            self.exact = (0.0, 0.0);
        }
    }

    /// Resets the timeout to its base (5, after 5.7).
    #[inline]
    pub fn end_back_off(&mut self) {
        self.backoffs = 0;
    }

    /// Timeouts in a row so far.
    #[inline]
    pub fn backoffs(&self) -> u32 {
        self.backoffs
    }

    /// After a SYN timed out, data begins with a timeout of at least three seconds (5.7). The back-off of the SYN
    /// itself is over.
    pub fn after_lost_syn(&mut self, settings: &RtoSettings) {
        self.base = self.base.max(Duration::from_secs(3)).min(settings.max);
        self.backoffs = 0;
    }

    /// The retransmission timeout, back-off included.
    #[inline]
    pub fn rto(&self, settings: &RtoSettings) -> Duration {
        if self.backoffs == 0 {
            return self.base.min(settings.max);
        }
        let factor = 1_u64.checked_shl(self.backoffs).unwrap_or(u64::MAX);
        self.base.saturating_mul(factor).min(settings.max)
    }

    /// The timeout without minimum, back-off or ticks, with a variation of at least the granularity (RFC 9002, 6.2.1);
    /// the initial timeout before the first sample.
    #[inline]
    pub fn timeout(&self, settings: &RtoSettings) -> Duration {
        if self.exact.0 > 0.0 {
            self.srtt + nanoseconds(4.0 * self.exact.1).max(settings.granularity)
        } else {
            settings.initial
        }
    }

    /// The timeout without minimum, tick or back-off; the initial timeout before the first sample.
    pub fn unclamped_timeout(&self, settings: &RtoSettings) -> Duration {
        if self.exact.0 > 0.0 { self.srtt + nanoseconds(4.0 * self.exact.1) } else { settings.initial }
    }

    /// The smoothed round-trip time; zero before the first sample.
    #[inline]
    pub fn srtt(&self) -> Duration {
        self.srtt
    }

    /// The variation of the round-trip time, RTTVAR; zero before the first sample.
    #[inline]
    pub fn rttvar(&self) -> Duration {
        nanoseconds(self.exact.1)
    }

    /// The smallest sample of a segment with data; zero before the first.
    #[inline]
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt
    }

    /// The newest sample; zero before the first.
    #[inline]
    pub fn latest(&self) -> Duration {
        self.latest
    }
}

#[inline]
fn nanoseconds(real: f64) -> Duration {
    // Converted to a signed integer first, for which processors have an instruction.
    Duration::from_nanos((real + 0.5) as i64 as u64)
}

#[cfg(test)]
mod tests {
    use super::super::super::settings::BackoffUntil;
    use super::*;

    const SETTINGS: RtoSettings = RtoSettings {
        initial: Duration::from_secs(1),
        min: Duration::from_secs(1),
        min_bounds: MinBounds::Timeout,
        max: Duration::from_secs(60),
        granularity: Duration::from_millis(1),
        backoff_until: BackoffUntil::NewData,
        clear_after: None,
    };

    #[test]
    fn a_steady_round_trip_brings_the_timeout_down_to_it() {
        let fine = RtoSettings { min: Duration::ZERO, ..SETTINGS };
        let mut estimator = RttEstimator::new(&fine);
        assert_eq!(estimator.rto(&fine), Duration::from_secs(1), "2.1: one second before any sample");
        let rtt = Duration::from_millis(100);
        estimator.sample(rtt, 1, &fine);
        assert_eq!(estimator.rto(&fine), Duration::from_millis(300), "2.2: SRTT + 4 * R/2");
        for _ in 0..100 {
            estimator.sample(rtt, 1, &fine);
        }
        assert_eq!(estimator.srtt(), rtt);
        assert_eq!(estimator.rto(&fine), Duration::from_millis(101), "SRTT + max(G, 4 RTTVAR), RTTVAR gone");
    }

    /// RFC 7323, 4.2: history as long as with one sample in a round trip. One sample moves the estimate by an eighth
    /// of the difference, so twenty samples of one round trip together have to do the same.
    #[test]
    fn many_samples_of_a_round_trip_weigh_as_much_as_one() {
        for per_round in [1, 2, 20, 1000] {
            let mut estimator = RttEstimator::new(&SETTINGS);
            estimator.sample(Duration::from_millis(100), per_round, &SETTINGS);
            for _ in 0..per_round {
                estimator.sample(Duration::from_millis(180), per_round, &SETTINGS);
            }
            let srtt = estimator.srtt().as_secs_f64();
            assert!((0.109..0.1101).contains(&srtt), "{srtt} s after {per_round}");
        }
    }

    /// Rounding loses no small differences, however many samples they are spread over.
    #[test]
    fn the_estimate_arrives_at_a_steady_round_trip() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.sample(Duration::from_micros(90), 10_000, &SETTINGS);
        for _ in 0..2_000_000 {
            estimator.sample(Duration::from_micros(100), 10_000, &SETTINGS);
        }
        assert_eq!(estimator.srtt(), Duration::from_micros(100));
        assert_eq!(estimator.min_rtt(), Duration::from_micros(90));
    }

    /// Linux: SRTT + max(200 ms, 4 RTTVAR). At 100 ms that is 300 ms with the first sample, and for ever.
    #[test]
    fn a_bound_of_the_variation_comes_on_top_of_the_round_trip() {
        let (least, min_bounds) = (Duration::from_millis(200), MinBounds::Variation);
        let linux = RtoSettings { min: least, min_bounds, ..SETTINGS };
        for (rtt, first, steady) in [(100, 300, 300), (10, 210, 210), (500, 1500, 700)] {
            let mut estimator = RttEstimator::new(&linux);
            estimator.sample(Duration::from_millis(rtt), 1, &linux);
            assert_eq!(estimator.rto(&linux), Duration::from_millis(first), "{rtt} ms");
            for _ in 0..100 {
                estimator.sample(Duration::from_millis(rtt), 1, &linux);
            }
            assert_eq!(estimator.rto(&linux), Duration::from_millis(steady), "{rtt} ms");
        }
    }

    /// Where packets take no time at all, there is a sample all the same.
    #[test]
    fn a_sample_of_nothing_is_a_sample() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.sample(Duration::ZERO, 1, &SETTINGS);
        estimator.sample(Duration::from_millis(8), 1, &SETTINGS);
        assert!(estimator.srtt() < Duration::from_millis(2) && !estimator.min_rtt().is_zero());
    }

    #[test]
    fn back_off_doubles_to_the_maximum_and_outlasts_a_sample() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.sample(Duration::from_millis(50), 1, &SETTINGS);
        let mut sequence = Vec::new();
        for _ in 0..8 {
            sequence.push(estimator.rto(&SETTINGS).as_nanos() / 1_000_000_000);
            estimator.back_off(&SETTINGS);
        }
        assert_eq!(sequence, [1, 2, 4, 8, 16, 32, 60, 60]);
        for _ in 0..100 {
            estimator.back_off(&SETTINGS);
        }
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(60), "no overflow");
        estimator.sample(Duration::from_millis(50), 1, &SETTINGS);
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(60));
        estimator.end_back_off();
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(1));
    }

    /// RFC 6298, 5: after several expiries SRTT and RTTVAR may be cleared, "and should be initialized with the next RTT
    /// sample taken per (2.2)": 3 R. The timeout that is backed off stays until then.
    #[test]
    fn a_cleared_estimate_begins_with_the_next_sample() {
        let settings = RtoSettings { min: Duration::ZERO, clear_after: Some(4), ..SETTINGS };
        let rtt = Duration::from_millis(100);
        for (expiries, after) in [(3, 101), (4, 300)] {
            let mut estimator = RttEstimator::new(&settings);
            for _ in 0..100 {
                estimator.sample(rtt, 1, &settings);
            }
            for _ in 0..expiries {
                estimator.back_off(&settings);
            }
            assert_eq!(estimator.rto(&settings), Duration::from_millis(101 << expiries));
            estimator.sample(rtt, 1, &settings);
            estimator.end_back_off();
            assert_eq!(estimator.rto(&settings), Duration::from_millis(after), "after {expiries}");
        }
    }

    #[test]
    fn the_least_round_trip_is_of_segments_alone() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.sample(Duration::from_millis(50), 1, &SETTINGS);
        estimator.forget_min_rtt();
        assert_eq!(estimator.srtt(), Duration::from_millis(50), "the SYN counts for the timeout");
        for millis in [58, 56, 57] {
            estimator.sample(Duration::from_millis(millis), 1, &SETTINGS);
        }
        assert_eq!(estimator.min_rtt(), Duration::from_millis(56));
    }

    #[test]
    fn a_lost_syn_makes_data_begin_with_three_seconds() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.back_off(&SETTINGS);
        estimator.after_lost_syn(&SETTINGS);
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(3));
    }
}
