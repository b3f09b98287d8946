//! Helpers for the tests of queues.

use ackclock_units::{Duration, Time};

use super::buffer::BufferSize;
use super::scheduler::Scheduler;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::{Ecn, HeaderView};

/// The time this many microseconds after the start.
pub(crate) fn at(micros: u64) -> Time {
    Time::ZERO + Duration::from_micros(micros)
}

/// A packet of 1000 bytes of flow 0.
pub(crate) fn queued(slot: SlotId, arrived: Time, ecn: Ecn) -> QueuedPacket {
    let (flow, size) = (0, 1000);
    QueuedPacket { slot, flow, size, arrived, ecn, marked: false, protected: false, lost: false }
}

/// Offers a packet of 1000 bytes with the sequence number `place`. Returns whether it is protected, and the discards.
pub(crate) fn offer(
    queue: &mut dyn Scheduler,
    buffer: BufferSize,
    arrived: Time,
    slot: SlotId,
    flow: u32,
    place: u64,
) -> (bool, Vec<Discard>) {
    let packet = QueuedPacket { flow, ..queued(slot, arrived, Ecn::NotCapable) };
    let header = HeaderView { first: place, end: place + 1, ..HeaderView::default() };
    offer_with(queue, buffer, packet, &header)
}

/// Offers a packet of 1000 bytes that its sender has marked to be dropped first, or has not. Returns the discards.
pub(crate) fn offer_marked(
    queue: &mut dyn Scheduler,
    buffer: BufferSize,
    slot: SlotId,
    drop_first: bool,
) -> Vec<Discard> {
    let header = HeaderView { drop_first, ..HeaderView::default() };
    offer_with(queue, buffer, queued(slot, Time::ZERO, Ecn::NotCapable), &header).1
}

/// Offers a packet with a header. Returns whether it is protected, and the discards.
pub(crate) fn offer_with(
    queue: &mut dyn Scheduler,
    buffer: BufferSize,
    mut packet: QueuedPacket,
    header: &HeaderView,
) -> (bool, Vec<Discard>) {
    packet.protected = queue.protects(packet.arrived, &packet, header);
    let mut discards = Vec::new();
    queue.enqueue(packet.arrived, packet, buffer, &mut discards);
    (packet.protected, discards)
}

/// The flows and slots of discards.
pub(crate) fn flows_and_slots(discards: &[Discard]) -> Vec<(u32, SlotId)> {
    discards.iter().map(|(packet, _)| (packet.flow, packet.slot)).collect()
}
