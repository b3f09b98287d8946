//! Congestion window validation (RFC 7661, "New CWV"): whether the path has lately carried half of what the window permits.
//!
//! The variable pipeACK (section 4.2), and the phases (4.3). What follows in the non-validated phase is in `validation.rs` (4.4).
//!
//! Choices: a sample is taken over what was outstanding at its first acknowledgment, until all of that is acknowledged (4.2 leaves the
//! method open). Of the samples of the period the largest counts (4.5.1). A sender from whose samples the period has passed
//! has a pipeACK of zero (4.5.1), since the value is undefined only before the first sample and after a recovery (4.3). A pipeACK of just
//! half the window validates it: 4.3 has "at least", and 4.4 "greater".

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

/// The shortest pipeACK Sampling Period (section 4.2: max(3 * RTT, 1 second)).
const LEAST_PERIOD: Duration = Duration::from_secs(1);

/// The pipeACK Sampling Period (section 4.2).
fn period(srtt: Duration) -> Duration {
    srtt.saturating_mul(3).max(LEAST_PERIOD)
}

/// The variable pipeACK: the most bytes that were acknowledged in one round trip of the sampling period.
#[derive(Clone, Debug, Default)]
pub(crate) struct PipeAck {
    /// The round trip that is measured: SND.UNA at its beginning, and the SND.UNA that ends it.
    round: Option<(u64, u64)>,
    /// Samples by time, each above all later ones.
    samples: VecDeque<(Time, u64)>,
    /// True if there was a sample since the beginning (section 4.1), or since the latest recovery (4.2).
    is_defined: bool,
}

impl PipeAck {
    /// An acknowledgment outside of recoveries moves SND.UNA (4.2: `HighACK`) from the first to the last of `covered`, and SND.NXT is
    /// `next`.
    pub fn on_ack(&mut self, now: Time, covered: (u64, u64), next: u64, srtt: Duration) {
        let (before, una) = covered;
        let (began_at, ends_at) = *self.round.get_or_insert((before, next));
        if una >= ends_at {
            self.round = None;
            self.take(now, una - began_at);
        }
        while self.samples.front().is_some_and(|(at, _)| now.since(*at) > period(srtt)) {
            self.samples.pop_front();
        }
    }

    fn take(&mut self, now: Time, bytes: u64) {
        self.is_defined = true;
        while self.samples.back().is_some_and(|(_, known)| *known <= bytes) {
            self.samples.pop_back();
        }
        self.samples.push_back((now, bytes));
    }

    /// Sections 4.2 and 4.4.1: nothing is measured in a recovery, after which the value is undefined.
    pub fn forget(&mut self) {
        *self = PipeAck::default();
    }

    /// True in the validated phase of a window of this many bytes (section 4.3): pipeACK is at least half of it, or undefined.
    pub fn validates(&self, window: f64) -> bool {
        let most = self.samples.front().map_or(0, |(_, bytes)| *bytes);
        !self.is_defined || 2.0 * most as f64 >= window
    }

    /// The time until which the samples validated a window of this many bytes; none if they do now. Where no sample did, it is the time
    /// of the latest.
    pub fn validated_until(&self, now: Time, window: f64, srtt: Duration) -> Option<Time> {
        if !self.is_defined {
            return None;
        }
        let validating = self.samples.iter().rev().find(|(_, bytes)| 2.0 * *bytes as f64 >= window);
        let Some((at, _)) = validating else {
            return Some(self.samples.back().map_or(now, |(at, _)| *at));
        };
        let until = *at + period(srtt);
        (until < now).then_some(until)
    }

    /// The value in bytes at a time that may be long after the latest acknowledgment; none if it is undefined.
    pub fn value(&self, now: Time, srtt: Duration) -> Option<u64> {
        let counts = |(at, _): &&(Time, u64)| now.since(*at) <= period(srtt);
        self.is_defined.then(|| self.samples.iter().find(counts).map_or(0, |(_, bytes)| *bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    /// A sender in slow start, in packets of one byte. Each acknowledgment covers one, and grows the window in the validated phase.
    struct Growing {
        pipe: PipeAck,
        cwnd: f64,
        now: Time,
        una: u64,
    }

    impl Growing {
        fn new() -> Growing {
            Growing { pipe: PipeAck::default(), cwnd: 10.0, now: Time::ZERO, una: 0 }
        }

        /// The window after a flight of this many packets.
        fn after(&mut self, flight: u64) -> f64 {
            self.now += RTT;
            let next = self.una + flight;
            for _ in 0..flight {
                self.pipe.on_ack(self.now, (self.una, self.una + 1), next, RTT);
                self.una += 1;
                self.cwnd += f64::from(u8::from(self.pipe.validates(self.cwnd)));
            }
            self.cwnd
        }
    }

    /// Sections 4.2 to 4.4. Before the first sample the phase is validated. A sample of 4 is less than half of 13, one of 8 is more
    /// than half of it and validates up to 16, at which the window grows once more.
    #[test]
    fn a_window_grows_while_half_of_it_is_acknowledged_in_a_round_trip() {
        let mut sender = Growing::new();
        let windows: Vec<f64> = [4, 4, 8, 8, 8].map(|flight| sender.after(flight)).into();
        assert_eq!(windows, [13.0, 13.0, 14.0, 17.0, 17.0]);
    }

    /// Section 4.5.1, figure 1: samples of 5, 3, none, 4 and 2, one of every 200 ms. The largest is 5 until it is older than a second;
    /// then it is "the larger of Sample C or the final value accumulated in Sample D", and 2 once C is too old. Afterwards no
    /// sample is left: pipeACK is zero, not undefined, until the first round trip is over.
    #[test]
    fn the_samples_of_figure_1() {
        let mut pipe = PipeAck::default();
        let mut una = 0;
        let mut at = |millis: u64, bytes: u64, outstanding: u64| {
            let now = Time::ZERO + Duration::from_millis(millis);
            pipe.on_ack(now, (una, una + bytes), una + outstanding, RTT);
            una += bytes;
            (0..=20).rev().find(|window| pipe.validates(f64::from(*window)))
        };
        let largest =
            [(100, 5), (300, 3), (700, 4), (900, 2)].map(|(millis, bytes)| at(millis, bytes, bytes));
        assert_eq!(largest, [Some(10); 4]);
        // An octet of a round trip that is not over moves time on.
        let later = [1100, 1101, 1700, 1701, 1900].map(|millis| at(millis, 1, 10));
        assert_eq!(later, [10, 8, 8, 4, 4].map(Some));
        assert_eq!(at(1901, 1, 10), Some(0));
    }

    /// Section 4.3, with a window of 20: 9 acknowledged in a round trip are less than half of it, and 10 are half. At 1.4 s the 10 of
    /// 300 ms are too old.
    #[test]
    fn half_of_the_window_validates_it() {
        let mut pipe = PipeAck::default();
        let mut una = 0;
        let mut at = |millis: u64, flight: u64| {
            pipe.on_ack(Time::ZERO + Duration::from_millis(millis), (una, una + flight), una + flight, RTT);
            una += flight;
            pipe.validates(20.0)
        };
        assert_eq!(
            [(100, 9), (300, 10), (1200, 1), (1400, 9)].map(|(millis, flight)| at(millis, flight)),
            [false, true, true, false]
        );
    }

    /// Section 4.2: the period is a second where the round trip takes 100 ms: for ten round trips a flight of 8 counts.
    #[test]
    fn the_largest_sample_of_the_period_counts() {
        let mut sender = Growing::new();
        sender.after(8);
        for _ in 0..10 {
            sender.after(1);
            assert!(sender.pipe.validates(16.0));
        }
        sender.after(1);
        assert!(!sender.pipe.validates(16.0) && sender.pipe.validates(2.0));
    }

    /// Section 4.2: three round trips, where they take more than a second.
    #[test]
    fn the_period_follows_the_round_trip() {
        let mut pipe = PipeAck::default();
        let slow = Duration::from_millis(700);
        pipe.on_ack(Time::ZERO, (0, 8), 8, slow);
        pipe.on_ack(Time::ZERO + slow.saturating_mul(3), (8, 9), 9, slow);
        assert!(pipe.validates(16.0));
        pipe.on_ack(Time::ZERO + slow.saturating_mul(4), (9, 10), 10, slow);
        assert!(!pipe.validates(16.0));
    }

    /// Section 4.2: the undefined value keeps a sender from the non-validated phase until there is a new sample.
    #[test]
    fn after_a_recovery_nothing_is_known() {
        let mut sender = Growing::new();
        sender.after(2);
        assert!(!sender.pipe.validates(10.0));
        sender.pipe.forget();
        assert!(sender.pipe.validates(10.0));
    }
}
