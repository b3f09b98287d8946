//! Slots of the packet store.

/// The index of a slot in the [`PacketStore`](super::store::PacketStore).
pub(crate) type SlotId = u32;

/// No slot: the end of a list.
pub(crate) const NO_SLOT: SlotId = SlotId::MAX;
