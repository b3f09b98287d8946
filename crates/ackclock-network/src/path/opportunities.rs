//! Delivery opportunities, as Mahimahi plays traces (Netravali et al., USENIX ATC 2015; `mm-link`).

use std::sync::Arc;

use ackclock_units::{Duration, Time};

const NANOS_PER_MILLISECOND: u64 = 1_000_000;

/// The delivery opportunities of a trace: instants at each of which `size` bytes may leave the queue. A packet takes
/// its size and `header` more bytes.
///
/// The unused bytes of an opportunity are lost. The trace repeats; its period is its last time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opportunities {
    /// Times in milliseconds, in ascending order; the last is above zero.
    pub times: Arc<[u32]>,
    /// The bytes of one opportunity.
    pub size: u32,
    /// The bytes that each packet takes beyond its own; fewer than `size`.
    pub header: u32,
}

impl Opportunities {
    /// The bytes of an opportunity in Mahimahi's code (`PACKET_SIZE` in `link_queue.hh`), enough for a packet of
    /// 1500 bytes with its [`HEADER`](Self::HEADER). Mahimahi's manual says 1500.
    pub const SIZE: u32 = 1504;

    /// The bytes that Mahimahi counts with each packet: its packets carry the header of the TUN device from which
    /// they come.
    pub const HEADER: u32 = 4;

    fn period(&self) -> u64 {
        u64::from(self.times.last().copied().unwrap_or(1)) * NANOS_PER_MILLISECOND
    }

    /// The bytes of all opportunities up to and including `time`.
    pub(crate) fn bytes_by(&self, time: Time) -> u128 {
        let (cycles, rest) = (time.as_nanos() / self.period(), time.as_nanos() % self.period());
        let millis = rest / NANOS_PER_MILLISECOND;
        let count = self.times.partition_point(|line| u64::from(*line) <= millis);
        (u128::from(cycles) * self.times.len() as u128 + count as u128) * u128::from(self.size)
    }

    /// The time of an opportunity, counted from 0.
    fn time(&self, number: u128) -> Time {
        let lines = self.times.len() as u128;
        let start = u128::from(self.period()) * (number / lines);
        let line = u128::from(self.times[(number % lines) as usize]) * u128::from(NANOS_PER_MILLISECOND);
        Time::from_nanos(u64::try_from(start + line).unwrap_or(u64::MAX))
    }

    /// The time of the opportunity that carries the byte after the first `bytes`.
    pub(crate) fn time_of_next(&self, bytes: u128) -> Time {
        self.time(bytes / u128::from(self.size))
    }

    /// The time of the opportunity that carries the last of `bytes`.
    pub(crate) fn time_of_last(&self, bytes: u128) -> Time {
        self.time(bytes.div_ceil(u128::from(self.size)).max(1) - 1)
    }

    /// The bits of packets in `bytes` of opportunities, if each is filled by one packet.
    pub(crate) fn bits_of_packets(&self, bytes: f64) -> f64 {
        bytes * 8.0 * f64::from(self.size - self.header) / f64::from(self.size)
    }

    /// The mean rate in bits per second, if each packet fills an opportunity.
    pub fn mean_rate(&self) -> f64 {
        let bits = self.bits_of_packets(self.times.len() as f64 * f64::from(self.size));
        bits / Duration::from_nanos(self.period()).as_secs_f64()
    }
}
