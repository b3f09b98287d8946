//! A transmitter whose capacity varies. It serves first in, first out, so a packet's departure is known
//! on admission.

use ackclock_units::Time;

use super::bookings::{Booking, Bookings};
use super::capacity::Capacity;
use super::impairment::Shaper;
use super::state::LinkState;
use crate::Occupancy;

/// The transmitter, with the packets that it has accepted.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    capacity: Capacity,
    /// The capacity, evaluated up to the start of the measurement.
    measured: Capacity,
    /// The capacity, evaluated up to the last sample, and the work that was possible until then.
    sampled: (Capacity, u128),
    shapers: Vec<Shaper>,
    /// The end of the last packet's span of work.
    finished: u128,
    /// The last packet's departure.
    free_at: Time,
    bookings: Bookings,
    /// The work of all packets accepted.
    accepted: u128,
    /// The end of the run. A packet that would depart later does not depart.
    until: Time,
}

/// The work of a transmitter since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WorkDone {
    pub(crate) done: u128,
    pub(crate) possible: u128,
    /// The possible work in bits; none if the rate is in packets.
    pub(crate) possible_bits: Option<f64>,
}

impl WorkDone {
    /// The work since `earlier`.
    pub(crate) fn since(self, earlier: WorkDone) -> WorkDone {
        WorkDone {
            done: self.done - earlier.done,
            possible: self.possible - earlier.possible,
            possible_bits: self.possible_bits.map(|bits| bits - earlier.possible_bits.unwrap_or_default()),
        }
    }
}

impl Transmitter {
    pub(super) fn new(capacity: Capacity, shapers: Vec<Shaper>, until: Time) -> Transmitter {
        let (measured, sampled) = (capacity.clone(), (capacity.clone(), 0));
        let (finished, free_at) = (0, Time::ZERO);
        Transmitter {
            capacity,
            measured,
            sampled,
            shapers,
            finished,
            free_at,
            bookings: Bookings::default(),
            accepted: 0,
            until,
        }
    }

    /// The queue that a packet finds on arrival.
    pub(crate) fn waiting(&mut self, now: Time) -> Occupancy {
        self.bookings.retire(now);
        self.bookings.waiting(now)
    }

    /// True if a packet that arrives now would not wait.
    pub(crate) fn takes_at_once(&self, now: Time, size: u32) -> bool {
        self.free_at <= now
            && self.capacity.takes_at_once()
            && self.shapers.iter().all(|shaper| shaper.passes_at(now, size) == now)
    }

    /// Accepts a packet that arrives now. Returns the beginning of its transmission and its departure.
    pub(crate) fn accept(&mut self, now: Time, size: u32) -> (Time, Time) {
        let possible = if self.free_at > now { 0 } else { self.capacity.by(now) };
        self.book(now, size, possible)
    }

    /// Accepts a packet that the transmitter pulls now.
    pub(crate) fn accept_pulled(&mut self, now: Time, size: u32) -> (Time, Time) {
        let possible = if self.free_at > now { 0 } else { self.capacity.before_pull(now) };
        self.book(now, size, possible)
    }

    fn book(&mut self, now: Time, size: u32, possible: u128) -> (Time, Time) {
        self.bookings.retire(now);
        let mut from = self.finished.max(possible);
        let free = self.capacity.takes_at(from, self.free_at.max(now));
        let mut begin = free;
        for shaper in &self.shapers {
            begin = begin.max(shaper.passes_at(free, size));
        }
        if begin > free && begin < Time::MAX {
            from = from.max(self.capacity.before_pull(begin));
            begin = self.capacity.takes_at(from, begin);
        }
        for shaper in &mut self.shapers {
            shaper.take(begin, size);
        }
        let to = from + self.capacity.work_of(size);
        let mut departure = if begin < Time::MAX { self.capacity.first_with(to) } else { Time::MAX };
        if departure > self.until {
            departure = Time::MAX;
        }
        self.bookings.push(Booking { arrived: now, begin, departure, size, from, to });
        self.accepted += to - from;
        (self.finished, self.free_at) = (to, departure);
        (begin, departure)
    }

    /// The instant at which the transmitter pulls a packet that arrives now at an empty queue.
    pub(crate) fn pulls_arriving_at(&mut self, now: Time) -> Time {
        if self.free_at > now {
            return self.capacity.takes_at(self.finished, self.free_at);
        }
        let from = self.finished.max(self.capacity.by(now));
        self.capacity.takes_at(from, now)
    }

    /// The instant at which the transmitter pulls the next of the packets that wait.
    pub(crate) fn pulls_next_at(&self) -> Time {
        self.capacity.takes_at(self.finished, self.free_at)
    }

    pub(crate) fn state(&self, now: Time) -> LinkState {
        self.bookings.state(now)
    }

    /// The work done until `now`, which is not before the start of the measurement.
    pub(crate) fn work(&self, now: Time) -> WorkDone {
        let mut capacity = self.measured.clone();
        let possible = capacity.by(now);
        let done = self.accepted - self.bookings.remaining(possible);
        WorkDone { done, possible, possible_bits: capacity.bits(possible) }
    }

    /// The bits that could have been transmitted since the last sample; none if the rate is in packets.
    pub(crate) fn sample_capacity(&mut self, now: Time) -> Option<f64> {
        let (capacity, before) = &mut self.sampled;
        let possible = capacity.by(now);
        capacity.bits(possible - std::mem::replace(before, possible))
    }

    /// Begins the measurement.
    pub(crate) fn measure_from(&mut self, now: Time) {
        self.measured.by(now);
    }
}
