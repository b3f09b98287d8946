//! The ingress buffer of a link direction: packets whose arrival there is known in advance and needs no event.
//!
//! Links that neither lose nor reorder packets determine the arrival at the next link direction when a packet departs.
//! The effect of that arrival is visible no earlier than one propagation delay later, when the packet, or one behind it,
//! reaches the far end. So one event per propagation delay admits all packets that have arrived since, in order of
//! arrival and each at its own arrival time. Before the network is observed in between, the packets that have arrived
//! by then are admitted. A link direction without a propagation delay uses the next link direction's, if packets pass
//! through without waiting.
//!
//! Behind long queues arrivals are known many such events ahead. These far arrivals lie in a heap: when 30,000 of them
//! were sorted with the others at every event, that took four fifths of a run.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::mem;

use ackclock_units::{Duration, Time};

use crate::packet::slot::SlotId;

/// A packet and the time of its arrival at the link direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingArrival {
    pub(crate) time: Time,
    pub(crate) slot: SlotId,
}

/// A packet is near if at most this many events precede its arrival: sorting a nearly sorted list a few times is
/// cheaper than a heap.
const NEAR_EVENTS: u64 = 2;

/// The pending arrivals of one link direction.
#[derive(Clone, Debug)]
pub(crate) struct IngressBuffer {
    /// The packets that one of the next events admits, in the order of their departure.
    near: Vec<PendingArrival>,
    /// True if the near packets arrive in the order of their departure.
    in_order: bool,
    /// Packets that arrive by this time are near. It never decreases, so of packets that arrive at the same time, the
    /// far ones departed first.
    near_until: Time,
    /// The time of the event that admits the near packets; [`Time::MAX`] for none.
    due: Time,
    /// The time after its arrival by which a packet must be admitted.
    slack: Duration,
    far: BinaryHeap<FarArrival>,
    /// Packets that were far.
    far_count: u64,
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
            far_count: 0,
        }
    }
}

impl IngressBuffer {
    pub(crate) fn set_slack(&mut self, slack: Duration) {
        self.slack = slack;
    }

    /// All packets, in any order.
    pub(crate) fn pending(&self) -> impl Iterator<Item = PendingArrival> {
        self.near.iter().copied().chain(self.far.iter().map(|far| far.packet))
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
            self.in_order &= self.near.last().is_none_or(|last| last.time <= packet.time);
            self.near.push(packet);
        }
        event
    }

    #[inline(never)]
    fn push_far(&mut self, packet: PendingArrival) {
        self.far_count += 1;
        self.far.push(FarArrival { packet, number: self.far_count });
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
    /// packet has arrived by then. Packets that arrive at the same time keep the order of their departure.
    pub(crate) fn take(&mut self, until: Time) -> (Vec<PendingArrival>, usize) {
        self.bring_near(until);
        let mut pending = mem::take(&mut self.near);
        if !self.in_order {
            pending.sort_by_key(|packet| packet.time);
            self.in_order = true;
        }
        let count = pending.partition_point(|packet| packet.time <= until);
        (pending, count)
    }

    /// Makes the far packets that have arrived by `until` near ones.
    fn bring_near(&mut self, until: Time) {
        let arrived = |far: &FarArrival| far.packet.time <= until;
        if !self.far.peek().is_some_and(arrived) {
            return;
        }
        let mut near = Vec::with_capacity(self.near.capacity());
        while self.far.peek().is_some_and(arrived) {
            near.extend(self.far.pop().map(|far| far.packet));
        }
        near.append(&mut self.near);
        self.near = near;
        self.in_order = false;
    }

    /// Puts back the packets that were not admitted. Returns the time at which to schedule an event that admits them, if
    /// none is scheduled early enough.
    pub(crate) fn put_back(&mut self, pending: Vec<PendingArrival>) -> Option<Time> {
        debug_assert!(self.near.is_empty(), "no packet departs to the link direction that admits");
        self.near = pending;
        let near = self.near.first().map(|packet| packet.time);
        let far = self.far.peek().map(|far| far.packet.time);
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

/// A packet in the heap, with the number of its insertion.
#[derive(Clone, Copy, Debug)]
struct FarArrival {
    packet: PendingArrival,
    number: u64,
}

impl FarArrival {
    fn key(&self) -> (Time, u64) {
        (self.packet.time, self.number)
    }
}

/// The packet that arrives first is the greatest, and so on top of the heap.
impl Ord for FarArrival {
    fn cmp(&self, other: &FarArrival) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for FarArrival {
    fn partial_cmp(&self, other: &FarArrival) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for FarArrival {
    fn eq(&self, other: &FarArrival) -> bool {
        self.key() == other.key()
    }
}

impl Eq for FarArrival {}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a slack of 10 ns the first arrival, at 5 ns, sets the event of 15 ns: arrivals more than 20 ns after it are far.
    #[test]
    fn packets_are_taken_in_order_of_arrival_and_then_of_departure() {
        let mut buffer = IngressBuffer::default();
        buffer.set_slack(Duration::from_nanos(10));
        let arrivals = [5, 240, 12, 240, 26, 12, 290];
        let due: Vec<_> = (0..)
            .zip(arrivals)
            .map(|(slot, at)| buffer.push(PendingArrival { time: Time::from_nanos(at), slot }))
            .collect();
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
        assert_eq!(taken(15), (vec![0, 2, 5], Some(Time::from_nanos(36))), "the event of the next, at 26 ns");
        assert_eq!(taken(36), (vec![4], Some(Time::from_nanos(250))));
        assert_eq!(taken(250), (vec![1, 3], Some(Time::from_nanos(300))));
        assert_eq!(taken(300), (vec![6], None));
    }
}
