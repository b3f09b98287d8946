//! What waits in front of a transmitter, as periods of packets of one size: most of the time there is one period, and how much
//! of it has departed follows from the time alone.

use std::collections::VecDeque;

use ackclock_units::{Bytes, Duration, Time};

use crate::{BufferSize, Occupancy};

/// Packets of one size that are transmitted one right after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BusyPeriod {
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// Of one packet.
    pub(crate) transmission: Duration,
}

impl BusyPeriod {
    pub(crate) const NONE: BusyPeriod =
        BusyPeriod { start: Time::ZERO, end: Time::ZERO, transmission: Duration::ZERO };

    /// How many packets have not departed. One whose transmission ends now has.
    #[inline]
    fn undeparted(&self, now: Time) -> u64 {
        self.count(self.end.since(now.max(self.start)))
    }

    /// How many packets the transmitter begins within a span of the period.
    #[inline]
    pub(crate) fn count(&self, span: Duration) -> u64 {
        span.as_nanos().div_ceil(self.transmission.as_nanos().max(1))
    }
}

/// The longest that a packet may find the transmitter busy and still wait, among packets of its own size.
pub(crate) fn drain_time(buffer: BufferSize, size: u32, transmission: Duration) -> Duration {
    match buffer {
        BufferSize::Unlimited => Duration::MAX,
        BufferSize::Packets(packets) => transmission.saturating_mul(u64::from(packets)),
        BufferSize::Bytes(bytes) => transmission.saturating_mul(bytes.get() / u64::from(size.max(1))),
    }
}

/// The periods before the last, where packets of several sizes follow each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct BusyPeriods {
    /// With the size of their packets.
    periods: VecDeque<(BusyPeriod, u32)>,
    /// All packets of these periods, and their bytes.
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

    /// Forgets periods that have departed; whether there are others.
    pub(crate) fn retire(&mut self, now: Time) -> bool {
        while let Some((period, size)) = self.periods.front().filter(|(period, _)| period.end <= now) {
            let count = period.undeparted(period.start);
            self.packets -= count;
            self.bytes -= count * u64::from(*size);
            self.periods.pop_front();
        }
        !self.periods.is_empty()
    }

    /// What waits, with the last period: all but the first packet, which is being transmitted.
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
