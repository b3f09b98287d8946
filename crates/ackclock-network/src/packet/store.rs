//! The store of all packets in flight.

use ackclock_units::Time;

use super::attributes::PacketAttributes;
use super::header::PacketHeader;
use super::queued_packet::QueuedPacket;
use super::slot::{NO_SLOT, SlotId};
use crate::{Packet, memory_of, prefetch, prefetch_part};

/// A packet's header and payload: one cache line if the payload is at most 32 bytes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Slot<P> {
    header: PacketHeader,
    payload: P,
}

/// Above this number of slots the packets and the state of their flows are taken not to fit the near caches, and
/// prefetching pays.
const PREFETCH_FROM: usize = 2048;

/// All packets in flight in a network.
///
/// A packet stays in one slot from its first link to its last; a hop changes only the lists of the links. The slot
/// freed last is used next, which keeps the memory in use small and cached.
#[derive(Clone, Debug)]
pub(crate) struct PacketStore<P, A> {
    slots: Vec<Slot<P>>,
    /// The arrivals of packets at the link direction for which each has waited last, by slot. Read for statistics only.
    arrivals: Vec<Time>,
    /// Extensions by slot, as long as the highest slot that has had one.
    extensions: Vec<A>,
    /// The head of the list of free slots.
    free: SlotId,
}

impl<P: Copy, A: Copy> PacketStore<P, A> {
    pub(crate) fn new() -> PacketStore<P, A> {
        PacketStore { slots: Vec::new(), arrivals: Vec::new(), extensions: Vec::new(), free: NO_SLOT }
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

    /// Attaches an extension to a packet.
    #[inline]
    pub(crate) fn set_extension(&mut self, slot: SlotId, extension: A) {
        let index = slot as usize;
        if index >= self.extensions.len() {
            // The entries between are never read: their packets have no extension.
            self.extensions.resize(index + 1, extension);
        }
        self.extensions[index] = extension;
        self.slots[index].header.set_has_extension();
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: SlotId) -> Packet<P> {
        let packet = self.packet(slot);
        self.slots[slot as usize].header.next = self.free;
        self.free = slot;
        packet
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
            self.set_extension(copy, extension);
        }
        copy
    }

    /// The packet's extension, if it has one.
    #[inline]
    pub(crate) fn extension(&self, slot: SlotId) -> Option<A> {
        let has_some = self.slots.get(slot as usize).is_some_and(|slot| slot.header.has_extension());
        if has_some { Some(self.extension_at(slot)) } else { None }
    }

    /// The extension of a packet that has one, or had one when it was removed and no other has taken its slot since.
    #[inline]
    pub(crate) fn extension_at(&self, slot: SlotId) -> A {
        self.extensions[slot as usize]
    }

    /// The packet's extension, to be changed on the way.
    pub(crate) fn extension_mut(&mut self, slot: SlotId) -> Option<&mut A> {
        if self.header(slot).has_extension() { self.extensions.get_mut(slot as usize) } else { None }
    }

    pub(crate) fn payload(&self, slot: SlotId) -> &P {
        &self.slots[slot as usize].payload
    }

    /// The packet as it arrives at a queue now.
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

    /// The packet's arrival at the link direction for which it has waited last.
    pub(crate) fn arrival(&self, slot: SlotId) -> Time {
        self.arrivals[slot as usize]
    }

    #[inline]
    pub(crate) fn set_arrival(&mut self, slot: SlotId, now: Time) {
        self.arrivals[slot as usize] = now;
    }

    /// Prefetches the packet behind one, which is read when that one arrives.
    #[inline]
    pub(crate) fn prefetch_next(&self, header: &PacketHeader) {
        if self.slots.len() > PREFETCH_FROM
            && let Some(slot) = self.slots.get(header.next as usize)
        {
            prefetch_part(slot, 0..size_of::<Slot<P>>());
        }
    }

    /// Prefetches a packet's extension, if it has one.
    #[inline]
    pub(crate) fn prefetch_extension(&self, slot: SlotId, header: &PacketHeader) {
        if let Some(extension) = self.extensions.get(slot as usize).filter(|_| header.has_extension()) {
            prefetch(memory_of(extension));
        }
    }

    /// Reserves memory for another slot. The packet is no argument, since it would have to be built in memory for that.
    #[cold]
    #[inline(never)]
    fn reserve_slot(&mut self) {
        assert!(self.slots.len() < NO_SLOT as usize, "more packets under way than there are numbers for");
        self.slots.reserve(1);
        self.arrivals.reserve(1);
    }
}
