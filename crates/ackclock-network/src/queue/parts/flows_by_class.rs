//! Packets in classes. The transmitter takes packets of the flow that is first in the highest class.

use ackclock_memory::{ByKey, memory_of, prefetch};

use crate::packet::queued_packet::QueuedPacket;
use crate::queue::buffer::Occupancy;

/// No packet.
const NONE: u32 = u32::MAX;

/// The packets of some classes, the lowest first. The packets of a flow stay in order, even if they
/// belong to several classes.
#[derive(Clone, Debug)]
pub(crate) struct FlowsByClass<const CLASSES: usize> {
    places: Vec<Place>,
    /// The places without a packet.
    free: Vec<u32>,
    classes: [Ends; CLASSES],
    flows: ByKey<u32, Ends>,
    occupancy: Occupancy,
}

/// A waiting packet in two lists, each in order of arrival.
#[derive(Clone, Copy, Debug)]
struct Place {
    packet: QueuedPacket,
    class: usize,
    /// The place of its flow in `flows`.
    flow: u32,
    /// By [`List`].
    neighbours: [Ends; 2],
}

/// The lists that a packet is in.
#[derive(Clone, Copy)]
enum List {
    OfClass,
    OfFlow,
}

/// The previous place, or the first of a list; and the next place, or the last of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    first: u32,
    last: u32,
}

impl Default for Ends {
    fn default() -> Ends {
        Ends { first: NONE, last: NONE }
    }
}

impl<const CLASSES: usize> Default for FlowsByClass<CLASSES> {
    fn default() -> FlowsByClass<CLASSES> {
        FlowsByClass {
            places: Vec::new(),
            free: Vec::new(),
            classes: [Ends::default(); CLASSES],
            flows: ByKey::new(),
            occupancy: Occupancy::default(),
        }
    }
}

impl<const CLASSES: usize> FlowsByClass<CLASSES> {
    /// Appends an arriving packet to its class.
    pub(crate) fn push(&mut self, class: usize, packet: QueuedPacket) {
        let flow = self.flows.place_of(packet.flow);
        let held = Place { packet, class, flow, neighbours: [Ends::default(); 2] };
        let place = self.free.pop().unwrap_or(self.places.len() as u32);
        if place as usize == self.places.len() {
            self.places.push(held);
        } else {
            self.places[place as usize] = held;
        }
        append(&mut self.places, List::OfClass, &mut self.classes[class], place);
        if let Some(ends) = self.flows.at_mut(flow) {
            append(&mut self.places, List::OfFlow, ends, place);
        }
        self.occupancy = self.occupancy.with(packet.size);
    }

    /// Prefetches the packet that is first in the highest class.
    pub(crate) fn prefetch_first(&self) {
        if let Some(highest) = self.classes.iter().rev().find(|class| class.first != NONE) {
            prefetch(memory_of(&self.places[highest.first as usize]));
        }
    }

    /// Removes the oldest packet of the flow whose packet is first in the highest class.
    pub(crate) fn pop(&mut self) -> Option<QueuedPacket> {
        let highest = self.classes.iter().rev().find(|class| class.first != NONE)?;
        let flow = self.places[highest.first as usize].flow;
        self.remove(self.flows.at(flow)?.first)
    }

    /// Removes the latest packet of the lowest class that has any.
    pub(crate) fn pop_lowest(&mut self) -> Option<QueuedPacket> {
        let lowest = self.classes.iter().find(|class| class.last != NONE)?;
        self.remove(lowest.last)
    }

    fn remove(&mut self, place: u32) -> Option<QueuedPacket> {
        let Place { packet, class, flow, .. } = self.places[place as usize];
        unlink(&mut self.places, List::OfClass, &mut self.classes[class], place);
        let flow = self.flows.at_mut(flow)?;
        unlink(&mut self.places, List::OfFlow, flow, place);
        if flow.first == NONE {
            self.flows.remove(packet.flow);
        }
        self.free.push(place);
        self.occupancy = self.occupancy.without(packet.size);
        Some(packet)
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.occupancy
    }
}

/// Appends the packet in a place to a list.
fn append(places: &mut [Place], list: List, ends: &mut Ends, place: u32) {
    places[place as usize].neighbours[list as usize].first = ends.last;
    match ends.last {
        NONE => ends.first = place,
        before => places[before as usize].neighbours[list as usize].last = place,
    }
    ends.last = place;
}

/// Takes the packet in a place out of a list.
fn unlink(places: &mut [Place], list: List, ends: &mut Ends, place: u32) {
    let Ends { first: before, last: behind } = places[place as usize].neighbours[list as usize];
    match before {
        NONE => ends.first = behind,
        before => places[before as usize].neighbours[list as usize].last = behind,
    }
    match behind {
        NONE => ends.last = before,
        behind => places[behind as usize].neighbours[list as usize].first = before,
    }
}
