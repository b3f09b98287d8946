//! UDP sources: datagrams at times nobody's acknowledgments change.

use ackclock_units::{Duration, Time};

/// A source of datagrams. The gaps between them are drawn by its driver (constant or random), since transports draw
/// no random numbers.
#[derive(Clone, Debug)]
pub struct UdpSource {
    next_at: Time,
    stop: Time,
    sent: u64,
}

impl UdpSource {
    /// A source whose first datagram leaves at `start`, and none at `stop` or later.
    pub fn new(start: Time, stop: Time) -> UdpSource {
        UdpSource { next_at: start, stop, sent: 0 }
    }

    /// When the next datagram leaves; [`Time::MAX`] when there is none.
    pub fn next_wake(&self) -> Time {
        if self.next_at < self.stop { self.next_at } else { Time::MAX }
    }

    /// The number of the datagram due at `now`, if one is; the one after it follows `gap` later.
    pub fn poll_transmit(&mut self, now: Time, gap: impl FnOnce() -> Duration) -> Option<u64> {
        if now < self.next_wake() {
            return None;
        }
        self.next_at += gap();
        let number = self.sent;
        self.sent += 1;
        Some(number)
    }

    /// Datagrams sent so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_source_sends_from_start_to_before_stop() {
        let gap = Duration::from_millis(8);
        let mut source = UdpSource::new(Time::from_nanos(5), Time::from_nanos(16_000_005));
        let mut times = Vec::new();
        while source.next_wake() < Time::MAX {
            let now = source.next_wake();
            assert!(source.poll_transmit(now, || gap).is_some());
            times.push(now.as_nanos());
        }
        assert_eq!(times, [5, 8_000_005], "8 ms apart, and none at the stop itself");
        assert_eq!(source.poll_transmit(Time::from_nanos(1 << 40), || gap), None);
    }
}
