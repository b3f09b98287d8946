//! Many lists of packets in order of arrival, in one store.

use ackclock_memory::{memory_of, prefetch};

use super::fifo::Oldest;
use crate::packet::queued_packet::QueuedPacket;
use crate::packet::slot::SlotId;

/// No packet.
const NONE: u32 = u32::MAX;

/// The packets of many lists. The place freed last is used first, so few packets take little memory, however many lists
/// there are, and stay in the processor's caches.
#[derive(Clone, Debug)]
pub(crate) struct PacketStore {
    places: Vec<Place>,
    /// The first free place.
    free: u32,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    packet: QueuedPacket,
    before: u32,
    /// The next place of the same list, or the next free one.
    next: u32,
}

/// One list, with the sum of its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketList {
    /// The place of the oldest packet.
    first: u32,
    last: u32,
    packets: u32,
    bytes: u64,
}

impl Default for PacketStore {
    fn default() -> PacketStore {
        PacketStore { places: Vec::new(), free: NONE }
    }
}

impl Default for PacketList {
    fn default() -> PacketList {
        PacketList { first: NONE, last: NONE, packets: 0, bytes: 0 }
    }
}

impl PacketStore {
    /// Appends a packet to a list.
    pub(crate) fn push(&mut self, list: &mut PacketList, packet: QueuedPacket) {
        let held = Place { packet, before: list.last, next: NONE };
        let place = match self.free {
            NONE => {
                self.places.push(held);
                self.places.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.places[free as usize], held).next;
                free
            }
        };
        match list.last {
            NONE => list.first = place,
            before => self.places[before as usize].next = place,
        }
        list.last = place;
        list.packets += 1;
        list.bytes += u64::from(packet.size);
    }

    /// Prefetches the oldest packet of a list.
    #[inline]
    fn prefetch(&self, list: &PacketList) {
        if let Some(place) = self.places.get(list.first as usize) {
            prefetch(memory_of(place));
        }
    }

    /// Prefetches for the next three queues in order of service: the state of the third, and the oldest packet of the second. Returns
    /// the slot of the oldest packet of the first.
    #[inline]
    pub(crate) fn prefetch_upcoming<'a>(
        &self,
        [next, later, latest]: [Option<usize>; 3],
        list: impl Fn(usize) -> &'a PacketList,
        prefetch_queue: impl Fn(usize),
    ) -> Option<SlotId> {
        if let Some(latest) = latest {
            prefetch_queue(latest);
        }
        if let Some(later) = later {
            self.prefetch(list(later));
        }
        self.first(list(next?)).map(|packet| packet.slot)
    }

    /// Removes the oldest packet of a list.
    pub(crate) fn pop(&mut self, list: &mut PacketList) -> Option<QueuedPacket> {
        let Place { packet, next, .. } = *self.places.get(list.first as usize)?;
        self.release(list.first);
        list.first = next;
        match next {
            NONE => list.last = NONE,
            next => self.places[next as usize].before = NONE,
        }
        list.forget(&packet);
        Some(packet)
    }

    /// Removes the latest packet of a list. A common function for both ends would cost FQ-CoDel 109 more instructions
    /// per packet when it removes the oldest.
    pub(crate) fn pop_last(&mut self, list: &mut PacketList) -> Option<QueuedPacket> {
        let Place { packet, before, .. } = *self.places.get(list.last as usize)?;
        self.release(list.last);
        list.last = before;
        match before {
            NONE => list.first = NONE,
            before => self.places[before as usize].next = NONE,
        }
        list.forget(&packet);
        Some(packet)
    }

    /// Removes the packet at a place of a list, which [`Self::iter`] has given.
    pub(crate) fn remove(&mut self, list: &mut PacketList, place: u32) -> QueuedPacket {
        let Place { packet, before, next } = self.places[place as usize];
        match before {
            NONE => list.first = next,
            before => self.places[before as usize].next = next,
        }
        match next {
            NONE => list.last = before,
            next => self.places[next as usize].before = before,
        }
        self.release(place);
        list.forget(&packet);
        packet
    }

    /// The packets of a list with their places, the oldest first.
    pub(crate) fn iter(&self, list: &PacketList) -> impl Iterator<Item = (u32, &QueuedPacket)> {
        let mut next = list.first;
        std::iter::from_fn(move || {
            let (number, place) = (next, self.places.get(next as usize)?);
            next = place.next;
            Some((number, &place.packet))
        })
    }

    fn release(&mut self, place: u32) {
        self.places[place as usize].next = self.free;
        self.free = place;
    }

    /// The oldest packet of a list.
    pub(crate) fn first(&self, list: &PacketList) -> Option<&QueuedPacket> {
        Some(&self.places.get(list.first as usize)?.packet)
    }
}

impl PacketList {
    fn forget(&mut self, packet: &QueuedPacket) {
        self.packets -= 1;
        self.bytes -= u64::from(packet.size);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets == 0
    }

    pub(crate) fn packets(&self) -> u32 {
        self.packets
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes from which the longest list is found. All packets of zero bytes, such as acknowledgments without a
    /// header, count as one byte together: a drop can come from any list that holds packets.
    pub(crate) fn backlog(&self) -> u64 {
        self.bytes.max(u64::from(self.packets > 0))
    }
}

/// A list with its store.
pub(crate) struct ListInStore<'a>(pub(crate) &'a mut PacketList, pub(crate) &'a mut PacketStore);

impl Oldest for ListInStore<'_> {
    fn pop(&mut self) -> Option<QueuedPacket> {
        self.1.pop(self.0)
    }

    fn bytes(&self) -> u64 {
        self.0.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fifo::Fifo;
    use super::*;
    use crate::Ecn;
    use crate::queue::testing::queued;
    use ackclock_units::Time;

    proptest! {
        /// Against a list of its own for each.
        #[test]
        fn the_lists_are_apart(acts in prop::collection::vec((0_usize..4, 0_u8..7), 0..300)) {
            let mut store = PacketStore::default();
            let mut lists = [PacketList::default(); 4];
            let mut apart: [Fifo; 4] = Default::default();
            let mut most = 0;
            for (slot, (list, act)) in acts.into_iter().enumerate() {
                prop_assert_eq!(store.first(&lists[list]), apart[list].first());
                if act < 3 {
                    let packet = queued(slot as u32, Time::ZERO, Ecn::NotCapable);
                    let packet = QueuedPacket { size: slot as u32 % 7, ..packet };
                    store.push(&mut lists[list], packet);
                    apart[list].push(packet);
                } else if act < 5 {
                    prop_assert_eq!(store.pop(&mut lists[list]), apart[list].pop());
                } else if act < 6 {
                    prop_assert_eq!(store.pop_last(&mut lists[list]), apart[list].pop_last());
                } else if let Some((place, middle)) = {
                    let nth = slot % apart[list].len().max(1);
                    store.iter(&lists[list]).nth(nth).map(|(place, packet)| (place, *packet))
                } {
                    prop_assert_eq!(store.remove(&mut lists[list], place), middle);
                    let mut rest = Fifo::default();
                    while let Some(packet) = apart[list].pop() {
                        if packet != middle {
                            rest.push(packet);
                        }
                    }
                    apart[list] = rest;
                }
                for (list, fifo) in lists.iter().zip(&apart) {
                    prop_assert_eq!((list.packets() as usize, list.bytes()), (fifo.len(), fifo.bytes()));
                    prop_assert_eq!(list.backlog(), fifo.bytes().max(u64::from(!fifo.is_empty())));
                }
                most = most.max(apart.iter().map(Fifo::len).sum());
                prop_assert_eq!(store.places.len(), most, "a place that is free is used again");
            }
        }
    }
}
