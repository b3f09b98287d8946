//! A monitor interval, whose packets are told apart by their number.

use ackclock_units::{Duration, Time};

/// Packets that are sent in an interval at least.
const LEAST_SENT: f64 = 50.0;
/// Packets at either end of an interval that do not count.
const IGNORED: f64 = 10.0;
/// Prices of a delay that grows by a second per second, and of a loss.
const LATENCY: f64 = 900.0;
const LOSS: f64 = 11.0;
/// Slower growth of the delay is noise.
const LEAST_INFLATION: f64 = 0.03;
/// A change of the delay by less than the time of this many packets is noise.
const LEAST_CHANGE_PACKETS: f64 = 2.0;
/// The part of packets lost that the start forgives.
const FORGIVEN: f64 = 0.1;

/// Packets of the connection so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packets {
    pub sent: f64,
    /// Delivered or lost, now and before the present acknowledgment.
    pub counted: f64,
    pub counted_before: f64,
}

/// A rate that is tried.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    /// In bytes per second.
    pub rate: f64,
    begin: Time,
    /// When the next one began.
    end: Option<Time>,
    /// Packets sent before it, and before the next one.
    from: f64,
    until: f64,
    delivered: f64,
    lost: f64,
    /// The first and the last acknowledgment counted, with the smoothed round-trip times.
    first: (Time, Duration),
    last: (Time, Duration),
}

impl Interval {
    pub fn new(now: Time, packets: Packets, rate: f64) -> Interval {
        let nothing = (now, Duration::ZERO);
        Interval {
            rate,
            begin: now,
            end: None,
            from: packets.sent.max(1.0),
            until: f64::INFINITY,
            delivered: 0.0,
            lost: 0.0,
            first: nothing,
            last: nothing,
        }
    }

    /// Ends it if enough was sent, and one of its packets counted. True if it ends now.
    pub fn ends(&mut self, now: Time, packets: Packets) -> bool {
        let ends = self.end.is_none()
            && packets.sent - self.from >= LEAST_SENT
            && packets.counted_before > self.from;
        if ends {
            (self.end, self.until) = (Some(now), packets.sent);
        }
        ends
    }

    /// Counts what an acknowledgment tells.
    pub fn count(&mut self, acked: (Time, Duration), packets: Packets, delivered: f64, lost: f64) {
        if packets.counted_before <= self.from + IGNORED {
            return;
        }
        if self.delivered + self.lost <= 0.0 {
            self.first = acked;
        }
        self.last = acked;
        self.delivered += delivered;
        self.lost += lost;
    }

    pub fn is_being_sent(&self) -> bool {
        self.end.is_none()
    }

    pub fn has_results(&self, packets: Packets) -> bool {
        self.until - IGNORED < packets.counted
    }

    /// The packets are of another size.
    pub fn scale(&mut self, ratio: f64) {
        for packets in [&mut self.from, &mut self.until, &mut self.delivered, &mut self.lost] {
            *packets *= ratio;
        }
    }

    /// The growth of the delay in seconds per second, without noise.
    fn inflation(&self) -> f64 {
        let seconds = self.end.map_or(0.0, |end| end.since(self.begin).as_secs_f64());
        let change = self.last.1.as_secs_f64() - self.first.1.as_secs_f64();
        let packet = self.last.0.since(self.first.0).as_secs_f64() / self.delivered;
        if seconds <= 0.0 || change.abs() < LEAST_CHANGE_PACKETS * packet {
            return 0.0;
        }
        let inflation = change / seconds;
        if inflation.abs() < LEAST_INFLATION { 0.0 } else { inflation }
    }

    /// The value of what it showed: a rate, less the prices of delay and loss. The start is lenient.
    pub fn utility(&self, is_starting: bool) -> f64 {
        if self.delivered <= 0.0 {
            return 0.0;
        }
        let mut inflation = self.inflation();
        let mut loss = self.lost / (self.lost + self.delivered);
        if is_starting {
            inflation = inflation.max(0.0);
            loss = if loss < FORGIVEN { 0.0 } else { loss };
        }
        self.rate - self.rate * (LATENCY * inflation + LOSS * loss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// An interval of 10,000 bytes per second that took 100 ms to send; 40 packets were delivered over 100 ms, so that one takes 2.5 ms,
    /// and this many were lost, while the smoothed round-trip time went from 50 ms to this.
    fn of(rtt_us: u64, lost: f64) -> Interval {
        Interval {
            end: Some(at(100)),
            delivered: 40.0,
            lost,
            first: (at(50), Duration::from_millis(50)),
            last: (at(150), Duration::from_micros(rtt_us)),
            ..Interval::new(at(0), Packets::default(), 10_000.0)
        }
    }

    /// By hand: a millisecond in 100 ms costs nine times the rate, a tenth lost 1.1 times. Less than two packets' time, 5 ms, is noise.
    #[test]
    fn delays_and_losses_cost() {
        for (rtt_us, lost, starting, utility) in [
            (50_000, 0.0, false, 10_000.0),
            (54_900, 0.0, false, 10_000.0),
            (45_100, 0.0, false, 10_000.0),
            (56_000, 0.0, false, -530_000.0),
            (44_000, 0.0, false, 550_000.0),
            (50_000, 10.0, false, -12_000.0),
            (56_000, 0.0, true, -530_000.0),
            (44_000, 0.0, true, 10_000.0),
            (50_000, 4.4, true, 10_000.0),
            (50_000, 10.0, true, -12_000.0),
        ] {
            let found = of(rtt_us, lost).utility(starting);
            assert!((found - utility).abs() < 1e-6, "{found} with {rtt_us} us, {lost} lost, {starting}");
        }
    }

    /// Six milliseconds in 300 ms are 2 %, and noise.
    #[test]
    fn slow_growth_is_noise() {
        let interval = Interval { end: Some(at(300)), ..of(56_000, 0.0) };
        assert!((interval.utility(false) - 10_000.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_delivery_the_utility_is_zero() {
        let interval = Interval { delivered: 0.0, ..of(56_000, 10.0) };
        assert!(interval.utility(false).abs() < 1e-9);
    }

    /// After 100 packets, 50 more end it once the first of its own is counted. Its results begin with the 112th, since ten and the one that
    /// shows the tenth do not count, and end with the 141st: the last ten do not either.
    #[test]
    fn an_interval_is_of_packets() {
        let now = at(1);
        let packets = |sent: f64, counted: f64| Packets { sent, counted, counted_before: counted - 1.0 };
        let mut interval = Interval::new(now, packets(100.0, 60.0), 1.0);
        for (sent, counted, ends) in [(149.0, 110.0, false), (150.0, 101.0, false), (150.0, 102.0, true)] {
            assert_eq!(interval.ends(now, packets(sent, counted)), ends, "{sent}, {counted}");
        }
        for counted in 102..=141 {
            assert!(!interval.has_results(packets(200.0, f64::from(counted) - 1.0)), "{counted}");
            interval.count((now, Duration::ZERO), packets(200.0, f64::from(counted)), 1.0, 0.0);
        }
        assert!(interval.has_results(packets(200.0, 141.0)));
        assert!((interval.delivered - 30.0).abs() < 1e-9, "{interval:?}");
    }
}
