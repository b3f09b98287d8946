//! The store of all packets in flight.

use ackclock_memory::{memory_of, prefetch, prefetch_part};
use ackclock_units::Time;

use super::attributes::PacketAttributes;
use super::header::PacketHeader;
use super::queued_packet::QueuedPacket;
use super::slot::{NO_SLOT, SlotId};
use crate::Packet;

/// An extension, which takes a cache line of its own and not parts of two.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Aligned<A>(A);

/// A packet's header and payload: one cache line if the payload is at most 32 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Slot<P> {
    header: PacketHeader,
    payload: P,
}

/// With more slots than this, packets and the state of their flows probably exceed the near caches, and prefetching
/// pays.
const PREFETCH_FROM: usize = 2048;

/// The number of slots with room at first: a megabyte, of which the system stores only the pages that packets touch.
/// Growing the list later would copy it and leave holes in memory.
const FIRST_SLOTS: usize = 16_384;

/// All packets in flight in a network.
///
/// A packet stays in one slot from its first link to its last; a hop changes only the lists of the links. The slot
/// freed last is used next, which keeps the memory in use small and cached.
#[derive(Clone, Debug)]
pub(crate) struct PacketStore<P, A> {
    slots: Vec<Slot<P>>,
    /// By slot: the time at which its packet arrived at the link direction for which it last waited. Read for
    /// statistics only.
    arrivals: Vec<Time>,
    /// By slot: the place of its packet's extension. The list ends with the highest slot that has had an extension.
    extension_places: Vec<u32>,
    /// The extensions of packets in flight; few packets have one.
    extensions: Vec<Aligned<A>>,
    /// The places of extensions that are free.
    free_extensions: Vec<u32>,
    /// The head of the list of free slots.
    free: SlotId,
}

impl<P: Copy, A: Copy> PacketStore<P, A> {
    pub(crate) fn new() -> PacketStore<P, A> {
        PacketStore {
            slots: Vec::with_capacity(FIRST_SLOTS),
            arrivals: Vec::with_capacity(FIRST_SLOTS),
            extension_places: Vec::new(),
            extensions: Vec::new(),
            free_extensions: Vec::new(),
            free: NO_SLOT,
        }
    }

    #[expect(clippy::inline_always, reason = "see `Network::send`")]
    #[inline(always)]
    pub(crate) fn insert(&mut self, packet: &Packet<P>) -> SlotId {
        let header = PacketHeader::new(packet);
        let id = self.free;
        if id == NO_SLOT {
            self.reserve_slot();
            self.slots.push(Slot { header, payload: packet.payload });
            self.arrivals.push(Time::ZERO);
            return self.slots.len() as SlotId - 1;
        }
        let slot = &mut self.slots[id as usize];
        self.free = slot.header.next;
        slot.payload = packet.payload;
        slot.header = header;
        id
    }

    /// Attaches an extension to a packet that has none.
    #[expect(
        clippy::inline_always,
        reason = "an extension is to be made in its place, as a packet in its slot"
    )]
    #[inline(always)]
    pub(crate) fn set_extension(&mut self, slot: SlotId, extension: &A) {
        let place = if let Some(place) = self.free_extensions.pop() {
            self.extensions[place as usize] = Aligned(*extension);
            place
        } else {
            self.add_extension(*extension)
        };
        let index = slot as usize;
        if index >= self.extension_places.len() {
            self.reach_extension(index);
        }
        self.extension_places[index] = place;
        self.slots[index].header.set_has_extension();
    }

    /// Removes a packet that has no extension, or whose extension [is taken](Self::take_extension) next.
    #[inline]
    pub(crate) fn remove(&mut self, slot: SlotId) -> Packet<P> {
        let packet = self.packet(slot);
        self.slots[slot as usize].header.next = self.free;
        self.free = slot;
        packet
    }

    /// The packet removed last, until another is inserted.
    pub(crate) fn removed_last(&self) -> Packet<P> {
        self.packet(self.free)
    }

    /// Removes a packet and its extension, if it has one.
    #[inline(never)]
    pub(crate) fn discard(&mut self, slot: SlotId) -> Packet<P> {
        if self.header(slot).has_extension() {
            self.take_extension(slot);
        }
        self.remove(slot)
    }

    /// Takes the extension of a packet that has one. The packet may have been removed, if no other has taken its slot
    /// since.
    #[inline]
    pub(crate) fn take_extension(&mut self, slot: SlotId) -> A {
        let place = self.extension_places[slot as usize];
        self.free_extensions.push(place);
        self.extensions[place as usize].0
    }

    #[inline]
    pub(crate) fn packet(&self, slot: SlotId) -> Packet<P> {
        let Slot { header, payload } = &self.slots[slot as usize];
        Packet {
            flow: header.flow(),
            incarnation: header.incarnation(),
            route: header.route,
            size: header.size(),
            data: header.is_data(),
            ecn: header.ecn(),
            payload: *payload,
        }
    }

    /// A second packet with the same header, payload and extension.
    pub(crate) fn copy(&mut self, slot: SlotId) -> SlotId {
        let copy = self.insert(&self.packet(slot));
        if let Some(extension) = self.extension(slot) {
            self.set_extension(copy, &extension);
        }
        copy
    }

    /// Exchanges the payloads and extensions of two packets. Each stays on its link with its size and its time of departure.
    pub(crate) fn exchange_content(&mut self, one: SlotId, other: SlotId) {
        let extensions = [one, other].map(|slot| self.detach_extension(slot));
        let payload = self.slots[one as usize].payload;
        self.slots[one as usize].payload = self.slots[other as usize].payload;
        self.slots[other as usize].payload = payload;
        for (slot, extension) in [other, one].into_iter().zip(extensions) {
            if let Some(extension) = extension {
                self.set_extension(slot, &extension);
            }
        }
    }

    /// Takes the extension of a packet in flight, if it has one. The packet then has none.
    fn detach_extension(&mut self, slot: SlotId) -> Option<A> {
        if !self.header(slot).has_extension() {
            return None;
        }
        self.header_mut(slot).clear_has_extension();
        Some(self.take_extension(slot))
    }

    /// The packet's extension, if it has one.
    #[inline]
    pub(crate) fn extension(&self, slot: SlotId) -> Option<A> {
        let has_some = self.slots.get(slot as usize).is_some_and(|slot| slot.header.has_extension());
        if has_some { Some(self.extension_at(slot)) } else { None }
    }

    #[inline]
    fn extension_at(&self, slot: SlotId) -> A {
        self.extensions[self.extension_places[slot as usize] as usize].0
    }

    /// The packet's extension, to be changed on the way.
    pub(crate) fn extension_mut(&mut self, slot: SlotId) -> Option<&mut A> {
        if !self.header(slot).has_extension() {
            return None;
        }
        let place = self.extension_places[slot as usize];
        self.extensions.get_mut(place as usize).map(|Aligned(extension)| extension)
    }

    pub(crate) fn payload(&self, slot: SlotId) -> &P {
        &self.slots[slot as usize].payload
    }

    /// The packet as it arrives at a queue now.
    #[expect(clippy::inline_always, reason = "constructed in the call that takes it")]
    #[inline(always)]
    pub(crate) fn queued_packet(&self, slot: SlotId, now: Time) -> QueuedPacket {
        let header = self.header(slot);
        QueuedPacket {
            slot,
            flow: header.flow_key,
            size: header.size(),
            arrived: now,
            ecn: header.ecn(),
            marked: false,
            protected: false,
            lost: false,
        }
    }

    /// The attributes on which loss models and marking queues decide.
    #[inline]
    pub(crate) fn attributes(&self, slot: SlotId) -> PacketAttributes {
        let header = self.header(slot);
        PacketAttributes { flow: header.flow(), data: header.is_data(), ecn: header.ecn() }
    }

    #[inline]
    pub(crate) fn header(&self, slot: SlotId) -> &PacketHeader {
        &self.slots[slot as usize].header
    }

    #[inline]
    pub(crate) fn header_mut(&mut self, slot: SlotId) -> &mut PacketHeader {
        &mut self.slots[slot as usize].header
    }

    /// The time at which the packet arrived at the link direction for which it last waited.
    pub(crate) fn arrival(&self, slot: SlotId) -> Time {
        self.arrivals[slot as usize]
    }

    #[inline]
    pub(crate) fn set_arrival(&mut self, slot: SlotId, now: Time) {
        self.arrivals[slot as usize] = now;
    }

    /// True if there are enough slots for prefetching to pay.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.slots.len() > PREFETCH_FROM
    }

    /// Prefetches the packet behind the one with this header. It is read when that one arrives.
    #[inline]
    pub(crate) fn prefetch_next(&self, header: &PacketHeader) {
        if self.is_large() {
            self.prefetch(header.next);
        }
    }

    /// Prefetches a packet.
    #[inline]
    pub(crate) fn prefetch(&self, slot: SlotId) {
        if let Some(slot) = self.slots.get(slot as usize) {
            prefetch_part(slot, 0..size_of::<Slot<P>>());
        }
    }

    /// Prefetches a packet's extension, if it has one.
    #[inline]
    pub(crate) fn prefetch_extension(&self, slot: SlotId, header: &PacketHeader) {
        if header.has_extension()
            && let Some(place) = self.extension_places.get(slot as usize)
            && let Some(extension) = self.extensions.get(*place as usize)
        {
            prefetch(memory_of(extension));
        }
    }

    /// Reserves memory for another slot. The packet is not an argument, since passing it would require building it in
    /// memory.
    #[cold]
    #[inline(never)]
    fn reserve_slot(&mut self) {
        assert!(self.slots.len() < NO_SLOT as usize, "more packets under way than there are numbers for");
        grow_by_half(&mut self.slots, 1);
        grow_by_half(&mut self.arrivals, 1);
    }

    /// Adds an extension when no place is free, and reserves memory for noting the place when it becomes free.
    /// Returns the place.
    #[cold]
    #[inline(never)]
    fn add_extension(&mut self, extension: A) -> u32 {
        grow_by_half(&mut self.extensions, 1);
        // No place is free now. From now on there is room to note all places as free.
        self.free_extensions.reserve_exact(self.extensions.capacity());
        self.extensions.push(Aligned(extension));
        self.extensions.len() as u32 - 1
    }

    /// Extends `extension_places` up to this slot. The entries in between are never read, since their packets have no
    /// extension.
    #[cold]
    #[inline(never)]
    fn reach_extension(&mut self, slot: usize) {
        let more = slot + 1 - self.extension_places.len();
        grow_by_half(&mut self.extension_places, more);
        self.extension_places.resize(slot + 1, 0);
    }
}

/// The least room of a list.
const LEAST_ROOM: usize = 16;

/// Makes room for this many more entries. A list grows by half, so that at most a third of it is unused.
fn grow_by_half<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 2).max(LEAST_ROOM));
    }
}
