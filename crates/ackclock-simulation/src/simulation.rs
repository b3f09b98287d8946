//! The loop: the earliest event happens, until the end of the run.

use ackclock_network::{Arrival, Class, DropReason, EventList, Fate, LinkId, Network, Packet, RouteCursor};
use ackclock_transport::Payload;
use ackclock_units::Time;

use crate::connection::{Connection, End, Snapshot, UdpFlow, Wake};
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
        let starts = self.connections.iter_mut().map(|connection| {
            let start = connection.sender.next_wake();
            connection.sender_wake.needs(start).then_some(start)
        });
        let starts = starts.chain(self.udp.iter().map(|flow| Some(flow.source.next_wake())));
        for (flow, start) in (0..).zip(starts) {
            if let Some(start) = start.filter(|start| *start < Time::MAX) {
                self.events.schedule(start, Class::Timer, 2 * flow + End::Sender as u32);
            }
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
            Arrival::Dropped { link, reason, packet } => {
                note_drop(&mut self.recorder, self.now, link, reason, &packet);
            }
        }
    }

    #[cold]
    fn capture(&mut self, link: LinkId) {
        if let Some(packet) = self.network.head(link) {
            self.recorder.capture(self.now, link, &packet);
        }
    }

    fn deliver(&mut self, packet: &Packet<Payload>) {
        match &packet.payload {
            Payload::ToReceiver(segment) => {
                let connection = &mut self.connections[packet.flow as usize];
                connection.receiver.on_segment(self.now, segment);
                self.transmit_from_receiver(packet.flow);
            }
            Payload::ToSender(segment) => {
                let connection = &mut self.connections[packet.flow as usize];
                connection.sender.on_segment(self.now, segment);
                self.transmit_from_sender(packet.flow);
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
                self.transmit_from_receiver(flow);
            }
        } else if connection.sender_wake.fires(self.now) {
            connection.sender.on_timer(self.now);
            self.transmit_from_sender(flow);
        }
    }

    /// Sends all a sender has to send now, and sets its timer.
    fn transmit_from_sender(&mut self, flow: u32) {
        let now = self.now;
        let (mut outlet, connections) = self.outlet(flow);
        let Connection { sender, sender_wake, forward, header, .. } = &mut connections[flow as usize];
        while let Some(segment) = sender.poll_transmit(now) {
            let size = u32::from(segment.length) + *header;
            outlet.send(*forward, size, segment.length > 0, Payload::ToReceiver(segment));
        }
        outlet.wake(End::Sender, sender_wake, sender.next_wake());
    }

    /// Sends all a receiver has to send now, and sets its timer.
    fn transmit_from_receiver(&mut self, flow: u32) {
        let now = self.now;
        let (mut outlet, connections) = self.outlet(flow);
        let Connection { receiver, receiver_wake, backward, header, .. } = &mut connections[flow as usize];
        while let Some(segment) = receiver.poll_transmit(now) {
            let size = u32::from(segment.length) + *header;
            outlet.send(*backward, size, segment.length > 0, Payload::ToSender(segment));
        }
        outlet.wake(End::Receiver, receiver_wake, receiver.next_wake());
    }

    fn transmit_udp(&mut self, flow: u32) {
        let first = self.connections.len();
        let source = &mut self.udp[flow as usize - first];
        let (route, size) = (source.forward, source.size);
        let datagram = source.poll(self.now);
        let next = source.source.next_wake();
        let (mut outlet, _) = self.outlet(flow);
        if let Some(number) = datagram {
            outlet.send(route, size, true, Payload::Udp { number });
        }
        // A UDP source has exactly one event pending.
        let mut wake = Wake::NONE;
        outlet.wake(End::Sender, &mut wake, next);
    }

    /// What a flow sends by, and the connections, one of which may be the sender.
    fn outlet(&mut self, flow: u32) -> (Outlet<'_>, &mut [Connection]) {
        let Simulation { connections, network, events, recorder, now, .. } = self;
        (Outlet { network, events, recorder, now: *now, flow }, connections)
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

/// Where a flow's packets and deadlines go.
struct Outlet<'a> {
    network: &'a mut Network<Payload>,
    events: &'a mut EventList,
    recorder: &'a mut Recorder,
    now: Time,
    flow: u32,
}

impl Outlet<'_> {
    #[expect(clippy::inline_always, reason = "a call would copy every packet once more")]
    #[inline(always)]
    fn send(&mut self, route: RouteCursor, size: u32, data: bool, payload: Payload) {
        let packet = Packet { flow: self.flow, route, size, data, payload };
        if let Fate::Dropped { link, reason } = self.network.send(self.now, packet, self.events) {
            note_drop(self.recorder, self.now, link, reason, &packet);
        }
    }

    /// Makes sure that an endpoint's next deadline is in the event list.
    #[inline]
    fn wake(&mut self, end: End, wake: &mut Wake, deadline: Time) {
        if wake.needs(deadline) {
            self.events.schedule(deadline, Class::Timer, 2 * self.flow + end as u32);
        }
    }
}

fn note_drop(recorder: &mut Recorder, now: Time, link: LinkId, reason: DropReason, packet: &Packet<Payload>) {
    if recorder.interval().is_some() {
        recorder.drop_packet(now, link, reason, packet);
    }
}
