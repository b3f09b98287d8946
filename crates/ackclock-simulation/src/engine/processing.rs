//! Processors of sending hosts that take time over packets, and the times at which packets leave.
//!
//! Other flows pay one branch per packet.

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
    /// True if any packet is held, or its departure is recorded or logged.
    pub matter: bool,
    /// By flow, up to the last that has one.
    processors: Vec<Option<Box<Processor>>>,
    /// By flow: the departure times of data packets; empty unless they are recorded.
    sent: Vec<Vec<Time>>,
}

/// Takes one packet after another, each for a random time: the overhead of an agent in ns-2. It keeps a
/// sender from falling in step with the others.
struct Processor {
    time: Distribution,
    random: RandomStream,
    /// The packets it holds, oldest first. Their events are due in the same order.
    packets: VecDeque<(Packet, Option<Extension>)>,
    busy_until: Time,
}

impl HostProcessing {
    /// No processors yet. If `timed`, the times at which packets of `flows` flows leave are recorded.
    pub fn new(flows: usize, timed: bool) -> HostProcessing {
        let sent = if timed { vec![Vec::new(); flows] } else { Vec::new() };
        HostProcessing { matter: timed, processors: Vec::new(), sent }
    }

    /// Adds a processor to this flow. Each packet takes a time in seconds, drawn from `time` with
    /// `random`.
    pub fn process(&mut self, flow: usize, time: Distribution, random: RandomStream) {
        let processor = Processor { time, random, packets: VecDeque::new(), busy_until: Time::ZERO };
        self.processors.resize_with(flow, || None);
        self.processors.push(Some(Box::new(processor)));
        self.matter = true;
    }

    /// Gives a packet to its sender's processor, if there is one. Returns true if the packet comes out
    /// later, by an event.
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

    /// The packet that a flow's processor has finished, and its extension.
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

    /// The departure times of a flow's data packets; empty unless they are recorded.
    pub fn times(&self, flow: usize) -> &[Time] {
        self.sent.get(flow).map_or(&[], Vec::as_slice)
    }
}
