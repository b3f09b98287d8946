//! The data that has arrived at a receiver, in order or not, and its times.

use ackclock_units::Time;

use super::Receiver;
use crate::wire::Header;

impl Receiver {
    /// Packets of data received, of full segments: segments are packets unless small windows are divided.
    pub fn received_packets(&self) -> u64 {
        if !self.settings.smart_framing {
            return self.delivered_segments;
        }
        (self.delivered_bytes() + self.held_bytes()) / u64::from(self.settings.mss)
    }

    /// Payload bytes that have arrived, each counted once: those delivered in order, and those that wait for data before them.
    /// Data that an optimistic receiver has acknowledged and never received is not among them.
    #[inline(never)]
    pub fn arrived_bytes(&self) -> u64 {
        let (concealed, given_up) =
            self.options.as_ref().map_or((0, 0), |options| (options.concealed, options.given_up));
        self.delivered_bytes() + self.held_bytes() + given_up - concealed
    }

    /// Payload bytes that wait for data before them.
    pub(super) fn held_bytes(&self) -> u64 {
        self.reassembly.as_ref().map_or(0, |reassembly| {
            let has_fin = self.fin_at < u64::MAX && reassembly.contains(self.fin_at, self.fin_at + 1);
            reassembly.bytes() - u64::from(has_fin)
        })
    }

    /// The sender has given the connection up: from now on the time of the latest new data is kept.
    #[cold]
    pub fn watch_arrivals(&mut self) {
        self.plain = false;
        self.options.get_or_insert_default().arrived_at.get_or_insert(Time::ZERO);
    }

    /// When new data arrived last, since the arrivals are watched; time zero before.
    pub fn arrived_at(&self) -> Time {
        self.options.as_ref().and_then(|options| options.arrived_at).unwrap_or(Time::ZERO)
    }

    pub(super) fn is_watched(&self) -> bool {
        self.options.as_ref().is_some_and(|options| options.arrived_at.is_some())
    }

    #[cold]
    pub(super) fn take_watched(&mut self, now: Time, segment: &Header) {
        let before = self.arrived_bytes();
        self.take(now, segment);
        if self.arrived_bytes() > before
            && let Some(options) = &mut self.options
        {
            options.arrived_at = Some(now);
        }
    }

    /// The arrived part of these bytes still counts, and is not delivered again.
    #[cold]
    pub(super) fn give_up(&mut self, bytes: u64) {
        if bytes > 0 {
            self.options.get_or_insert_default().given_up += bytes;
        }
    }
}
