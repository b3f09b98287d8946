//! The ingress buffer of a link direction: packets whose arrival there is known in advance and needs no event.
//!
//! Links that neither lose nor reorder packets determine the arrival at the next link direction when a packet departs.
//! The effect of that arrival is visible no earlier than one propagation delay later, when the packet, or one behind it,
//! reaches the far end. So one event per propagation delay admits all packets that have arrived since, in order of
//! arrival and each at its own arrival time. Before the network is observed in between, the packets that have arrived
//! by then are admitted. A link direction without a propagation delay borrows the next one's, if packets pass through to
//! that without waiting.

use std::mem;

use ackclock_units::{Duration, Time};

use crate::packet::slot::SlotId;

/// A packet and the time of its arrival at the link direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingArrival {
    pub(crate) time: Time,
    pub(crate) slot: SlotId,
}

/// The pending arrivals of one link direction, in the order in which the packets departed.
#[derive(Clone, Debug)]
pub(crate) struct IngressBuffer {
    pending: Vec<PendingArrival>,
    /// The order of departure is also the order of arrival.
    in_order: bool,
    /// The time of the event that admits them; [`Time::MAX`] for none.
    due: Time,
    /// The time after its arrival by which a packet must be admitted.
    slack: Duration,
}

impl Default for IngressBuffer {
    fn default() -> IngressBuffer {
        IngressBuffer { pending: Vec::new(), in_order: true, due: Time::MAX, slack: Duration::ZERO }
    }
}

impl IngressBuffer {
    pub(crate) fn set_slack(&mut self, slack: Duration) {
        self.slack = slack;
    }

    pub(crate) fn pending(&self) -> &[PendingArrival] {
        &self.pending
    }

    /// Adds a packet. Returns the time at which to schedule an event that admits it, if none is scheduled early enough.
    #[inline]
    pub(crate) fn push(&mut self, packet: PendingArrival) -> Option<Time> {
        self.in_order &= self.pending.last().is_none_or(|last| last.time <= packet.time);
        self.pending.push(packet);
        self.due_by(packet.time)
    }

    /// Returns true if the event that fires now is the one scheduled last, and not one that an earlier has replaced.
    pub(crate) fn fires(&mut self, now: Time) -> bool {
        let current = self.due == now;
        if current {
            self.due = Time::MAX;
        }
        current
    }

    /// Takes all packets out, sorted by arrival, with the number of those that have arrived by `until`. Packets that
    /// arrive at the same time keep the order of their departure.
    pub(crate) fn take(&mut self, until: Time) -> (Vec<PendingArrival>, usize) {
        let mut pending = mem::take(&mut self.pending);
        if !self.in_order {
            pending.sort_by_key(|packet| packet.time);
            self.in_order = true;
        }
        let count = pending.partition_point(|packet| packet.time <= until);
        (pending, count)
    }

    /// Puts back the packets that were not admitted. Returns the time at which to schedule an event that admits them, if
    /// none is scheduled early enough.
    pub(crate) fn put_back(&mut self, pending: Vec<PendingArrival>) -> Option<Time> {
        debug_assert!(self.pending.is_empty(), "no packet departs to the link direction that admits");
        self.pending = pending;
        let next = self.pending.first()?.time;
        self.due_by(next)
    }

    /// The time at which to admit a packet that arrives at `arrival`, if no event is scheduled by then.
    #[inline]
    fn due_by(&mut self, arrival: Time) -> Option<Time> {
        let deadline = arrival + self.slack;
        let earlier = deadline < self.due;
        if earlier {
            self.due = deadline;
        }
        earlier.then_some(deadline)
    }
}
