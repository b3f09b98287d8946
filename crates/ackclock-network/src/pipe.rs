use ackclock_units::Time;

use crate::event_list::Order;
use crate::link::Traits;
use crate::queue::scheduler::QueuedPacket;
use crate::{Ecn, Packet, RouteCursor, Upcoming, memory_of, prefetch, prefetch_part};

/// A place in a [`Store`].
pub(crate) type Slot = u32;

/// No place: the end of a list.
const NONE: Slot = Slot::MAX;

/// A packet under way on a link direction, without what it carries: half a cache line, for this is all that a hop
/// touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit {
    /// When its last bit leaves the sending node.
    pub(crate) departure: Time,
    /// The place of its arrival among the events of the same instant, with [`LOST`] and [`DATA`] in the class bits,
    /// which are zero for every link event.
    order: u64,
    /// The packet behind it.
    next: Slot,
    /// [`Packet::flow`], with [`Packet::incarnation`] in the bits that it leaves free.
    owner: u32,
    pub(crate) route: RouteCursor,
    /// Bytes on the wire, with the [`Ecn`] field in the highest two bits, [`ASIDE`] in the next and [`Transit::ahead`] in
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
/// Something lies aside.
const ASIDE: u32 = 1 << 29;
const AHEAD_SHIFT: u32 = 25;
/// The most link directions in a row that a packet is let into before it is there.
pub(crate) const MOST_AHEAD: u32 = 15;
const SIZE: u32 = (1 << AHEAD_SHIFT) - 1;

/// It will not arrive.
const LOST: u64 = 1 << 63;
/// [`Packet::data`].
const DATA: u64 = 1 << 62;

impl Transit {
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
        self.size >> AHEAD_SHIFT & MOST_AHEAD
    }

    #[inline]
    pub(crate) fn set_ahead(&mut self, ahead: u32) {
        debug_assert!(ahead <= MOST_AHEAD);
        self.size = self.size & !(MOST_AHEAD << AHEAD_SHIFT) | ahead << AHEAD_SHIFT;
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
    fn has_aside(&self) -> bool {
        self.size & ASIDE != 0
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
struct Place<P> {
    transit: Transit,
    payload: P,
}

/// More slots than this, with all that belongs to so many packets, are far from fitting the caches that are near.
const MANY: usize = 2048;

/// All packets under way in a network.
///
/// A packet stays in one slot from its first link to its last: from hop to hop only the lists of the links change.
/// The slot freed last is used next, so that the memory in use is as small as what is under way, and warm.
#[derive(Clone, Debug)]
pub(crate) struct Store<P, A> {
    places: Vec<Place<P>>,
    /// What packets carry besides, by slot; as long as was needed.
    aside: Vec<A>,
    /// The first of the free slots, which are a list too.
    free: Slot,
}

impl<P: Copy, A: Copy> Store<P, A> {
    pub(crate) fn new() -> Store<P, A> {
        Store { places: Vec::new(), aside: Vec::new(), free: NONE }
    }

    #[expect(clippy::inline_always, reason = "see `Network::send`")]
    #[inline(always)]
    pub(crate) fn insert(&mut self, packet: &Packet<P>) -> Slot {
        let transit = Transit {
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
            self.places.push(Place { transit, payload: packet.payload });
            return self.places.len() as Slot - 1;
        }
        let place = &mut self.places[slot as usize];
        self.free = place.transit.next;
        place.payload = packet.payload;
        place.transit = transit;
        slot
    }

    /// A packet carries something besides.
    #[inline]
    pub(crate) fn put_aside(&mut self, slot: Slot, aside: A) {
        let index = slot as usize;
        if index >= self.aside.len() {
            // Whatever stands in the places between is not looked at.
            self.aside.resize(index + 1, aside);
        }
        self.aside[index] = aside;
        self.places[index].transit.size |= ASIDE;
    }

    #[inline]
    pub(crate) fn remove(&mut self, slot: Slot) -> Packet<P> {
        let packet = self.packet(slot);
        self.places[slot as usize].transit.next = self.free;
        self.free = slot;
        packet
    }

    #[inline]
    pub(crate) fn packet(&self, slot: Slot) -> Packet<P> {
        let Place { transit, payload } = &self.places[slot as usize];
        Packet {
            flow: transit.flow(),
            incarnation: (transit.owner >> FLOW_BITS) as u8,
            route: transit.route,
            size: transit.size(),
            data: transit.is_data(),
            ecn: transit.ecn(),
            payload: *payload,
        }
    }

    /// What the packet carries besides.
    #[inline]
    pub(crate) fn aside(&self, slot: Slot) -> Option<A> {
        let has_some = self.places.get(slot as usize).is_some_and(|place| place.transit.has_aside());
        if has_some { Some(self.aside[slot as usize]) } else { None }
    }

    /// The same, of the packet that was removed last, if nothing was inserted since.
    #[inline]
    pub(crate) fn aside_of_removed(&self) -> Option<A> {
        self.aside(self.free)
    }

    /// What the packet carries.
    pub(crate) fn payload(&self, slot: Slot) -> &P {
        &self.places[slot as usize].payload
    }

    /// The packet as one that comes to a queue now.
    pub(crate) fn queued_packet(&self, slot: Slot, now: Time) -> QueuedPacket {
        let transit = self.get(slot);
        QueuedPacket {
            slot,
            flow: transit.owner,
            size: transit.size(),
            arrived: now,
            ecn: transit.ecn(),
            marked: false,
            protected: false,
            lost: false,
        }
    }

    /// What links that lose or mark packets want to know of one.
    #[inline]
    pub(crate) fn traits(&self, slot: Slot) -> Traits {
        let transit = self.get(slot);
        Traits { flow: transit.flow(), data: transit.is_data(), ecn: transit.ecn() }
    }

    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> &Transit {
        &self.places[slot as usize].transit
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> &mut Transit {
        &mut self.places[slot as usize].transit
    }

    /// Asks for the memory of the packet behind one, if there is one and memory may be far: it will be looked at when that
    /// one arrives.
    #[inline]
    pub(crate) fn ask_for_next(&self, transit: &Transit) {
        if self.places.len() > MANY
            && let Some(place) = self.places.get(transit.next as usize)
        {
            prefetch_part(place, 0..size_of::<Place<P>>());
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
        if let Some(aside) = self.aside.get(first.next as usize).filter(|_| second.has_aside()) {
            prefetch(memory_of(aside));
        }
        Some([first, second].map(|transit| Upcoming { flow: transit.flow(), data: transit.is_data() }))
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
    first: Slot,
    last: Slot,
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
    pub(crate) fn first(&self) -> Option<Slot> {
        (self.length > 0).then_some(self.first)
    }

    /// All packets, the first to arrive first.
    pub(crate) fn iter<P: Copy, A: Copy>(&self, store: &Store<P, A>) -> impl Iterator<Item = Slot> {
        let after = |slot: &Slot| Some(store.get(*slot).next);
        std::iter::successors(self.first(), after).take(self.length as usize)
    }

    #[inline]
    pub(crate) fn push<P: Copy, A: Copy>(&mut self, store: &mut Store<P, A>, slot: Slot) {
        if self.length == 0 {
            self.first = slot;
        } else {
            store.get_mut(self.last).next = slot;
        }
        self.last = slot;
        self.length += 1;
    }

    #[inline]
    pub(crate) fn pop<P: Copy, A: Copy>(&mut self, store: &Store<P, A>) -> Slot {
        debug_assert!(self.length > 0);
        let slot = self.first;
        self.first = store.get(slot).next;
        self.length -= 1;
        slot
    }
}
