use ackclock_units::Duration;

use super::settings::RtoSettings;

/// Round-trip time estimation and the retransmission timeout (RFC 6298, Jacobson 1988).
#[derive(Clone, Copy, Debug)]
pub struct RttEstimator {
    srtt: Duration,
    rttvar: Duration,
    min_rtt: Duration,
    latest: Duration,
    base: Duration,
    backoffs: u32,
}

impl RttEstimator {
    /// Nothing measured yet: the timeout is the initial one.
    pub fn new(settings: &RtoSettings) -> RttEstimator {
        RttEstimator {
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            min_rtt: Duration::ZERO,
            latest: Duration::ZERO,
            base: settings.initial,
            backoffs: 0,
        }
    }

    /// Takes a sample (RFC 6298, 2.2 and 2.3), which also ends any back-off: it can only come from data sent once.
    pub fn sample(&mut self, rtt: Duration, settings: &RtoSettings) {
        if self.has_sample() {
            // beta = 1/4 and alpha = 1/8; the variance uses the srtt from before this sample.
            let deviation = self.srtt.abs_diff(rtt).as_nanos();
            self.rttvar = Duration::from_nanos((3 * self.rttvar.as_nanos() + deviation) / 4);
            self.srtt = Duration::from_nanos((7 * self.srtt.as_nanos() + rtt.as_nanos()) / 8);
            self.min_rtt = self.min_rtt.min(rtt);
        } else {
            self.srtt = rtt;
            self.rttvar = rtt / 2;
            self.min_rtt = rtt;
        }
        self.latest = rtt;
        let spread = (self.rttvar * 4).max(settings.granularity);
        self.base = (self.srtt + spread).round_up_to(settings.granularity).max(settings.min).min(settings.max);
        self.backoffs = 0;
    }

    /// The timer expired: the timeout doubles (5.5).
    pub fn back_off(&mut self) {
        self.backoffs += 1;
    }

    /// A SYN timed out: data begins with at least three seconds (5.7). Back-off of the SYN itself is over.
    pub fn after_lost_syn(&mut self, settings: &RtoSettings) {
        self.base = self.base.max(Duration::from_secs(3)).min(settings.max);
        self.backoffs = 0;
    }

    /// The retransmission timeout, back-off included.
    pub fn rto(&self, settings: &RtoSettings) -> Duration {
        let factor = 1_u64.checked_shl(self.backoffs).unwrap_or(u64::MAX);
        self.base.saturating_mul(factor).min(settings.max)
    }

    /// The timeout Vegas checks a segment against when an ACK arrives: no minimum, no tick, no back-off.
    pub fn fine_timeout(&self) -> Duration {
        if self.has_sample() { self.srtt + self.rttvar * 4 } else { self.base }
    }

    /// The smoothed round-trip time; zero before the first sample.
    pub fn srtt(&self) -> Duration {
        self.srtt
    }

    /// The smallest sample; zero before the first.
    pub fn min_rtt(&self) -> Duration {
        self.min_rtt
    }

    /// The newest sample; zero before the first.
    pub fn latest(&self) -> Duration {
        self.latest
    }

    fn has_sample(&self) -> bool {
        !self.srtt.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: RtoSettings = RtoSettings {
        initial: Duration::from_secs(1),
        min: Duration::from_secs(1),
        max: Duration::from_secs(60),
        granularity: Duration::from_millis(1),
    };

    #[test]
    fn a_steady_round_trip_brings_the_timeout_down_to_it() {
        let fine = RtoSettings { min: Duration::ZERO, ..SETTINGS };
        let mut estimator = RttEstimator::new(&fine);
        assert_eq!(estimator.rto(&fine), Duration::from_secs(1), "2.1: one second before any sample");
        let rtt = Duration::from_millis(100);
        estimator.sample(rtt, &fine);
        assert_eq!(estimator.rto(&fine), Duration::from_millis(300), "2.2: SRTT + 4 * R/2");
        for _ in 0..100 {
            estimator.sample(rtt, &fine);
        }
        assert_eq!(estimator.srtt(), rtt);
        assert_eq!(estimator.rto(&fine), Duration::from_millis(101), "SRTT + max(G, 4 RTTVAR), RTTVAR gone");
    }

    #[test]
    fn back_off_doubles_to_the_maximum_and_ends_with_a_sample() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.sample(Duration::from_millis(50), &SETTINGS);
        let mut sequence = Vec::new();
        for _ in 0..8 {
            sequence.push(estimator.rto(&SETTINGS).as_nanos() / 1_000_000_000);
            estimator.back_off();
        }
        assert_eq!(sequence, [1, 2, 4, 8, 16, 32, 60, 60]);
        for _ in 0..100 {
            estimator.back_off();
        }
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(60), "no overflow");
        estimator.sample(Duration::from_millis(50), &SETTINGS);
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(1));
    }

    #[test]
    fn a_lost_syn_makes_data_begin_with_three_seconds() {
        let mut estimator = RttEstimator::new(&SETTINGS);
        estimator.back_off();
        estimator.after_lost_syn(&SETTINGS);
        assert_eq!(estimator.rto(&SETTINGS), Duration::from_secs(3));
    }
}
