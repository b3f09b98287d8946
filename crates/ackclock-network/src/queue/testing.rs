//! Helpers for the tests of queues.

use ackclock_units::Time;

use super::scheduler::Scheduler;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::{Ecn, HeaderView};

/// Offers a packet of 1000 bytes with the sequence number `place`. Returns whether it is protected, and the discards.
pub(crate) fn offer(
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

/// The flows and slots of discards.
pub(crate) fn flows_and_slots(discards: &[Discard]) -> Vec<(u32, SlotId)> {
    discards.iter().map(|(packet, _)| (packet.flow, packet.slot)).collect()
}
