//! A packet waiting in a queue.

use ackclock_units::Time;

use super::slot::SlotId;
use crate::{DropReason, Ecn};

/// A waiting packet as its queue sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuedPacket {
    pub(crate) slot: SlotId,
    /// The flow key: the flow's number with the incarnation of its connection in the highest bits.
    /// Routers read addresses and ports instead.
    pub(crate) flow: u32,
    /// Bytes on the wire.
    pub(crate) size: u32,
    pub(crate) arrived: Time,
    pub(crate) ecn: Ecn,
    /// The queue has marked it (CE).
    pub(crate) marked: bool,
    /// It is of the kind that the queue protects.
    pub(crate) protected: bool,
    /// The link will lose it; set on arrival by scripted losses only.
    pub(crate) lost: bool,
}

/// A packet that a queue has dropped, and the reason.
pub(crate) type Discard = (QueuedPacket, DropReason);

impl QueuedPacket {
    /// The discard of this packet when `arriving` found the buffer full.
    pub(crate) fn discarded_for(self, arriving: &QueuedPacket) -> Discard {
        (self, if self.slot == arriving.slot { DropReason::Queue } else { DropReason::PushedOut })
    }
}
