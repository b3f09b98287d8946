//! The loop: the earliest event happens, until the end of the run.

use ackclock_network::{Arrival, Class, DropReason, EventList, Fate, LinkId, Network, Packet};
use ackclock_transport::Payload;
use ackclock_units::Time;

use crate::connection::{Connection, End, Snapshot, UdpFlow};
use crate::summary::{FlowInfo, Output};
use crate::trace::Recorder;

/// The run's own events, as targets of [`Class::Control`].
const END_OF_WARM_UP: u32 = 0;
const SAMPLE: u32 = 1;

/// A scenario come to life: a network, endpoints, and the events that are due.
pub struct Simulation {
    pub(crate) network: Network<Payload>,
    pub(crate) events: EventList,
    pub(crate) connections: Vec<Connection>,
    pub(crate) udp: Vec<UdpFlow>,
    /// Names and the like of all flows, TCP before UDP.
    pub(crate) flows: Vec<FlowInfo>,
    pub(crate) now: Time,
    pub(crate) end: Time,
    pub(crate) warm_up: Time,
    /// What the flows had counted when the warm-up ended.
    pub(crate) at_warm_up: Vec<Snapshot>,
    pub(crate) recorder: Recorder,
    pub(crate) event_count: u64,
}

impl Simulation {
    /// Makes the first events: every endpoint's start, the end of the warm-up if there is one, the first sample.
    pub(crate) fn prime(&mut self) {
        for flow in 0..self.flows.len() as u32 {
            self.wake(flow, End::Sender);
        }
        // Without a warm-up everything counts, also what is sent at time zero before any such event would come.
        if self.warm_up > Time::ZERO {
            self.events.schedule(self.warm_up, Class::Control, END_OF_WARM_UP);
        }
        if self.recorder.interval().is_some() {
            self.events.schedule(Time::ZERO, Class::Control, SAMPLE);
        }
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the run ends.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Events that have happened.
    pub fn event_count(&self) -> u64 {
        self.event_count
    }

    /// Lets up to `events` events happen; true once the run is at its end.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            let Some(event) = self.events.pop_until(self.end) else {
                self.now = self.end;
                return true;
            };
            self.now = event.time;
            self.event_count += 1;
            match event.class {
                Class::Link => self.on_link(LinkId::new(event.target)),
                Class::Timer => self.on_timer(event.target),
                Class::Control => self.on_control(event.target),
            }
        }
        false
    }

    /// Runs to the end.
    pub fn run(mut self) -> Output {
        while !self.advance(u64::MAX) {}
        self.finish()
    }

    /// Ends the run here, and says what came of it.
    ///
    /// # Panics
    /// If a packet was sent that is neither delivered nor dropped nor in flight: the simulator would be wrong.
    pub fn finish(self) -> Output {
        let conservation = self.network.conservation();
        assert!(conservation.holds(), "packets vanished or multiplied: {conservation:?}");
        Output::new(self)
    }

    fn on_link(&mut self, link: LinkId) {
        if self.recorder.captures(link) {
            self.capture(link);
        }
        match self.network.arrive(link, self.now, &mut self.events) {
            Arrival::Delivered(packet) => self.deliver(&packet),
            Arrival::Forwarded { .. } => {}
            Arrival::Dropped { link, reason, packet } => self.note_drop(link, reason, &packet),
        }
    }

    #[cold]
    fn capture(&mut self, link: LinkId) {
        if let Some(packet) = self.network.head(link) {
            self.recorder.capture(self.now, link, packet);
        }
    }

    fn deliver(&mut self, packet: &Packet<Payload>) {
        match &packet.payload {
            Payload::ToReceiver(segment) => {
                let connection = &mut self.connections[packet.flow as usize];
                connection.receiver.on_segment(self.now, segment);
                self.transmit(packet.flow, End::Receiver);
            }
            Payload::ToSender(segment) => {
                let connection = &mut self.connections[packet.flow as usize];
                connection.sender.on_segment(self.now, segment);
                self.transmit(packet.flow, End::Sender);
            }
            Payload::Udp { .. } => {
                let flow = packet.flow as usize - self.connections.len();
                self.udp[flow].delivered += 1;
            }
        }
    }

    fn on_timer(&mut self, target: u32) {
        let (flow, is_receiver) = (target / 2, target % 2 == 1);
        let Some(connection) = self.connections.get_mut(flow as usize) else {
            return self.transmit_udp(flow);
        };
        if is_receiver {
            if connection.receiver_wake.fires(self.now) {
                connection.receiver.on_timer(self.now);
                self.transmit(flow, End::Receiver);
            }
        } else if connection.sender_wake.fires(self.now) {
            connection.sender.on_timer(self.now);
            self.transmit(flow, End::Sender);
        }
    }

    /// Sends all an endpoint has to send now, and sets its timer.
    fn transmit(&mut self, flow: u32, end: End) {
        let now = self.now;
        let connection = &mut self.connections[flow as usize];
        let header = connection.header;
        loop {
            let connection = &mut self.connections[flow as usize];
            let (segment, route) = match end {
                End::Sender => (connection.sender.poll_transmit(now), connection.forward),
                End::Receiver => (connection.receiver.poll_transmit(now), connection.backward),
            };
            let Some(segment) = segment else { break };
            let payload = match end {
                End::Sender => Payload::ToReceiver(segment),
                End::Receiver => Payload::ToSender(segment),
            };
            let size = u32::from(segment.length) + header;
            self.send(Packet { flow, route, size, data: segment.length > 0, payload });
        }
        self.wake(flow, end);
    }

    fn transmit_udp(&mut self, flow: u32) {
        let first = self.connections.len() as u32;
        let source = &mut self.udp[(flow - first) as usize];
        let (route, size) = (source.forward, source.size);
        if let Some(number) = source.poll(self.now) {
            self.send(Packet { flow, route, size, data: true, payload: Payload::Udp { number } });
        }
        self.wake(flow, End::Sender);
    }

    fn send(&mut self, packet: Packet<Payload>) {
        if let Fate::Dropped { link, reason } = self.network.send(self.now, packet, &mut self.events) {
            self.note_drop(link, reason, &packet);
        }
    }

    /// Makes sure that an endpoint's next deadline is in the event list.
    fn wake(&mut self, flow: u32, end: End) {
        let deadline = if let Some(connection) = self.connections.get_mut(flow as usize) {
            let (deadline, wake) = match end {
                End::Sender => (connection.sender.next_wake(), &mut connection.sender_wake),
                End::Receiver => (connection.receiver.next_wake(), &mut connection.receiver_wake),
            };
            if !wake.needs(deadline) {
                return;
            }
            deadline
        } else {
            // A UDP source has exactly one event pending.
            self.udp[flow as usize - self.connections.len()].source.next_wake()
        };
        if deadline < Time::MAX {
            self.events.schedule(deadline, Class::Timer, 2 * flow + end as u32);
        }
    }

    fn note_drop(&mut self, link: LinkId, reason: DropReason, packet: &Packet<Payload>) {
        if self.recorder.interval().is_some() {
            self.recorder.drop_packet(self.now, link, reason, packet);
        }
    }

    fn on_control(&mut self, target: u32) {
        if target == END_OF_WARM_UP {
            self.network.measure_from(self.now);
            self.at_warm_up = self.snapshots();
        } else if let Some(interval) = self.recorder.interval() {
            self.sample();
            self.events.schedule(self.now + interval, Class::Control, SAMPLE);
        }
    }

    /// What all flows have counted by now.
    pub(crate) fn snapshots(&self) -> Vec<Snapshot> {
        let tcp = self.connections.iter().map(|connection| connection.snapshot(self.now));
        tcp.chain(self.udp.iter().map(UdpFlow::snapshot)).collect()
    }

    fn sample(&mut self) {
        let Simulation { connections, udp, network, recorder, now, .. } = self;
        recorder.sample(*now, connections, udp, network);
    }
}
