//! Packets in classes, of which the transmitter takes those of the flow that is first in the highest.

use std::collections::VecDeque;

use super::buffer::Occupancy;
use crate::by_key::ByKey;
use crate::packet::queued_packet::QueuedPacket;

/// The packets of some classes, the lowest first. A flow whose packets are of several classes keeps their order.
#[derive(Clone, Debug)]
pub(super) struct FlowsByClass<const CLASSES: usize> {
    /// The packets of each class by the number of their arrival.
    classes: [ByKey<u64, QueuedPacket>; CLASSES],
    /// The numbers of arrival by flow, in order within a class.
    flows: ByKey<u32, [VecDeque<u64>; CLASSES]>,
    arrivals: u64,
    occupancy: Occupancy,
}

impl<const CLASSES: usize> Default for FlowsByClass<CLASSES> {
    fn default() -> FlowsByClass<CLASSES> {
        let classes = std::array::from_fn(|_| ByKey::new());
        FlowsByClass { classes, flows: ByKey::new(), arrivals: 0, occupancy: Occupancy::default() }
    }
}

impl<const CLASSES: usize> FlowsByClass<CLASSES> {
    /// Appends an arriving packet to its class.
    pub(super) fn push(&mut self, class: usize, packet: QueuedPacket) {
        let numbers = self.flows.get_or_insert_with(packet.flow, || [const { VecDeque::new() }; CLASSES]);
        numbers[class].push_back(self.arrivals);
        self.classes[class].get_or_insert_with(self.arrivals, || packet);
        self.arrivals += 1;
        self.occupancy = self.occupancy.with(packet.size);
    }

    /// Removes the oldest packet of the flow whose packet is first in the highest class.
    pub(super) fn pop(&mut self) -> Option<QueuedPacket> {
        let flow = self.classes.iter().rev().find_map(ByKey::first)?.1.flow;
        let heads = self.flows.get(flow)?.iter().enumerate();
        let oldest = heads.filter_map(|(class, numbers)| Some((*numbers.front()?, class))).min();
        let (number, class) = oldest?;
        self.remove(class, number, VecDeque::pop_front)
    }

    /// Removes the latest packet of the lowest class that has any.
    pub(super) fn pop_lowest(&mut self) -> Option<QueuedPacket> {
        let mut classes = self.classes.iter().enumerate();
        let (class, number) = classes.find_map(|(class, packets)| Some((class, packets.last()?.0)))?;
        self.remove(class, number, VecDeque::pop_back)
    }

    /// Removes a packet, which is at the end of its flow in its class that `forget` takes from.
    fn remove(
        &mut self,
        class: usize,
        number: u64,
        forget: fn(&mut VecDeque<u64>) -> Option<u64>,
    ) -> Option<QueuedPacket> {
        let packet = self.classes[class].remove(number)?;
        let numbers = self.flows.get_mut(packet.flow)?;
        forget(&mut numbers[class]);
        if numbers.iter().all(VecDeque::is_empty) {
            self.flows.remove(packet.flow);
        }
        self.occupancy = self.occupancy.without(packet.size);
        Some(packet)
    }

    pub(super) fn occupancy(&self) -> Occupancy {
        self.occupancy
    }
}
