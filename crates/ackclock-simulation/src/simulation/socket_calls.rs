//! The calls between applications and their sockets: delivered, closed and timer one way; open, write and send the
//! other.

use ackclock_application::{Action, Arrival, Delivery, Ending, Needs, Report};
use ackclock_transport::{Payload, Transfer};
use ackclock_units::Time;

use crate::engine::event::Event;
use crate::facts::End;
use crate::facts::flow_infos::Kind;
use crate::flows::endpoints::{Connection, Endpoints};
use crate::flows::sharing::{Inheritance, InheritedState};
use crate::flows::sockets::TransferBaseline;
use crate::recording::transfers::Transferred;
use crate::simulation::Simulation;
use crate::simulation::applications::Socket;

impl Simulation {
    /// Data arrived over a flow.
    #[inline(never)]
    pub(crate) fn on_delivered(&mut self, flow: u32, payload: &Payload) {
        let end = if payload.is_backward() { End::Sender } else { End::Receiver };
        let Some((socket, needs)) = self.applications.receiver_of(flow, end) else { return };
        if needs == Needs::Bytes {
            return self.on_bytes(flow, end, socket, payload);
        }
        let endpoints = self.flows.get(flow as usize);
        let packets = endpoints.delivered(end, self.engine.now);
        let number = match payload {
            Payload::Tcp(header) => header.sequence.saturating_sub(1) / u64::from(endpoints.payload().max(1)),
            _ => 0,
        };
        let delivery = Delivery { packets, in_order: endpoints.in_order().unwrap_or(packets), number };
        self.applications.on_delivered(socket, delivery, self.engine.now, &mut self.actions);
        self.perform(socket.application);
    }

    /// Bytes arrived at an end of a flow with data both ways.
    fn on_bytes(&mut self, flow: u32, end: End, socket: Socket, payload: &Payload) {
        let Payload::Tcp(header) = payload else { return };
        let begin = header.sequence.saturating_sub(1);
        let in_order = self.flows.get(flow as usize).bytes_in_order(end);
        let arrival = Arrival { begin, end: begin + u64::from(header.length), in_order };
        self.applications.on_bytes(socket, arrival, self.engine.now, &mut self.actions);
        self.perform(socket.application);
        if end == End::Receiver {
            self.feed(flow);
        }
    }

    /// Has the application write to the answering end of a flow while that sends all it gets.
    fn feed(&mut self, flow: u32) {
        let Some(socket) = self.applications.of(flow, End::Receiver) else { return };
        while self.flows.get(flow as usize).is_writable() {
            self.applications.on_writable(socket, self.engine.now, &mut self.actions);
            if self.actions.is_empty() {
                return;
            }
            self.perform(socket.application);
        }
    }

    /// A file is transferred, or no connection was established.
    #[cold]
    pub(crate) fn on_closed(&mut self, flow: u32) {
        match self.flows.kind(flow as usize) {
            Kind::Udp => return self.on_rate(flow),
            Kind::TwoWay => return self.feed(flow),
            _ => {}
        }
        self.catch_up_flow(flow);
        self.note_transfer(flow);
        self.bequeath(flow);
        let Some(socket) = self.applications.of(flow, End::Sender) else { return self.retire(flow) };
        let ending = self.flows.get(flow as usize).life().ending();
        self.applications.on_closed(socket, ending, self.engine.now, &mut self.actions);
        self.perform(socket.application);
    }

    /// The rate of a client of the Congestion Manager may have changed.
    fn on_rate(&mut self, flow: u32) {
        let Some(rate) = self.flows.get_mut(flow as usize).poll_update() else { return };
        let Some(socket) = self.applications.of(flow, End::Sender) else { return };
        self.applications.on_rate(socket, rate, self.engine.now, &mut self.actions);
        self.perform(socket.application);
    }

    pub(crate) fn on_application_timer(&mut self, application: u32) {
        self.applications.on_timer(application, self.engine.now, &mut self.actions);
        self.perform(application);
    }

    /// The timer of a UDP flow is its application's timer.
    pub(crate) fn on_datagram_timer(&mut self, flow: u32) {
        if let Some(Socket { application, .. }) = self.applications.of(flow, End::Sender) {
            self.on_application_timer(application);
        }
    }

    /// Sets the timer of an application. A source of datagrams uses its endpoint's timer, which comes before the
    /// run's own events of the same time.
    pub(crate) fn set_application_timer(&mut self, application: u32, time: Time) {
        let (flow, _) = self.applications.flow(application, 0);
        let event = match self.flows.kind(flow as usize) {
            Kind::Udp => Event::Timer { flow, end: End::Sender },
            Kind::Tcp | Kind::TwoWay | Kind::AckNak | Kind::Tfrc | Kind::Stack | Kind::Media => {
                Event::Application(application)
            }
        };
        event.schedule(time, &mut self.engine.events);
    }

    /// Carries out the actions that an application requested.
    fn perform(&mut self, application: u32) {
        if self.actions.is_empty() {
            return;
        }
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain(..) {
            let flow = |socket| self.applications.flow(application, socket);
            match action {
                Action::Open { socket, at: start, packets, stop, persistent } => {
                    let (flow, _) = flow(socket);
                    self.open(flow, Transfer { start, stop, packets }, persistent);
                }
                Action::Write { socket, packets } => self.write(flow(socket), packets),
                Action::Connect { socket } => self.connect(flow(socket).0),
                Action::WriteBytes { socket, bytes } => self.write_bytes(flow(socket), bytes),
                Action::Pause { socket } => self.pause(flow(socket).0),
                Action::Close { socket } => self.close(flow(socket)),
                Action::Send { socket } => self.send(flow(socket).0),
                Action::Timer(time) => self.set_application_timer(application, time),
                Action::Report(report) => self.note_report(application, report, self.engine.now),
            }
        }
        self.actions = actions;
    }

    /// Opens a flow's next connection. From now on packets of the previous connection are ignored.
    fn open(&mut self, flow: u32, transfer: Transfer, persistent: bool) {
        let index = flow as usize;
        let endpoints = self.flows.get(index);
        let (counted, life) = (endpoints.snapshot(self.engine.now), endpoints.life());
        let Some(controller) = self.sockets.controller(index) else { return };
        let usual = Inheritance { controller, state: InheritedState::default() };
        let Inheritance { controller, state } = self.inherit(flow, transfer.packets).unwrap_or(usual);
        let packets = transfer.packets.unwrap_or_default();
        if let Some(socket) = self.sockets.get_mut(index) {
            socket.close(&counted, &life, self.engine.now);
            (socket.start, socket.packets) = (self.engine.now, packets);
        }
        let (flows, mut context) = self.context(flow, 0);
        flows.open(Connection { controller, transfer, persistent, state }, &mut context);
        let incarnation = context.incarnation;
        self.engine.recorder.begin_connection(flow, incarnation, counted.counters.syns > 0);
        if self.engine.recorder.captures_any() {
            self.capture_passed();
        }
    }

    /// Writes further packets to a flow's connection: a transfer of its own, or more of the one that is under way.
    fn write(&mut self, (flow, end): (u32, End), packets: u64) {
        let index = flow as usize;
        self.begin_written(index, packets);
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(index).write(end, packets, &mut context);
    }

    /// A transfer of this many packets begins over an open connection, if that is idle; else it belongs to the one under way.
    fn begin_written(&mut self, flow: usize, packets: u64) {
        let now = self.engine.now;
        let Some(socket) = self.sockets.get_mut(flow) else { return };
        let endpoints = self.flows.get(flow);
        let life = endpoints.life();
        if life.closed_at.is_none() {
            socket.packets += packets;
            return;
        }
        let (counted, payload) = (endpoints.snapshot(now).counters, endpoints.payload());
        socket.resume(
            (now, packets),
            &life,
            TransferBaseline {
                packets: socket.baseline().packets + socket.packets,
                sent: counted.segments_sent,
                retransmissions: counted.retransmissions,
                timeouts: counted.timeouts,
            },
        );
        let first = 1 + socket.baseline().packets * u64::from(payload);
        self.engine.recorder.begin_transfer(flow as u32, first);
    }

    fn connect(&mut self, flow: u32) {
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(flow as usize).connect(&mut context);
    }

    fn write_bytes(&mut self, (flow, end): (u32, End), bytes: u64) {
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(flow as usize).write_bytes(end, bytes, &mut context);
    }

    fn pause(&mut self, flow: u32) {
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(flow as usize).pause(&mut context);
    }

    fn close(&mut self, (flow, end): (u32, End)) {
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(flow as usize).close(end, &mut context);
    }

    /// Passes an application's report to the records of its kind.
    pub(crate) fn note_report(&mut self, application: u32, report: Report, now: Time) {
        match report {
            Report::PageRequested { .. }
            | Report::PageProgress
            | Report::ObjectFailed
            | Report::PageReceived
            | Report::PageClosed
            | Report::PageGivenUp
            | Report::ObjectFound { .. }
            | Report::ObjectRequested { .. }
            | Report::ObjectArrived { .. } => self.users.note(application, report, now),
            Report::Requested { .. }
            | Report::RequestReceived
            | Report::ResponseBegun
            | Report::ResponseReceived
            | Report::SegmentRequested { .. } => {
                self.responses.note(application, report, now);
                self.films.note(application, report, now);
            }
        }
    }

    fn send(&mut self, flow: u32) {
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.get_mut(flow as usize).send(&mut context);
    }

    /// Records the transfers that the end of the run finds under way.
    pub(crate) fn note_unfinished(&mut self) {
        for flow in 0..self.flows.len() {
            if self.flows.find(flow).is_some_and(Endpoints::is_open) {
                self.note_transfer(flow as u32);
            }
        }
    }

    /// Records the transfer that a flow has been sending.
    fn note_transfer(&mut self, flow: u32) {
        let endpoints = self.flows.get(flow as usize);
        let (counted, life) = (endpoints.snapshot(self.engine.now).counters, endpoints.life());
        let Some(socket) = self.sockets.get(flow as usize) else { return };
        let baseline = socket.baseline();
        self.engine.recorder.transfers.note(Transferred {
            flow,
            start: socket.start,
            established: life.established_at.map(|time| time.max(socket.start)),
            finish: life.finished_at,
            failed: life.failed,
            cut_off: life.closed_at.is_some() && life.ending() == Ending::CutOff,
            packets: socket.packets,
            bits: socket.packets as f64 * 8.0 * f64::from(endpoints.payload()),
            sent: counted.segments_sent - baseline.sent,
            lost: self.engine.recorder.dropped_of_transfer(flow as usize),
            retransmissions: counted.retransmissions - baseline.retransmissions,
            timeouts: counted.timeouts - baseline.timeouts,
        });
    }
}
