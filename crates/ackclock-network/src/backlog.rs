//! What waits in front of a transmitter, as runs of packets of one size: most of the time there is one run, and how much
//! of it has departed follows from the time alone.

use std::collections::VecDeque;

use ackclock_units::{Bytes, Duration, Time};

use crate::{Occupancy, QueueLimit};

/// Packets of one size that are transmitted one right after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) start: Time,
    pub(crate) end: Time,
    /// Of one packet.
    pub(crate) transmission: Duration,
}

impl Run {
    pub(crate) const NONE: Run = Run { start: Time::ZERO, end: Time::ZERO, transmission: Duration::ZERO };

    /// How many packets have not departed. One whose transmission ends now has.
    #[inline]
    fn undeparted(&self, now: Time) -> u64 {
        self.count(self.end.since(now.max(self.start)))
    }

    /// How many packets the transmitter begins within a span of the run.
    #[inline]
    pub(crate) fn count(&self, span: Duration) -> u64 {
        span.as_nanos().div_ceil(self.transmission.as_nanos().max(1))
    }
}

/// The longest that a packet may find the transmitter busy and still wait, among packets of its own size.
pub(crate) fn room(limit: QueueLimit, size: u32, transmission: Duration) -> Duration {
    match limit {
        QueueLimit::Unlimited => Duration::MAX,
        QueueLimit::Packets(limit) => transmission.saturating_mul(u64::from(limit)),
        QueueLimit::Bytes(limit) => transmission.saturating_mul(limit.get() / u64::from(size.max(1))),
    }
}

/// The runs before the last, where packets of several sizes follow each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mixture {
    /// With the size of their packets.
    runs: VecDeque<(Run, u32)>,
    /// All packets of these runs, and their bytes.
    packets: u64,
    bytes: u64,
}

impl Mixture {
    pub(crate) fn push(&mut self, run: Run, size: u32) {
        let count = run.undeparted(run.start);
        self.packets += count;
        self.bytes += count * u64::from(size);
        self.runs.push_back((run, size));
    }

    /// Forgets runs that have departed; whether there are others.
    pub(crate) fn see_off(&mut self, now: Time) -> bool {
        while let Some((run, size)) = self.runs.front().filter(|(run, _)| run.end <= now) {
            let count = run.undeparted(run.start);
            self.packets -= count;
            self.bytes -= count * u64::from(*size);
            self.runs.pop_front();
        }
        !self.runs.is_empty()
    }

    /// What waits, with the last run: all but the first packet, which is being transmitted.
    pub(crate) fn waiting(&self, now: Time, last: &Run, size: u32) -> Occupancy {
        let behind = last.undeparted(now);
        let (mut packets, mut bytes) = (self.packets + behind, self.bytes + behind * u64::from(size));
        let mut first = size;
        if let Some((run, size)) = self.runs.front() {
            let departed = run.undeparted(run.start) - run.undeparted(now);
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
