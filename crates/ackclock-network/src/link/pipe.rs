//! The packets on a link direction, in order.

use crate::Upcoming;
use crate::packet::slot::{NO_SLOT, SlotId};
use crate::packet::store::PacketStore;

/// The packets on a link direction from the tail of its queue to its far end: a linked list through their slots.
#[derive(Clone, Debug)]
pub(crate) struct Pipe {
    first: SlotId,
    last: SlotId,
    length: u32,
}

impl Pipe {
    pub(crate) const EMPTY: Pipe = Pipe { first: NO_SLOT, last: NO_SLOT, length: 0 };

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.length
    }

    /// The packet that arrives next.
    #[inline]
    pub(crate) fn first(&self) -> Option<SlotId> {
        (self.length > 0).then_some(self.first)
    }

    /// All packets in order of arrival.
    pub(crate) fn iter<P: Copy, A: Copy>(&self, store: &PacketStore<P, A>) -> impl Iterator<Item = SlotId> {
        let after = |slot: &SlotId| Some(store.header(*slot).next);
        std::iter::successors(self.first(), after).take(self.length as usize)
    }

    #[inline]
    pub(crate) fn push<P: Copy, A: Copy>(&mut self, store: &mut PacketStore<P, A>, slot: SlotId) {
        if self.length == 0 {
            self.first = slot;
        } else {
            store.header_mut(self.last).next = slot;
        }
        self.last = slot;
        self.length += 1;
    }

    #[inline]
    pub(crate) fn pop<P: Copy, A: Copy>(&mut self, store: &PacketStore<P, A>) -> SlotId {
        debug_assert!(self.length > 0);
        let slot = self.first;
        self.first = store.header(slot).next;
        self.length -= 1;
        slot
    }

    /// The next two packets to arrive, if there are three; prefetches the third.
    #[inline]
    pub(crate) fn upcoming<P: Copy, A: Copy>(&self, store: &PacketStore<P, A>) -> Option<[Upcoming; 2]> {
        if self.length < 3 {
            return None;
        }
        let first = store.header(self.first);
        let second = store.header(first.next);
        store.prefetch_next(second);
        store.prefetch_extension(first.next, second);
        Some([first, second].map(Upcoming::from))
    }
}
