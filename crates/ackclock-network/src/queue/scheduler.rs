//! What a queue has to do that decides, or chooses who goes next, when the transmitter falls idle.

use std::collections::VecDeque;
use std::fmt;

use ackclock_units::{Bytes, Time};

use crate::pipe::SlotId;
use crate::{BufferSize, DropReason, Ecn, Occupancy};

/// A packet that waits, as its queue sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuedPacket {
    pub(crate) slot: SlotId,
    /// Its flow's number, with the connection's in the highest bits: what a router reads from addresses and ports.
    pub(crate) flow: u32,
    /// Bytes on the wire.
    pub(crate) size: u32,
    pub(crate) arrived: Time,
    pub(crate) ecn: Ecn,
    /// Whether the queue marks it.
    pub(crate) marked: bool,
    /// Whether the queue counts it among those it protects.
    pub(crate) protected: bool,
    /// Whether the link will lose it, where that was said when it came.
    pub(crate) lost: bool,
}

impl QueuedPacket {
    /// The packet as one that is given up when another came.
    pub(crate) fn discarded_for(self, other: &QueuedPacket) -> Discard {
        (self, if self.slot == other.slot { DropReason::Queue } else { DropReason::PushedOut })
    }
}

/// What a queue may read of what a packet carries: no more than a router finds in a transport's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderView {
    /// Its place in its flow's sequence space, from here ...
    pub first: u64,
    /// ... to before here; both the same for what takes no place in it, as an acknowledgment.
    pub end: u64,
    /// Whether it asks for a connection, or agrees to one.
    pub opens: bool,
}

/// A packet that its queue gives up.
pub(crate) type Discard = (QueuedPacket, DropReason);

/// A queue that is asked for a packet whenever the transmitter falls idle.
///
/// Between two calls time does not run backwards. What it discards, be it the packet that just came or another, it
/// hands over; a packet is handed over, or given out, exactly once.
pub(crate) trait Scheduler: fmt::Debug + Send + Sync {
    /// Whether a packet that comes now is one of those that it protects. Asked once, before [`Self::enqueue`].
    fn protects(&mut self, _now: Time, _item: &QueuedPacket, _glimpse: &HeaderView) -> bool {
        false
    }
    /// Takes a packet in.
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, discards: &mut Vec<Discard>);
    /// Gives out the packet that goes next; none only if none waits any more.
    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket>;
    /// What waits.
    fn occupancy(&self) -> Occupancy;
    /// Changes the size of the buffer, for packets that arrive from now on.
    fn set_buffer(&mut self, buffer: BufferSize);
    /// A copy.
    fn boxed(&self) -> Box<dyn Scheduler>;
}

/// Packets in order of arrival, and their bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fifo {
    packets: VecDeque<QueuedPacket>,
    bytes: u64,
}

impl Fifo {
    pub(crate) fn push(&mut self, packet: QueuedPacket) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back(packet);
    }

    /// Takes the oldest.
    pub(crate) fn pop(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Takes the latest.
    pub(crate) fn pop_last(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_back()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        Occupancy { packets: self.packets.len() as u32, bytes: Bytes::new(self.bytes) }
    }
}

/// What tests of queues have in common.
#[cfg(test)]
pub(crate) mod trial {
    use ackclock_units::Time;

    use super::{Discard, HeaderView, QueuedPacket, Scheduler};
    use crate::Ecn;
    use crate::pipe::SlotId;

    /// A packet of 1000 bytes of a flow comes that carries the byte at `place`: whether it is protected, and what is given
    /// up.
    pub(crate) fn come(
        queue: &mut dyn Scheduler,
        arrived: Time,
        slot: SlotId,
        flow: u32,
        place: u64,
    ) -> (bool, Vec<Discard>) {
        let (size, ecn, marked, protected, lost) = (1000, Ecn::NotCapable, false, false, false);
        let mut packet = QueuedPacket { slot, flow, size, arrived, ecn, marked, protected, lost };
        let header = HeaderView { first: place, end: place + 1, opens: false };
        packet.protected = queue.protects(arrived, &packet, &header);
        let mut discards = Vec::new();
        queue.enqueue(arrived, packet, &mut discards);
        (packet.protected, discards)
    }

    /// Flow and slot of what was given up.
    pub(crate) fn names(discards: &[Discard]) -> Vec<(u32, SlotId)> {
        discards.iter().map(|(packet, _)| (packet.flow, packet.slot)).collect()
    }
}
