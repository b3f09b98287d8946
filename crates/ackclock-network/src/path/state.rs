//! The state of a link direction at one instant.

use ackclock_units::{Bytes, Duration, Time};

use crate::Occupancy;

/// The state of a link direction at one instant, found by visiting every packet that has not departed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkState {
    /// Packets in the queue or on the transmitter, and their bytes.
    packets: u32,
    bytes: u64,
    /// The departure and size of the first of these packets.
    first: Option<(Time, u32)>,
    /// The waiting time still ahead of these packets, in packet-nanoseconds; the first no longer waits.
    pub(crate) waiting_ahead: u128,
    /// Packets whose transmission has not begun, and their waiting time until now, in packet-nanoseconds.
    pub(crate) not_begun: u64,
    pub(crate) waited_already: u128,
    /// The departure of the last of these packets.
    pub(crate) free_at: Time,
    /// Packets counted as admitted that have not arrived here yet, and their transmission time.
    pub(crate) future: u64,
    pub(crate) future_busy: Duration,
    /// Packets counted as forwarded that have not reached the far end, and their bytes.
    pub(crate) not_arrived: u64,
    pub(crate) bytes_not_arrived: u64,
    /// True if the first packet waits too.
    nothing_begun: bool,
}

impl LinkState {
    /// Counts a packet. A packet that cuts through does not wait, so it arrives when its transmission
    /// begins; any other arrived at `arrived`.
    #[inline]
    pub(crate) fn count(
        &mut self,
        now: Time,
        (departure, size, cut_through): (Time, u32, bool),
        transmission: Duration,
        arrived: Time,
    ) {
        if departure <= now {
            return;
        }
        let begin = Time::from_nanos(departure.as_nanos() - transmission.as_nanos());
        if cut_through && begin > now {
            self.future += 1;
            self.future_busy += transmission;
            return;
        }
        self.packets += 1;
        self.bytes += u64::from(size);
        self.first = self.first.into_iter().chain([(departure, size)]).min();
        if begin > now {
            self.not_begun += 1;
            self.waiting_ahead += u128::from(begin.since(now).as_nanos());
            self.waited_already += u128::from(now.since(arrived).as_nanos());
        }
        self.free_at = self.free_at.max(departure);
    }

    /// Counts a packet of a transmitter whose capacity varies, before its departure.
    pub(crate) fn book(&mut self, now: Time, arrived: Time, begin: Time, departure: Time, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
        if begin > now {
            self.not_begun += 1;
            self.waiting_ahead += u128::from(begin.since(now).as_nanos());
            self.waited_already += u128::from(now.since(arrived).as_nanos());
            // The first packet waits unless it is being transmitted.
            self.nothing_begun |= self.first.is_none();
        }
        self.first = self.first.or(Some((departure, size)));
        self.free_at = self.free_at.max(departure);
    }

    /// Counts a packet that has not reached the far end.
    #[inline]
    pub(crate) fn not_arrived(&mut self, size: u32) {
        self.not_arrived += 1;
        self.bytes_not_arrived += u64::from(size);
    }

    /// The packets that wait: all but the first, which is being transmitted.
    pub(crate) fn waiting(&self) -> Occupancy {
        if self.nothing_begun {
            return Occupancy { packets: self.packets, bytes: Bytes::new(self.bytes) };
        }
        self.first.map_or_else(Occupancy::default, |(_, size)| Occupancy {
            packets: self.packets - 1,
            bytes: Bytes::new(self.bytes - u64::from(size)),
        })
    }
}
