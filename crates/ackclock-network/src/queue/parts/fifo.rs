//! A first-in first-out list of packets.

use std::collections::VecDeque;

use ackclock_units::Bytes;

use crate::packet::queued_packet::QueuedPacket;
use crate::queue::buffer::Occupancy;

/// Packets in order of arrival, with the sum of their bytes.
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

    /// Removes the oldest packet.
    pub(crate) fn pop(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// Removes the latest packet.
    pub(crate) fn pop_last(&mut self) -> Option<QueuedPacket> {
        let packet = self.packets.pop_back()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// The oldest packet.
    pub(crate) fn first(&self) -> Option<&QueuedPacket> {
        self.packets.front()
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

/// A queue whose packets leave it the oldest first, as `CoDel` takes them.
pub(crate) trait Oldest {
    /// Removes the oldest packet.
    fn pop(&mut self) -> Option<QueuedPacket>;
    /// The bytes that wait.
    fn bytes(&self) -> u64;
}

impl Oldest for Fifo {
    fn pop(&mut self) -> Option<QueuedPacket> {
        Fifo::pop(self)
    }

    fn bytes(&self) -> u64 {
        Fifo::bytes(self)
    }
}
