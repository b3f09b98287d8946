use ackclock_units::Time;

use crate::event_list::Order;
use crate::link::PacketAttributes;
use crate::queue::scheduler::QueuedPacket;
use crate::{Ecn, Packet, RouteCursor, Upcoming, memory_of, prefetch, prefetch_part};

/// A place in a [`PacketStore`].
pub(crate) type SlotId = u32;

/// No place: the end of a list.
const NONE: SlotId = SlotId::MAX;

/// A packet under way on a link direction, without what it carries: half a cache line, for this is all that a hop
/// touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHeader {
    /// When its last bit leaves the sending node.
    pub(crate) departure: Time,
    /// The place of its arrival among the events of the same instant, with [`LOST`] and [`DATA`] in the class bits,
    /// which are zero for every link event.
    order: u64,
    /// The packet behind it.
    next: SlotId,
    /// [`Packet::flow`], with [`Packet::incarnation`] in the bits that it leaves free.
    owner: u32,
    pub(crate) route: RouteCursor,
    /// Bytes on the wire, with the [`Ecn`] field in the highest two bits, [`HAS_EXTENSION`] in the next and [`PacketHeader::ahead`] in
    /// the four after that.
    size: u32,
}

/// Bits of a flow's number.
const FLOW_BITS: u32 = 24;

fn owner<P>(packet: &Packet<P>) -> u32 {
    debug_assert!(packet.flow >> FLOW_BITS == 0, "flow {} does not fit {FLOW_BITS} bits", packet.flow);
    packet.flow | u32::from(packet.incarnation) << FLOW_BITS
}

/// The flow of an owner.
#[inline]
pub(crate) fn flow_of(owner: u32) -> u32 {
    owner & ((1 << FLOW_BITS) - 1)
}

const ECN_SHIFT: u32 = 30;
/// Something lies extension.
const HAS_EXTENSION: u32 = 1 << 29;
const CUT_THROUGH_SHIFT: u32 = 25;
/// The most link directions in a row that a packet is let into before it is there.
pub(crate) const MAX_CUT_THROUGH: u32 = 15;
const SIZE: u32 = (1 << CUT_THROUGH_SHIFT) - 1;

/// It will not arrive.
const LOST: u64 = 1 << 63;
/// [`Packet::data`].
const DATA: u64 = 1 << 62;

impl PacketHeader {
    /// It enters a link direction, as the last; if ahead, at a time that may be yet to come.
    #[inline]
    pub(crate) fn enter(&mut self, departure: Time, order: Order, lost: bool, ahead: u32) {
        debug_assert!(order.0 & (LOST | DATA) == 0);
        self.departure = departure;
        self.order = order.0 | self.order & DATA | if lost { LOST } else { 0 };
        self.set_ahead(ahead);
    }

    /// How many link directions, up to the one it was last let into, it was let into before it was there.
    #[inline]
    pub(crate) fn ahead(&self) -> u32 {
        self.size >> CUT_THROUGH_SHIFT & MAX_CUT_THROUGH
    }

    #[inline]
    pub(crate) fn set_ahead(&mut self, ahead: u32) {
        debug_assert!(ahead <= MAX_CUT_THROUGH);
        self.size = self.size & !(MAX_CUT_THROUGH << CUT_THROUGH_SHIFT) | ahead << CUT_THROUGH_SHIFT;
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size & SIZE
    }

    #[inline]
    pub(crate) fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.size >> ECN_SHIFT)
    }

    #[inline]
    fn has_extension(&self) -> bool {
        self.size & HAS_EXTENSION != 0
    }

    /// A queue marks it.
    #[inline]
    pub(crate) fn mark(&mut self) {
        self.size |= u32::from(Ecn::Congested.bits()) << ECN_SHIFT;
    }

    #[inline]
    pub(crate) fn order(&self) -> Order {
        Order(self.order & !(LOST | DATA))
    }

    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.order & LOST != 0
    }

    #[inline]
    pub(crate) fn flow(&self) -> u32 {
        flow_of(self.owner)
    }

    #[inline]
    pub(crate) fn is_data(&self) -> bool {
        self.order & DATA != 0
    }
}

/// A size and an ECN field in one word.
#[inline]
fn field_of(size: u32, ecn: Ecn) -> u32 {
    debug_assert!(size <= SIZE, "a packet of {size} bytes");
    size | u32::from(ecn.bits()) << ECN_SHIFT
}

/// A packet and how it travels: on one cache line, if what it carries is small enough.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Slot<P> {
    header: PacketHeader,
    payload: P,
}

/// More slots than this, with all that belongs to so many packets, are far from fitting the caches that are near.
const MANY: usize = 2048;

/// All packets under way in a network.
///
/// A packet stays in one slot from its first link to its last: from hop to hop only the lists of the links change.
/// The slot freed last is used next, so that the memory in use is as small as what is under way, and warm.
#[derive(Clone, Debug)]
pub(crate) struct PacketStore<P, A> {
    places: Vec<Slot<P>>,
    /// What packets carry besides, by slot; as long as was needed.
    extension: Vec<A>,
    /// The first of the free slots, which are a list too.
    free: SlotId,
}

impl<P: Copy, A: Copy> PacketStore<P, A> {
    pub(crate) fn new() -> PacketStore<P, A> {
        PacketStore { places: Vec::new(), extension: Vec::new(), free: NONE }
    }

    #[expect(clippy::inline_always, reason = "see `Network::send`")]
    #[inline(always)]
    pub(crate) fn insert(&mut self, packet: &Packet<P>) -> SlotId {
        let header = PacketHeader {
            departure: Time::ZERO,
            order: if packet.data { DATA } else { 0 },
            next: NONE,
            owner: owner(packet),
            route: packet.route,
            size: field_of(packet.size, packet.ecn),
        };
        let slot = self.free;
        if slot == NONE {
            self.make_room();
            self.places.push(Slot { header, payload: packet.payload });
            return self.places.len() as SlotId - 1;
        }
        let place = &mut self.places[slot as usize];
        self.free = place.header.next;
        place.payload = packet.payload;
        place.header = header;
        slot
    }

    /// A packet carries something besides.
    #[inline]
    pub(crate) fn set_extension(&mut self, slot: SlotId, extension: A) {
        let index = slot as usize;
        if index >= self.extension.len() {
            // Whatever stands in the places between is not looked at.
            self.extension.resize(index + 1, extension);
        }
        self.extension[index] = extension;
        self.places[index].header.size |= HAS_EXTENSION;
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: SlotId) -> Packet<P> {
        let packet = self.packet(slot);
        self.places[slot as usize].header.next = self.free;
        self.free = slot;
        packet
    }

    #[inline]
    pub(crate) fn packet(&self, slot: SlotId) -> Packet<P> {
        let Slot { header, payload } = &self.places[slot as usize];
        Packet {
            flow: header.flow(),
            incarnation: (header.owner >> FLOW_BITS) as u8,
            route: header.route,
            size: header.size(),
            data: header.is_data(),
            ecn: header.ecn(),
            payload: *payload,
        }
    }

    /// What the packet carries besides.
    #[inline]
    pub(crate) fn extension(&self, slot: SlotId) -> Option<A> {
        let has_some = self.places.get(slot as usize).is_some_and(|place| place.header.has_extension());
        if has_some { Some(self.extension[slot as usize]) } else { None }
    }

    /// The same, of the packet that was removed last, if nothing was inserted since.
    #[inline]
    pub(crate) fn extension_of_removed(&self) -> Option<A> {
        self.extension(self.free)
    }

    /// What the packet carries.
    pub(crate) fn payload(&self, slot: SlotId) -> &P {
        &self.places[slot as usize].payload
    }

    /// The packet as one that comes to a queue now.
    pub(crate) fn queued_packet(&self, slot: SlotId, now: Time) -> QueuedPacket {
        let header = self.get(slot);
        QueuedPacket {
            slot,
            flow: header.owner,
            size: header.size(),
            arrived: now,
            ecn: header.ecn(),
            marked: false,
            protected: false,
            lost: false,
        }
    }

    /// What links that lose or mark packets want to know of one.
    #[inline]
    pub(crate) fn attributes(&self, slot: SlotId) -> PacketAttributes {
        let header = self.get(slot);
        PacketAttributes { flow: header.flow(), data: header.is_data(), ecn: header.ecn() }
    }

    #[inline]
    pub(crate) fn get(&self, slot: SlotId) -> &PacketHeader {
        &self.places[slot as usize].header
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: SlotId) -> &mut PacketHeader {
        &mut self.places[slot as usize].header
    }

    /// Asks for the memory of the packet behind one, if there is one and memory may be far: it will be looked at when that
    /// one arrives.
    #[inline]
    pub(crate) fn ask_for_next(&self, header: &PacketHeader) {
        if self.places.len() > MANY
            && let Some(place) = self.places.get(header.next as usize)
        {
            prefetch_part(place, 0..size_of::<Slot<P>>());
        }
    }

    /// The first two packets of a pipe; the memory of the third is asked for.
    #[inline]
    pub(crate) fn upcoming(&self, pipe: &Pipe) -> Option<[Upcoming; 2]> {
        if pipe.length < 3 {
            return None;
        }
        let first = self.get(pipe.first);
        let second = self.get(first.next);
        self.ask_for_next(second);
        if let Some(extension) = self.extension.get(first.next as usize).filter(|_| second.has_extension()) {
            prefetch(memory_of(extension));
        }
        Some([first, second].map(|header| Upcoming { flow: header.flow(), data: header.is_data() }))
    }

    /// Makes room for another slot. It sees nothing of the packet, which would have to be made in memory for that.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        assert!(self.places.len() < NONE as usize, "more packets under way than there are numbers for");
        self.places.reserve(1);
    }
}

/// The packets on a link direction from the tail of its queue to its far end: a list through their slots.
#[derive(Clone, Debug)]
pub(crate) struct Pipe {
    first: SlotId,
    last: SlotId,
    length: u32,
}

impl Pipe {
    pub(crate) const EMPTY: Pipe = Pipe { first: NONE, last: NONE, length: 0 };

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.length
    }

    /// The packet that arrives next.
    #[inline]
    pub(crate) fn first(&self) -> Option<SlotId> {
        (self.length > 0).then_some(self.first)
    }

    /// All packets, the first to arrive first.
    pub(crate) fn iter<P: Copy, A: Copy>(&self, store: &PacketStore<P, A>) -> impl Iterator<Item = SlotId> {
        let after = |slot: &SlotId| Some(store.get(*slot).next);
        std::iter::successors(self.first(), after).take(self.length as usize)
    }

    #[inline]
    pub(crate) fn push<P: Copy, A: Copy>(&mut self, store: &mut PacketStore<P, A>, slot: SlotId) {
        if self.length == 0 {
            self.first = slot;
        } else {
            store.get_mut(self.last).next = slot;
        }
        self.last = slot;
        self.length += 1;
    }

    #[inline]
    pub(crate) fn pop<P: Copy, A: Copy>(&mut self, store: &PacketStore<P, A>) -> SlotId {
        debug_assert!(self.length > 0);
        let slot = self.first;
        self.first = store.get(slot).next;
        self.length -= 1;
        slot
    }
}
