//! Packets in classes. A full buffer drops from the lowest class; the transmitter takes the oldest
//! packet of all.

use std::collections::VecDeque;

use crate::packet::queued_packet::QueuedPacket;
use crate::queue::buffer::Occupancy;

/// The packets of some classes, the lowest first. Their order of arrival over all classes is kept.
#[derive(Clone, Debug)]
pub(crate) struct ByClass<const CLASSES: usize> {
    /// Each class in order of arrival, with the number of each arrival.
    classes: [VecDeque<(u64, QueuedPacket)>; CLASSES],
    arrivals: u64,
    occupancy: Occupancy,
}

impl<const CLASSES: usize> Default for ByClass<CLASSES> {
    fn default() -> ByClass<CLASSES> {
        let classes = [const { VecDeque::new() }; CLASSES];
        ByClass { classes, arrivals: 0, occupancy: Occupancy::default() }
    }
}

impl<const CLASSES: usize> ByClass<CLASSES> {
    /// Appends an arriving packet to its class.
    pub(crate) fn push(&mut self, class: usize, packet: QueuedPacket) {
        self.classes[class].push_back((self.arrivals, packet));
        self.arrivals += 1;
        self.occupancy = self.occupancy.with(packet.size);
    }

    /// The oldest packet of all classes.
    pub(crate) fn first(&self) -> Option<&QueuedPacket> {
        let heads = self.classes.iter().filter_map(VecDeque::front);
        heads.min_by_key(|(number, _)| *number).map(|(_, packet)| packet)
    }

    /// Removes the oldest packet of all classes.
    pub(crate) fn pop(&mut self) -> Option<QueuedPacket> {
        let heads = self.classes.iter_mut().filter(|class| !class.is_empty());
        let (_, packet) = heads.min_by_key(|class| class.front().map(|(number, _)| *number))?.pop_front()?;
        self.occupancy = self.occupancy.without(packet.size);
        Some(packet)
    }

    /// Removes the latest packet of the lowest class that has any.
    pub(crate) fn pop_lowest(&mut self) -> Option<QueuedPacket> {
        let (_, packet) = self.classes.iter_mut().find_map(VecDeque::pop_back)?;
        self.occupancy = self.occupancy.without(packet.size);
        Some(packet)
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.occupancy
    }
}
