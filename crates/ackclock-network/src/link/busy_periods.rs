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

    /// The number of packets whose transmission begins within a span of the busy period.
    #[inline]
    pub(crate) fn count(&self, span: Duration) -> u64 {
        span.as_nanos().div_ceil(self.transmission.as_nanos().max(1))
    }
}

/// The size of a buffer as a time: the longest that an arriving packet may find the transmitter busy and still be
/// enqueued, among packets of its own size.
pub(crate) fn buffer_time(buffer: BufferSize, size: u32, transmission: Duration) -> Duration {
    match buffer {
        BufferSize::Unlimited => Duration::MAX,
        BufferSize::Packets(packets) => transmission.saturating_mul(u64::from(packets)),
        BufferSize::Bytes(bytes) => transmission.saturating_mul(bytes.get() / u64::from(size.max(1))),
    }
}

/// The busy periods before the last, where packets of several sizes wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyPeriods {
    /// With the size of their packets.
    periods: VecDeque<(BusyPeriod, u32)>,
    /// All packets of these busy periods, and their bytes.
    packets: u64,
    bytes: u64,
}

impl BusyPeriods {
    pub(crate) fn push(&mut self, period: BusyPeriod, size: u32) {
        let count = period.undeparted(period.start);
        self.packets += count;
        self.bytes += count * u64::from(size);
        self.periods.push_back((period, size));
    }

    /// Removes the busy periods that have ended; returns true if any is left.
    pub(crate) fn retire(&mut self, now: Time) -> bool {
        while let Some((period, size)) = self.periods.front().filter(|(period, _)| period.end <= now) {
            let count = period.undeparted(period.start);
            self.packets -= count;
            self.bytes -= count * u64::from(*size);
            self.periods.pop_front();
        }
        !self.periods.is_empty()
    }

    /// The packets that wait, those of the last busy period included: all but the first, which is being transmitted.
    pub(crate) fn waiting(&self, now: Time, last: &BusyPeriod, size: u32) -> Occupancy {
        let behind = last.undeparted(now);
        let (mut packets, mut bytes) = (self.packets + behind, self.bytes + behind * u64::from(size));
        let mut first = size;
        if let Some((period, size)) = self.periods.front() {
            let departed = period.undeparted(period.start) - period.undeparted(now);
            packets -= departed;
            bytes -= departed * u64::from(*size);
            first = *size;
        }
        match packets {
            0 => Occupancy::default(),
            _ => Occupancy { packets: (packets - 1) as u32, bytes: Bytes::new(bytes - u64::from(first)) },
        }
    }
}
