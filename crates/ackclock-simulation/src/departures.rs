//! What packets meet on their way out of a sender: its processor, where that takes time, and a count of them.
//!
//! Flows that have neither pay one branch per packet for it.

use std::collections::VecDeque;

use ackclock_network::{Class, EventList, RandomStream};
use ackclock_units::{Duration, Time};

use crate::parcel::Parcel;
use crate::scenario::Distribution;

/// All flows' ways out.
#[derive(Default)]
pub(crate) struct Departures {
    /// Whether any flow's packets meet anything here.
    pub matter: bool,
    /// By flow, up to the last that has one.
    processors: Vec<Option<Box<Processor>>>,
    /// By flow, when data packets departed; empty where nobody asks.
    sent: Vec<Vec<Time>>,
    /// The first of the run's own events that let a packet go, one for each flow.
    first_event: u32,
}

/// Takes one packet after another, each for a random time: what ns-2 calls the overhead of an agent. A sender that works
/// like a clock falls in step with the others; this one does not.
struct Processor {
    time: Distribution<Duration>,
    random: RandomStream,
    /// What it has taken and not yet let go, oldest first. Their events are due in the same order.
    packets: VecDeque<Parcel>,
    busy_until: Time,
}

impl Departures {
    /// Ways out of `flows` flows, whose packets are counted if `counted`; targets of events begin at `first_event`.
    pub fn new(flows: usize, counted: bool, first_event: u32) -> Departures {
        let sent = if counted { vec![Vec::new(); flows] } else { Vec::new() };
        Departures { matter: counted, processors: Vec::new(), sent, first_event }
    }

    /// Packets of this flow take `time` to be processed, drawn from `random`.
    pub fn process(&mut self, flow: usize, time: Distribution<Duration>, random: RandomStream) {
        let processor = Processor { time, random, packets: VecDeque::new(), busy_until: Time::ZERO };
        self.processors.resize_with(flow, || None);
        self.processors.push(Some(Box::new(processor)));
        self.matter = true;
    }

    /// A packet is given to its sender's processor, if there is one: true if it comes out later, by an event. What goes
    /// that way carries nothing besides.
    #[cold]
    pub fn hold(&mut self, now: Time, packet: &Parcel, events: &mut EventList) -> bool {
        let processor = self.processors.get_mut(packet.flow as usize).and_then(Option::as_mut);
        let Some(processor) = processor.filter(|_| !packet.payload.is_backward()) else {
            self.note(now, packet);
            return false;
        };
        let departure = now.max(processor.busy_until) + processor.time.draw_duration(&mut processor.random);
        processor.busy_until = departure;
        processor.packets.push_back(*packet);
        events.schedule(departure, Class::Control, self.first_event + packet.flow);
        true
    }

    /// The packet that a flow's processor is done with.
    pub fn release(&mut self, now: Time, flow: u32) -> Option<Parcel> {
        let packet = self.processors.get_mut(flow as usize)?.as_mut()?.packets.pop_front()?;
        self.note(now, &packet);
        Some(packet)
    }

    fn note(&mut self, now: Time, packet: &Parcel) {
        if let Some(sent) = self.sent.get_mut(packet.flow as usize).filter(|_| packet.data) {
            sent.push(now);
        }
    }

    /// When the data packets of a flow departed; nothing where nobody asked.
    pub fn times(&self, flow: usize) -> &[Time] {
        self.sent.get(flow).map_or(&[], Vec::as_slice)
    }
}
