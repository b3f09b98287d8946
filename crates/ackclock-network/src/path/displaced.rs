//! The packets on a link direction that arrive out of order.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use crate::packet::slot::SlotId;

/// The time at which a packet arrives, and its number among those added, which breaks ties.
type Key = (Time, u64);

/// The packets on a link direction that arrive out of order, by arrival. Each has an event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Displaced {
    /// In the order of their keys. A packet overtakes few others, so that few move when it is added.
    packets: VecDeque<(Key, SlotId)>,
    /// Packets that wait for others to arrive: the key in `packets`, and the number of packets that must arrive
    /// first.
    waiting: Vec<(Key, u32)>,
    added: u64,
}

impl Displaced {
    /// Adds a packet. It arrives after `behind` later packets, or at `arrival` if that is earlier.
    pub(crate) fn add(&mut self, arrival: Time, packet: SlotId, behind: u32) {
        let key = (arrival, self.added);
        self.added += 1;
        self.insert(key, packet);
        if behind > 0 {
            self.waiting.push((key, behind));
        }
    }

    /// Counts a packet that arrives in order at `arrival`. Packets whose wait ends with it arrive a nanosecond
    /// later. Returns that time and their number, if there are any: each needs an event.
    pub(crate) fn pass(&mut self, arrival: Time) -> Option<(Time, usize)> {
        if self.waiting.is_empty() {
            return None;
        }
        let next = arrival + Duration::from_nanos(1);
        let mut released = Vec::new();
        self.waiting.retain_mut(|(key, behind)| {
            if key.0 <= arrival {
                return false;
            }
            *behind -= 1;
            if *behind == 0 {
                released.push(*key);
            }
            *behind > 0
        });
        for key in &released {
            let place = self.place_of(*key);
            if self.packets.get(place).is_some_and(|(there, _)| there == key)
                && let Some((_, packet)) = self.packets.remove(place)
            {
                self.insert((next, key.1), packet);
            }
        }
        (!released.is_empty()).then_some((next, released.len()))
    }

    /// Removes a packet that has arrived by now.
    pub(crate) fn take(&mut self, now: Time) -> Option<SlotId> {
        self.due(now)?;
        self.packets.pop_front().map(|(_, packet)| packet)
    }

    fn insert(&mut self, key: Key, packet: SlotId) {
        self.packets.insert(self.place_of(key), (key, packet));
    }

    /// The place of the first packet that does not come before a key.
    fn place_of(&self, key: Key) -> usize {
        self.packets.partition_point(|(other, _)| *other < key)
    }

    /// The packet that [`Displaced::take`] would remove.
    pub(crate) fn due(&self, now: Time) -> Option<SlotId> {
        let ((time, _), packet) = self.packets.front()?;
        (*time <= now).then_some(*packet)
    }

    /// All packets.
    pub(crate) fn iter(&self) -> impl Iterator<Item = SlotId> {
        self.packets.iter().map(|(_, packet)| *packet)
    }

    pub(crate) fn len(&self) -> u64 {
        self.packets.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet is due at the time of its arrival itself, to those who look and to the one who takes it.
    #[test]
    fn a_packet_is_due_when_it_arrives() {
        let at = Time::from_nanos;
        let mut displaced = Displaced::default();
        displaced.add(at(20), 7, 0);
        assert_eq!((displaced.due(at(19)), displaced.take(at(19))), (None, None));
        assert_eq!(displaced.due(at(20)), Some(7));
        assert_eq!(displaced.take(at(20)), Some(7));
    }

    /// A packet that waits for two others arrives a nanosecond after the second, or at its own time if they are late.
    #[test]
    fn a_packet_arrives_behind_those_that_it_waits_for() {
        let at = Time::from_nanos;
        for (second, arrival) in [(90, 91), (100, 100)] {
            let mut displaced = Displaced::default();
            displaced.add(at(100), 7, 2);
            assert_eq!(displaced.pass(at(50)), None);
            assert_eq!(displaced.pass(at(second)), (arrival < 100).then_some((at(arrival), 1)));
            assert_eq!(displaced.due(at(arrival - 1)), None);
            assert_eq!(displaced.due(at(arrival)), Some(7));
        }
    }
}
