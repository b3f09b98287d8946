//! The callbacks of a Congestion Manager to its clients (RFC 3124, 3.2: `cmapp_update` and `cm_thresh`).

use ackclock_units::{Bytes, Duration, Rate};

/// The changes of its rate of which a client is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateThresholds {
    /// `rate_downthresh`: the client is told of rates below this part of the last one told.
    pub down: f64,
    /// `rate_upthresh`: the client is told of rates above this multiple of the last one told.
    pub up: f64,
}

/// The rate that a client is told.
#[derive(Clone, Copy, Debug)]
pub struct RateCallback {
    thresholds: RateThresholds,
    packet: Bytes,
    /// The rate of the latest call (`lastrate`) in bit/s; none before the first estimate. It is not rounded, so that a
    /// rate equal to a threshold does not exceed it.
    told: Option<f64>,
}

impl RateCallback {
    /// The calls to a client with datagrams of this size.
    pub fn new(thresholds: RateThresholds, packet: Bytes) -> RateCallback {
        RateCallback { thresholds, packet, told: None }
    }

    /// The rate of the latest call.
    pub fn told(&self) -> Option<Rate> {
        self.told.map(whole)
    }

    /// The rate to tell the client, if it is to be called: its part of the window divided by the smoothed round-trip
    /// time. The first estimate is always told.
    pub fn update(&mut self, part: f64, srtt: Duration) -> Option<Rate> {
        if srtt.is_zero() {
            return None;
        }
        let bits = 8.0 * self.packet.get() as f64 * part / srtt.as_secs_f64();
        let RateThresholds { down, up } = self.thresholds;
        if self.told.is_some_and(|told| (down * told..=up * told).contains(&bits)) {
            return None;
        }
        self.told = Some(bits);
        self.told()
    }
}

fn whole(bits_per_second: f64) -> Rate {
    Rate::from_bits_per_second(bits_per_second.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3124, 3.2: "only when the rate decreases to less than (`rate_downthresh` * lastrate) or increases to more than (`rate_upthresh` *
    /// lastrate), where lastrate is the rate last notified to the stream". Packets of 1000 bits at 100 ms: a window of ten is
    /// 100 kbit/s. Small steps are not called back one by one, and together they are.
    #[test]
    fn calls_are_for_rates_beyond_the_thresholds_of_the_rate_told_last() {
        let mut callback = RateCallback::new(RateThresholds { down: 0.75, up: 1.5 }, Bytes::new(125));
        let mut kbps = |part: f64| {
            callback.update(part, Duration::from_millis(100)).map(|rate| rate.bits_per_second() / 1000)
        };
        assert_eq!(kbps(10.0), Some(100), "the first estimate");
        assert_eq!([7.5, 8.0, 12.0, 15.0].map(&mut kbps), [None; 4]);
        assert_eq!(kbps(16.0), Some(160));
        assert_eq!([15.0, 12.0, 24.0].map(&mut kbps), [None; 3], "from 160 on it is 120 to 240");
        assert_eq!(kbps(11.0), Some(110));
    }

    /// A rate of exactly twice the last one is not above twice, even if the rates are no whole numbers of bit/s.
    #[test]
    fn a_rate_of_just_a_threshold_is_within_it() {
        let mut callback = RateCallback::new(RateThresholds { down: 0.5, up: 2.0 }, Bytes::new(1000));
        let mut is_told = |part: f64| callback.update(part, Duration::from_nanos(100_000_400)).is_some();
        assert_eq!([5.0, 10.0, 2.5, 11.0].map(&mut is_told), [true, false, false, true]);
    }

    #[test]
    fn without_a_round_trip_time_there_is_no_estimate() {
        let mut callback = RateCallback::new(RateThresholds { down: 1.0, up: 1.0 }, Bytes::new(125));
        assert_eq!(callback.update(10.0, Duration::ZERO), None);
    }
}
