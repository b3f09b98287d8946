//! Queues that share a link by deficit round robin, and share a buffer by dropping from the longest queue.

use ackclock_memory::{memory_of, prefetch};

use super::backlogs::Backlogs;
use super::packet_lists::{PacketList, PacketStore};
use super::turns::Turns;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::{BufferSize, Occupancy};

/// Numbered queues under deficit round robin (Shreedhar and Varghese 1996, section 3).
///
/// In its turn a queue gets a quantum of bytes and transmits the packets that fit. It keeps the rest for
/// its next turn, unless it is empty then. At a full buffer the latest packet of the queue with the most
/// bytes is dropped.
#[derive(Clone, Debug)]
pub(crate) struct DeficitQueues {
    queues: Vec<DeficitQueue>,
    packets: PacketStore,
    /// The queues with packets, in order of service.
    turns: Turns,
    /// True if the first queue has had its quantum.
    granted: bool,
    /// The bytes in each queue.
    backlogs: Backlogs,
    waiting: Occupancy,
}

#[derive(Clone, Copy, Debug, Default)]
struct DeficitQueue {
    packets: PacketList,
    /// The bytes that it may still send in this turn.
    deficit: u64,
}

impl DeficitQueues {
    /// This many empty queues.
    pub(crate) fn new(queues: usize) -> DeficitQueues {
        DeficitQueues {
            queues: vec![DeficitQueue::default(); queues],
            packets: PacketStore::default(),
            turns: Turns::new(queues),
            granted: false,
            backlogs: Backlogs::new(queues),
            waiting: Occupancy::default(),
        }
    }

    /// Bytes for each queue.
    pub(crate) const MEMORY: usize = size_of::<DeficitQueue>() + Turns::MEMORY + Backlogs::MEMORY;

    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    /// Appends a packet to a queue.
    pub(crate) fn enqueue(
        &mut self,
        place: usize,
        packet: QueuedPacket,
        buffer: BufferSize,
        discards: &mut Vec<Discard>,
    ) {
        let queue = &mut self.queues[place];
        if queue.packets.is_empty() {
            self.turns.append(place);
        }
        self.packets.push(&mut queue.packets, packet);
        self.backlogs.set(place, queue.packets.backlog());
        self.waiting = self.waiting.with(packet.size);
        while buffer.is_exceeded(self.waiting) {
            let Some(discarded) = self.drop_from_longest() else { return };
            discards.push(discarded.discarded_for(&packet));
        }
    }

    fn drop_from_longest(&mut self) -> Option<QueuedPacket> {
        let longest = self.backlogs.longest()?;
        let packet = self.packets.pop_last(&mut self.queues[longest].packets)?;
        self.settle(longest, packet.size);
        Some(packet)
    }

    /// Accounts for a packet of this size that has left a queue.
    fn settle(&mut self, place: usize, size: u32) {
        let queue = &mut self.queues[place];
        self.waiting = self.waiting.without(size);
        self.backlogs.set(place, queue.packets.backlog());
        if queue.packets.is_empty() {
            queue.deficit = 0;
            self.granted &= self.turns.first() != Some(place);
            self.turns.remove(place);
        }
    }

    /// Removes the packet to transmit next. `quantum` is a queue's quantum, in bytes, at least one.
    pub(crate) fn dequeue(&mut self, quantum: impl Fn(usize) -> u64) -> Option<QueuedPacket> {
        loop {
            let place = self.turns.first()?;
            let queue = &mut self.queues[place];
            if !self.granted {
                self.granted = true;
                queue.deficit += quantum(place);
            }
            let size = self.packets.first(&queue.packets)?.size;
            if let Some(rest) = queue.deficit.checked_sub(u64::from(size)) {
                queue.deficit = rest;
                let packet = self.packets.pop(&mut queue.packets);
                self.settle(place, size);
                return packet;
            }
            self.turns.remove(place);
            self.turns.append(place);
            self.granted = false;
        }
    }

    /// Prefetches the memory of a queue.
    pub(crate) fn prefetch_queue(&self, place: usize) {
        prefetch(memory_of(&self.queues[place]));
        self.turns.prefetch(place);
        self.backlogs.prefetch(place);
    }

    /// As [`Scheduler::prefetch_next`](crate::queue::scheduler::Scheduler::prefetch_next).
    pub(crate) fn prefetch_next(&self) -> Option<SlotId> {
        let [first, second, third, fourth] = self.turns.upcoming();
        // The first queue has its turn now, which is usually over.
        let upcoming = if self.granted { [second, third, fourth] } else { [first, second, third] };
        let list = |queue: usize| &self.queues[queue].packets;
        self.packets.prefetch_upcoming(upcoming, list, |queue| self.prefetch_queue(queue))
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.waiting
    }
}
