//! The processor of a sending host, where it takes time over packets, and the times at which packets leave.
//!
//! Flows that have neither pay one branch per packet for it.

use std::collections::VecDeque;

use ackclock_network::EventList;
use ackclock_random::{Distribution, RandomStream};
use ackclock_units::Time;

use crate::engine::event::Event;
use crate::facts::Packet;
use ackclock_transport::Extension;

/// The processors of all flows' senders.
#[derive(Default)]
pub(crate) struct HostProcessing {
    /// Set if any packet is held, or its departure noted or logged.
    pub matter: bool,
    /// By flow, up to the last that has one.
    processors: Vec<Option<Box<Processor>>>,
    /// By flow: the departure times of data packets; empty where they are not wanted.
    sent: Vec<Vec<Time>>,
}

/// Takes one packet after another, each for a random time: what ns-2 calls the overhead of an agent. A sender that works
/// like a clock falls in step with the others; this one does not.
struct Processor {
    time: Distribution,
    random: RandomStream,
    /// The packets it holds, oldest first. Their events are due in the same order.
    packets: VecDeque<(Packet, Option<Extension>)>,
    busy_until: Time,
}

impl HostProcessing {
    /// No processors yet; the times at which packets leave are kept, for `flows` flows, if `timed`.
    pub fn new(flows: usize, timed: bool) -> HostProcessing {
        let sent = if timed { vec![Vec::new(); flows] } else { Vec::new() };
        HostProcessing { matter: timed, processors: Vec::new(), sent }
    }

    /// Packets of this flow take `time` to be processed, in seconds, drawn from `random`.
    pub fn process(&mut self, flow: usize, time: Distribution, random: RandomStream) {
        let processor = Processor { time, random, packets: VecDeque::new(), busy_until: Time::ZERO };
        self.processors.resize_with(flow, || None);
        self.processors.push(Some(Box::new(processor)));
        self.matter = true;
    }

    /// A packet is given to its sender's processor, if there is one: true if it comes out later, by an event.
    #[cold]
    pub fn hold(
        &mut self,
        now: Time,
        packet: &Packet,
        extension: Option<&Extension>,
        events: &mut EventList,
    ) -> bool {
        let processor = self.processors.get_mut(packet.flow as usize).and_then(Option::as_mut);
        let Some(processor) = processor.filter(|_| !packet.payload.is_backward()) else {
            self.note(now, packet);
            return false;
        };
        let departure = now.max(processor.busy_until) + processor.time.draw_duration(&mut processor.random);
        processor.busy_until = departure;
        processor.packets.push_back((*packet, extension.copied()));
        Event::Host(packet.flow).schedule(departure, events);
        true
    }

    /// The packet that a flow's processor is done with, and its extension.
    pub fn release(&mut self, now: Time, flow: u32) -> Option<(Packet, Option<Extension>)> {
        let (packet, extension) = self.processors.get_mut(flow as usize)?.as_mut()?.packets.pop_front()?;
        self.note(now, &packet);
        Some((packet, extension))
    }

    fn note(&mut self, now: Time, packet: &Packet) {
        if let Some(sent) = self.sent.get_mut(packet.flow as usize).filter(|_| packet.data) {
            sent.push(now);
        }
    }

    /// The departure times of a flow's data packets; empty where they are not wanted.
    pub fn times(&self, flow: usize) -> &[Time] {
        self.sent.get(flow).map_or(&[], Vec::as_slice)
    }
}
