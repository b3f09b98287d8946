//! The packets that a transmitter has accepted and not yet sent.

use std::collections::VecDeque;

use ackclock_units::{Bytes, Time};

use super::state::LinkState;
use crate::Occupancy;

/// A packet that a transmitter has accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Booking {
    pub(super) arrived: Time,
    /// The instant at which its transmission begins.
    pub(super) begin: Time,
    pub(super) departure: Time,
    pub(super) size: u32,
    /// Its span of work.
    pub(super) from: u128,
    pub(super) to: u128,
}

/// The packets accepted and not yet sent, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Bookings {
    packets: VecDeque<Booking>,
    bytes: u64,
}

impl Bookings {
    pub(super) fn push(&mut self, booking: Booking) {
        self.bytes += u64::from(booking.size);
        self.packets.push_back(booking);
    }

    /// Removes the packets that have departed.
    pub(super) fn retire(&mut self, now: Time) {
        while let Some(first) = self.packets.front().filter(|first| first.departure <= now) {
            self.bytes -= u64::from(first.size);
            self.packets.pop_front();
        }
    }

    /// The packets whose transmission has not begun, after [`Bookings::retire`] at the same time.
    pub(super) fn waiting(&self, now: Time) -> Occupancy {
        let begun = self.packets.iter().take_while(|packet| packet.begin <= now);
        let (count, bytes) =
            begun.fold((0, 0), |(count, bytes), packet| (count + 1, bytes + u64::from(packet.size)));
        Occupancy { packets: (self.packets.len() - count) as u32, bytes: Bytes::new(self.bytes - bytes) }
    }

    /// The state of the queue at `now`.
    pub(super) fn state(&self, now: Time) -> LinkState {
        let mut state = LinkState::default();
        for packet in self.packets.iter().filter(|packet| packet.departure > now) {
            state.book(now, packet.arrived, packet.begin, packet.departure, packet.size);
        }
        state
    }

    /// The work of these packets that is still to be done when the transmitter has done `done`.
    pub(super) fn remaining(&self, done: u128) -> u128 {
        self.packets.iter().map(|packet| packet.to.saturating_sub(packet.from.max(done))).sum()
    }
}
