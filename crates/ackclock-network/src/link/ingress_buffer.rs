//! The ingress buffer of a link direction: packets whose arrival there is known in advance and needs no event.
//!
//! Links that neither lose nor reorder packets determine the arrival at the next link direction when a packet departs.
//! The effect of that arrival is visible no earlier than one propagation delay later, when the packet, or one behind it,
//! reaches the far end. So one event per propagation delay admits all packets that have arrived since, in order of
//! arrival and each at its own arrival time. Before the network is observed in between, the packets that have arrived
//! by then are admitted. Packets that arrive in the same instant come in the order of the link directions before, as their
//! events would, so that the time at which they are admitted changes nothing. A link direction without a propagation delay
//! uses the next link direction's, if packets pass through without waiting.
//!
//! Behind long queues arrivals are known many such events ahead. These far arrivals lie in a heap: when 30,000 of them
//! were sorted with the others at every event, that took four fifths of a run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem;

use ackclock_units::{Duration, Time};

use crate::LinkId;
use crate::packet::slot::SlotId;

/// A packet and the time of its arrival at the link direction. Arrivals are ordered by time, then by the link direction before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PendingArrival {
    pub(crate) time: Time,
    /// The link direction from which it comes, over which no other packet arrives at the same time.
    pub(crate) upstream: LinkId,
    pub(crate) slot: SlotId,
}

/// A packet is near if at most this many events precede its arrival: sorting a nearly sorted list a few times is
/// cheaper than a heap.
const NEAR_EVENTS: u64 = 2;

/// The pending arrivals of one link direction.
#[derive(Clone, Debug)]
pub(crate) struct IngressBuffer {
    /// The packets that one of the next events admits, in the order in which they were added.
    near: Vec<PendingArrival>,
    /// True if the near packets arrive in this order.
    in_order: bool,
    /// Packets that arrive by this time are near.
    near_until: Time,
    /// The time of the event that admits the near packets; [`Time::MAX`] for none.
    due: Time,
    /// The time after its arrival by which a packet must be admitted.
    slack: Duration,
    far: BinaryHeap<Reverse<PendingArrival>>,
}

impl Default for IngressBuffer {
    fn default() -> IngressBuffer {
        IngressBuffer {
            near: Vec::new(),
            in_order: true,
            near_until: Time::ZERO,
            due: Time::MAX,
            slack: Duration::ZERO,
            far: BinaryHeap::new(),
        }
    }
}

impl IngressBuffer {
    pub(crate) fn set_slack(&mut self, slack: Duration) {
        self.slack = slack;
    }

    /// All packets, in any order.
    pub(crate) fn pending(&self) -> impl Iterator<Item = PendingArrival> {
        self.near.iter().copied().chain(self.far.iter().map(|far| far.0))
    }

    pub(crate) fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Adds a packet. Returns the time at which to schedule an event that admits it, if none is scheduled early enough.
    #[inline]
    pub(crate) fn push(&mut self, packet: PendingArrival) -> Option<Time> {
        let event = self.due_by(packet.time);
        if packet.time > self.near_until {
            self.push_far(packet);
        } else {
            self.in_order &= self.near.last().is_none_or(|last| *last < packet);
            self.near.push(packet);
        }
        event
    }

    #[inline(never)]
    fn push_far(&mut self, packet: PendingArrival) {
        self.far.push(Reverse(packet));
    }

    /// Returns true if the event that fires now is the one scheduled last, not one that an earlier event has replaced.
    pub(crate) fn fires(&mut self, now: Time) -> bool {
        let current = self.due == now;
        if current {
            self.due = Time::MAX;
        }
        current
    }

    /// Takes out the near packets, sorted by arrival, and the number of them that have arrived by `until`. No far
    /// packet has arrived by then.
    pub(crate) fn take(&mut self, until: Time) -> (Vec<PendingArrival>, usize) {
        self.bring_near(until);
        let mut pending = mem::take(&mut self.near);
        if !self.in_order {
            pending.sort();
            self.in_order = true;
        }
        let count = pending.partition_point(|packet| packet.time <= until);
        (pending, count)
    }

    /// Makes the far packets that have arrived by `until` near ones.
    fn bring_near(&mut self, until: Time) {
        while self.far.peek().is_some_and(|far| far.0.time <= until) {
            self.near.extend(self.far.pop().map(|far| far.0));
            self.in_order = false;
        }
    }

    /// Puts back the packets that were not admitted. Returns the time at which to schedule an event that admits them, if
    /// none is scheduled early enough.
    pub(crate) fn put_back(&mut self, pending: Vec<PendingArrival>) -> Option<Time> {
        debug_assert!(self.near.is_empty(), "no packet departs to the link direction that admits");
        self.near = pending;
        let near = self.near.first().map(|packet| packet.time);
        let far = self.far.peek().map(|far| far.0.time);
        self.due_by(near.into_iter().chain(far).min()?)
    }

    /// The time at which to admit a packet that arrives at `arrival`, if no event is scheduled by then.
    #[inline]
    fn due_by(&mut self, arrival: Time) -> Option<Time> {
        let deadline = arrival + self.slack;
        let earlier = deadline < self.due;
        if earlier {
            self.due = deadline;
            self.near_until = self.near_until.max(deadline + self.slack.saturating_mul(NEAR_EVENTS));
        }
        earlier.then_some(deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a slack of 10 ns the first arrival, at 5 ns, sets the event of 15 ns: arrivals more than 20 ns after it are far.
    #[test]
    fn packets_are_taken_in_order_of_arrival_and_then_of_the_link_before() {
        let mut buffer = IngressBuffer::default();
        buffer.set_slack(Duration::from_nanos(10));
        let arrivals = [(5, 0), (240, 8), (12, 9), (240, 1), (26, 1), (12, 2), (290, 0)];
        let mut push = |slot, (at, upstream)| {
            buffer.push(PendingArrival { time: Time::from_nanos(at), upstream: LinkId(upstream), slot })
        };
        let due: Vec<_> = (0..).zip(arrivals).map(|(slot, arrival)| push(slot, arrival)).collect();
        assert_eq!(due[0], Some(Time::from_nanos(15)));
        assert!(due[1..].iter().all(Option::is_none), "the first event is early enough for all");
        assert_eq!((buffer.near.len(), buffer.far.len()), (4, 3));
        let mut taken = |until| {
            let until = Time::from_nanos(until);
            buffer.fires(until);
            let (mut pending, count) = buffer.take(until);
            let slots: Vec<_> = pending.drain(..count).map(|packet| packet.slot).collect();
            (slots, buffer.put_back(pending))
        };
        assert_eq!(taken(15), (vec![0, 5, 2], Some(Time::from_nanos(36))), "the event of the next, at 26 ns");
        assert_eq!(taken(36), (vec![4], Some(Time::from_nanos(250))));
        assert_eq!(taken(250), (vec![3, 1], Some(Time::from_nanos(300))));
        assert_eq!(taken(300), (vec![6], None));
    }
}
