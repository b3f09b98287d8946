use ackclock_units::Time;

use crate::Packet;
use crate::event_list::Order;

/// A packet under way on a link direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit<P> {
    /// When its last bit leaves the sending node.
    pub(crate) departure: Time,
    /// The place of its arrival among the events of the same instant, with [`LOST`] set if it will not arrive.
    order: u64,
    pub(crate) packet: Packet<P>,
}

/// The top class bit of an event's order, which a link event leaves free.
const LOST: u64 = 1 << 63;

impl<P> Transit<P> {
    pub(crate) fn new(departure: Time, order: Order, lost: bool, packet: Packet<P>) -> Transit<P> {
        debug_assert!(order.0 & LOST == 0);
        Transit { departure, order: order.0 | if lost { LOST } else { 0 }, packet }
    }

    #[inline]
    pub(crate) fn order(&self) -> Order {
        Order(self.order & !LOST)
    }

    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.order & LOST != 0
    }
}

/// The packets on a link direction from the tail of its queue to its far end, in a ring that doubles when it is full.
///
/// Places are counted from the start of the run and never wrap, so they count the packets too: `tail` have been
/// admitted, `head` have reached the far end.
#[derive(Clone, Debug)]
pub(crate) struct Pipe<P> {
    /// A power of two of places, or none before the first packet.
    ring: Box<[Transit<P>]>,
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

impl<P: Copy> Pipe<P> {
    pub(crate) fn new() -> Pipe<P> {
        Pipe { ring: Box::new([]), head: 0, tail: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.tail - self.head
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// The packet at a place from `head` up to `tail`.
    #[inline]
    pub(crate) fn get(&self, place: u64) -> &Transit<P> {
        &self.ring[place as usize & (self.ring.len() - 1)]
    }

    #[inline]
    pub(crate) fn push(&mut self, transit: Transit<P>) {
        if self.len() == self.ring.len() as u64 {
            self.grow(transit);
        }
        let mask = self.ring.len() - 1;
        self.ring[self.tail as usize & mask] = transit;
        self.tail += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Transit<P> {
        debug_assert!(!self.is_empty());
        let transit = *self.get(self.head);
        self.head += 1;
        transit
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, filler: Transit<P>) {
        let mut ring = vec![filler; (2 * self.ring.len()).max(4)].into_boxed_slice();
        let mask = ring.len() - 1;
        for place in self.head..self.tail {
            ring[place as usize & mask] = *self.get(place);
        }
        self.ring = ring;
    }
}
