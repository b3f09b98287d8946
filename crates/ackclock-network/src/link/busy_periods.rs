//! The packets waiting for a transmitter, as busy periods of packets of one size. Usually there is one busy period, and
//! the number of packets that have departed follows from the time.

use std::collections::VecDeque;

use ackclock_units::{Bytes, Duration, Time};

use crate::{BufferSize, Occupancy};

/// Packets of one size that are transmitted back to back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BusyPeriod {
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// The transmission time of one packet.
    pub(crate) transmission: Duration,
}

impl BusyPeriod {
    pub(crate) const NONE: BusyPeriod =
        BusyPeriod { start: Time::ZERO, end: Time::ZERO, transmission: Duration::ZERO };

    /// The number of packets that have not departed. A packet whose transmission ends now has departed.
    #[inline]
    fn undeparted(&self, now: Time) -> u64 {
        self.count(self.end.since(now.max(self.start)))
    }

    /// The number of all its packets.
    #[inline]
    pub(crate) fn packets(&self) -> u64 {
        self.count(self.end.since(self.start))
    }

    /// The packets that wait if all belong to this busy period and have `size` bytes: all but the one being
    /// transmitted.
    #[inline]
    pub(crate) fn waiting(&self, now: Time, size: u32) -> Occupancy {
        let waiting = self.undeparted(now).saturating_sub(1);
        Occupancy { packets: waiting as u32, bytes: Bytes::new(waiting * u64::from(size)) }
    }

    /// The number of packets whose transmission begins within a span of the busy period.
    #[inline]
    pub(crate) fn count(&self, span: Duration) -> u64 {
        if span <= self.transmission {
            // Usually there is one packet or none: no division.
            return u64::from(!span.is_zero());
        }
        span.as_nanos().div_ceil(self.transmission.as_nanos().max(1))
    }
}

/// The size of a buffer as a time: the longest remaining busy time of the transmitter at which an arriving
/// packet is still enqueued, among packets of its size.
pub(crate) fn buffer_time(buffer: BufferSize, size: u32, transmission: Duration) -> Duration {
    match buffer {
        BufferSize::Unlimited => Duration::MAX,
        BufferSize::Packets(packets) => transmission.saturating_mul(u64::from(packets)),
        BufferSize::Bytes(bytes) => transmission.saturating_mul(bytes.get() / u64::from(size.max(1))),
        BufferSize::PacketsAndBytes(packets, bytes) => {
            let fitting = bytes.get() / u64::from(size.max(1));
            transmission.saturating_mul(fitting.min(u64::from(packets)))
        }
    }
}

/// A busy period that another follows without a pause.
#[derive(Clone, Copy, Debug)]
struct Followed {
    period: BusyPeriod,
    /// The number of its packets, and the size of each in bytes.
    packets: u64,
    size: u32,
}

impl Followed {
    /// No busy period.
    const NONE: Followed = Followed { period: BusyPeriod::NONE, packets: 0, size: 0 };
}

/// The busy periods before the last, needed when packets of several sizes wait.
#[derive(Clone, Debug)]
pub(crate) struct BusyPeriods {
    /// The busy period whose packets are being transmitted.
    first: Followed,
    later: VecDeque<Followed>,
    /// All packets of these busy periods, and their bytes.
    packets: u64,
    bytes: u64,
}

impl BusyPeriods {
    /// No packets wait.
    pub(crate) fn new() -> BusyPeriods {
        BusyPeriods { first: Followed::NONE, later: VecDeque::new(), packets: 0, bytes: 0 }
    }

    /// Adds a busy period of this many packets of this size. Busy periods that have ended must have been retired.
    pub(crate) fn push(&mut self, period: BusyPeriod, packets: u64, size: u32) {
        self.packets += packets;
        self.bytes += packets * u64::from(size);
        let added = Followed { period, packets, size };
        if self.first.packets == 0 {
            self.first = added;
        } else {
            self.later.push_back(added);
        }
    }

    /// Removes the busy periods that have ended; returns true if any is left.
    #[inline]
    pub(crate) fn retire(&mut self, now: Time) -> bool {
        self.first.period.end > now || self.retire_first(now)
    }

    #[inline(never)]
    fn retire_first(&mut self, now: Time) -> bool {
        while self.first.packets > 0 && self.first.period.end <= now {
            self.packets -= self.first.packets;
            self.bytes -= self.first.packets * u64::from(self.first.size);
            self.first = self.later.pop_front().unwrap_or(Followed::NONE);
        }
        self.first.packets > 0
    }

    /// The packets that wait while one of these busy periods lasts. Behind them wait `behind` packets of `size` bytes,
    /// those of the last busy period.
    #[inline]
    pub(crate) fn waiting(&self, now: Time, behind: u64, size: u32) -> Occupancy {
        let Followed { period, packets, size: first_size } = self.first;
        // The packets that have departed, and the one being transmitted.
        let begun = packets - period.undeparted(now) + 1;
        let bytes = self.bytes + behind * u64::from(size) - begun * u64::from(first_size);
        Occupancy { packets: (self.packets + behind - begun) as u32, bytes: Bytes::new(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A transmission time of 10 ns for each of three packets of 1000 bytes from time zero on, then of 1 ns for each of two of 100
    /// bytes, and 10 ns for one of 1000 bytes, the last busy period.
    #[test]
    fn packets_of_several_sizes_wait_for_those_before_them() {
        let period = |start, end, transmission| BusyPeriod {
            start: Time::from_nanos(start),
            end: Time::from_nanos(end),
            transmission: Duration::from_nanos(transmission),
        };
        let (large, small) = (period(0, 30, 10), period(30, 32, 1));
        let mut before = BusyPeriods::new();
        before.push(large, large.packets(), 1000);
        before.push(small, small.packets(), 100);
        for (nanos, packets, bytes) in
            [(0, 5, 3200), (9, 5, 3200), (10, 4, 2200), (29, 3, 1200), (31, 1, 1000)]
        {
            let now = Time::from_nanos(nanos);
            assert!(before.retire(now));
            let expected = Occupancy { packets, bytes: Bytes::new(bytes) };
            assert_eq!(before.waiting(now, 1, 1000), expected, "at {nanos} ns");
        }
        assert!(!before.retire(Time::from_nanos(32)), "the last busy period has begun");
        assert_eq!((before.packets, before.bytes), (0, 0));
    }
}
