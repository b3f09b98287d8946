//! The main loop: processes the earliest event until the end of the run.

pub(crate) mod applications;
pub(crate) mod arrivals;
mod captures;
mod flow_lifecycle;
mod inheritance;
mod prefetching;
mod sampling;
mod socket_calls;

use ackclock_application::Action;
use ackclock_memory::ByKey;
use ackclock_network::{Arrival, Delivered, Ecn, Fate, LinkId, NodeId, Refused};
use ackclock_scenario::Epoch;
use ackclock_transport::tcp::Cookie;
use ackclock_transport::{Extension, Flags, Payload};
use ackclock_units::Time;

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::facts::End;
use crate::facts::Packet;
use crate::facts::counts::Baseline;
use crate::facts::counts::Baselines;
use crate::facts::flow_infos::FlowInfos;
use crate::facts::flow_infos::Kind;
use crate::flows::Flows;
use crate::flows::context::{FlowContext, STEPS_PER_PACKET};
use crate::flows::sharing::SharedPaths;
use crate::flows::sockets::Sockets;
use crate::recording::films::FilmRecords;
use crate::recording::responses::ResponseRecords;
use crate::recording::user_records::UserRecords;
use crate::simulation::applications::Applications;
use crate::simulation::arrivals::Arrivals;
use crate::summary::Output;
use crate::summary::flow_rows::FlowRows;
use crate::summary::measurements::Measurements;

/// How many events run between checks of the work counter, which counts the steps of long walks and bursts.
const EVENTS_PER_LOOK: u64 = 16;

/// This many steps of a long walk take as long as an event.
pub(crate) const STEPS_PER_EVENT: u64 = 64;

/// The number of events that take as long as the steps from `charged` to `steps`. Charges these steps.
#[inline]
fn events_of_steps(steps: u64, charged: &mut u64) -> u64 {
    let events = (steps - *charged) / STEPS_PER_EVENT;
    *charged += events * STEPS_PER_EVENT;
    events
}

/// A running scenario: a network, endpoints, and pending events.
pub struct Simulation {
    pub(crate) engine: Engine,
    pub(crate) flows: Flows,
    /// The flows that are made on arrival.
    pub(crate) arrivals: Arrivals,
    /// The rows of the flows that are over.
    pub(crate) rows: FlowRows,
    /// Names and the like of all flows.
    pub(crate) infos: FlowInfos,
    /// The programs that send over the flows.
    pub(crate) applications: Applications,
    /// The actions that the last call of an application requested.
    pub(crate) actions: Vec<Action>,
    /// The sockets of flows that send files.
    pub(crate) sockets: Sockets,
    /// The records of users who fetch pages.
    pub(crate) users: UserRecords,
    /// The records of requests and responses.
    pub(crate) responses: ResponseRecords,
    /// The records of films.
    pub(crate) films: FilmRecords,
    pub(crate) end: Time,
    pub(crate) warm_up: Time,
    /// The counts of the flows at the end of the warm-up, once it has ended.
    pub(crate) at_warm_up: Option<Baselines>,
    /// The cookies of servers for Fast Open, by client and server.
    pub(crate) cookies: ByKey<(NodeId, NodeId), Cookie>,
    /// The histories of the pairs of hosts whose connections share state.
    pub(crate) sharing: SharedPaths,
    /// The spans over which departures are counted, if they are.
    pub(crate) epoch: Option<Epoch>,
    pub(crate) event_count: u64,
    /// The memory for timers until then is prefetched.
    pub(crate) prefetched_until: Option<Time>,
}

/// The ECN field of a packet that arrives, as its receiver learns it.
fn field_of(ecn: Ecn) -> Flags {
    match ecn {
        Ecn::NotCapable => Flags::default(),
        Ecn::Capable1 => Flags::ECT1,
        Ecn::Capable0 => Flags::ECT,
        Ecn::Congested => Flags::CE,
    }
}

impl Simulation {
    /// Adds the first events: the start of every endpoint, the first timer of every application that has set one, the end
    /// of the warm-up if there is one, the first sample.
    pub(crate) fn prime(&mut self, timers: Vec<(u32, Time)>) {
        // Starts are ordered by flow, including flows that arrive later.
        let first_order = self.engine.events.reserve(self.flows.len() as u64);
        for flow in 0..self.flows.len() {
            if !self.flows.is_there(flow as u32) {
                continue;
            }
            let start = self.flows.get_mut(flow).first_wake();
            if start < Time::MAX {
                let event = Event::Timer { flow: flow as u32, end: End::Sender };
                event.schedule_in_order(start, first_order + flow as u64, &mut self.engine.events);
            }
        }
        self.arrivals.begin(first_order, &self.infos, &mut self.engine.events);
        for (application, time) in timers {
            self.set_application_timer(application, time);
        }
        // Without a warm-up everything counts, even packets sent at time zero before an event that ends the warm-up
        // would come.
        if self.warm_up > Time::ZERO {
            Event::EndOfWarmUp.schedule(self.warm_up, &mut self.engine.events);
        }
        if self.engine.recorder.interval().is_some() {
            Event::Sample.schedule(Time::ZERO, &mut self.engine.events);
        }
    }

    /// Simulated time so far.
    pub fn now(&self) -> Time {
        self.engine.now
    }

    /// The end of the run.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Events that have happened.
    pub fn event_count(&self) -> u64 {
        self.event_count
    }

    /// The steps of long walks through windows and of long bursts so far. The number of events does not include this
    /// work.
    pub fn steps(&self) -> u64 {
        self.engine.steps
    }

    /// Events that have happened, and as many more as the steps so far take the time of.
    pub fn work(&self) -> u64 {
        self.event_count + self.engine.steps / STEPS_PER_EVENT
    }

    /// Processes up to `events` events; fewer if they walk through windows or send whole windows and so take as long.
    /// Returns true at the end of the run.
    ///
    /// # Panics
    /// If simulated time would run backwards, which would be an error of the simulator.
    pub fn advance(&mut self, events: u64) -> bool {
        let (mut left, mut charged) = (events, self.engine.steps);
        if events == 0 {
            return false;
        }
        loop {
            if !self.happen_until(self.end) {
                self.engine.now = self.end;
                return true;
            }
            left -= 1;
            // The only comparison per event, except for the last before the counter is checked.
            if left.is_multiple_of(EVENTS_PER_LOOK) {
                left = left.saturating_sub(events_of_steps(self.engine.steps, &mut charged));
                if left == 0 {
                    return false;
                }
            }
        }
    }

    /// Processes every event up to `until`, and lets time pass until then. Returns true at the end of the run. A run
    /// with pauses has the same results as one without.
    ///
    /// # Panics
    /// As [`Simulation::advance`].
    pub fn run_until(&mut self, until: Time) -> bool {
        let until = until.clamp(self.engine.now, self.end);
        while self.happen_until(until) {}
        self.engine.now = until;
        until == self.end
    }

    /// Processes the earliest event. Returns false if it is later than `end`, or if there is none.
    #[expect(clippy::inline_always, reason = "once in each loop over all events")]
    #[inline(always)]
    fn happen_until(&mut self, end: Time) -> bool {
        let events = &mut self.engine.events;
        if let Some((time, link)) = events.pop_link_until(end) {
            self.pass_to(time);
            self.on_link(LinkId::new(link));
            return true;
        }
        let Some(event) = events.pop_other_until(end) else { return false };
        self.pass_to(event.time);
        match Event::of(event.class, event.target) {
            Event::Timer { flow, end } => self.on_timer(flow, end),
            other => self.on_other(other),
        }
        true
    }

    /// Advances time to that of an event.
    #[expect(clippy::inline_always, reason = "as for `happen_until`")]
    #[inline(always)]
    fn pass_to(&mut self, time: Time) {
        assert!(time >= self.engine.now, "simulated time runs backwards");
        self.engine.now = time;
        self.event_count += 1;
    }

    /// Runs to the end.
    pub fn run(mut self) -> Output {
        while !self.advance(u64::MAX) {}
        self.finish()
    }

    /// Ends the run here.
    ///
    /// # Panics
    /// If a packet was sent that is neither delivered nor dropped nor in flight, which would be an error of the
    /// simulator.
    pub fn finish(mut self) -> Output {
        self.catch_up();
        self.capture_passed();
        self.engine.recorder.order_captures(self.engine.now);
        let conservation = self.engine.network.conservation();
        assert!(conservation.holds(), "packets vanished or multiplied: {conservation:?}");
        self.note_unfinished();
        self.users.finish(self.engine.now);
        self.write_rows();
        let Simulation { engine, flows, infos, sockets, users, responses, films, .. } = self;
        let Simulation { warm_up, at_warm_up, epoch, event_count, rows, arrivals, applications, .. } = self;
        let Engine { network, events, recorder, processing, now, .. } = engine;
        // Drops them first, to make room for the tables.
        drop((arrivals, applications, events));
        Output::new(Measurements {
            network,
            flows,
            infos,
            sockets,
            users,
            responses,
            films,
            recorder,
            processing,
            now,
            warm_up,
            at_warm_up: at_warm_up.unwrap_or_default(),
            epoch,
            event_count,
            rows,
        })
    }

    #[expect(clippy::inline_always, reason = "nearly every event is one of these")]
    #[inline(always)]
    fn on_link(&mut self, link: LinkId) {
        if self.engine.recorder.watches(link) {
            self.on_watched_link(link);
            return;
        }
        // Destructured here, in one place only; otherwise the packet would be copied.
        let Some(Delivered { packet, extension, .. }) =
            self.engine.network.deliver(link, &mut self.engine.events)
        else {
            self.on_other_arrival(link);
            return;
        };
        let Packet { flow, incarnation, data, ecn, mut payload, .. } = packet;
        if self.flows.are_many() {
            self.prefetch_for_packets(link);
        }
        // ECT(1) or CE. Other fields arrive as they were sent, where no tunnel changes them.
        if ecn.bits() & Ecn::Capable1.bits() != 0 {
            payload.note_field(field_of(ecn));
        }
        if let Some(slot) = extension {
            let extension = self.engine.network.take_extension(slot);
            self.deliver(flow, incarnation, data, &payload, Some(&extension));
        } else {
            self.deliver(flow, incarnation, data, &payload, None);
        }
    }

    /// Records a packet at the far end of a link direction whose packets are captured, or arrive at a sender that is
    /// logged.
    #[cold]
    #[inline(never)]
    fn on_watched_link(&mut self, link: LinkId) {
        let head = self.engine.network.head(link);
        if let Some(packet) = head.filter(|_| self.engine.recorder.captures(link)) {
            self.engine.recorder.capture(self.engine.now, link, packet);
        }
        let Some(delivered) = self.engine.network.deliver(link, &mut self.engine.events) else {
            return self.on_other_arrival(link);
        };
        let extension = delivered.extension.map(|slot| self.engine.network.take_extension(slot));
        let (packet, now) = (delivered.packet, self.engine.now);
        self.engine.recorder.qlogs.on_received(now, &packet, extension.as_ref());
        let closed = self.deliver_rarely(&packet, extension.as_ref());
        self.after_delivery(packet.flow, packet.data, &packet.payload, closed);
        self.log_metrics(packet.flow);
    }

    /// Logs the metrics of a sender that changed, if the sender is logged.
    fn log_metrics(&mut self, flow: u32) {
        let Simulation { flows, engine: Engine { recorder, now, .. }, .. } = self;
        recorder.qlogs.on_metrics(*now, flow, || flows.get(flow as usize).gauges());
    }

    #[inline(never)]
    fn on_other_arrival(&mut self, link: LinkId) {
        if self.engine.recorder.captures_any() {
            self.capture_passed();
            self.capture_out_of_order(link);
        }
        match self.engine.network.arrive(link, self.engine.now, &mut self.engine.events) {
            Arrival::Admitted => self.note_refused(),
            Arrival::Dropped { link, reason, packet } => {
                self.engine.note_drop(link, reason, &packet);
            }
            Arrival::Forwarded { .. } | Arrival::Dequeued => {}
            Arrival::Delivered(packet, extension) => self.deliver_out_of_order(&packet, extension.as_ref()),
        }
    }

    #[cold]
    #[inline(never)]
    fn deliver_out_of_order(&mut self, packet: &Packet, extension: Option<&Extension>) {
        self.engine.recorder.qlogs.on_received(self.engine.now, packet, extension);
        let closed = self.deliver_rarely(packet, extension);
        self.log_metrics(packet.flow);
        self.after_delivery(packet.flow, packet.data, &packet.payload, closed);
    }

    /// Delivers a packet to its flow in an unusual case, without cost for the usual one. Returns true if that closes
    /// a connection.
    fn deliver_rarely(&mut self, packet: &Packet, extension: Option<&Extension>) -> bool {
        let Packet { flow, incarnation, ecn, mut payload, .. } = *packet;
        payload.note_field(field_of(ecn));
        let (flows, mut context) = self.context(flow, incarnation);
        if flows.incarnation(flow) == incarnation {
            flows.get_mut(flow as usize).deliver(&payload, extension, &mut context);
        }
        context.closed
    }

    /// Brings the network up to the present, before anything reads its state.
    fn catch_up(&mut self) {
        self.engine.network.catch_up(self.engine.now, &mut self.engine.events);
        self.note_refused();
    }

    /// Brings the links of a flow up to the present, before anything reads how many of its packets were dropped.
    pub(crate) fn catch_up_flow(&mut self, flow: u32) {
        let info = self.infos.get(flow as usize);
        let (there, back) = self.routes_between(flow, info.source, info.destination);
        let Engine { network, events, now, .. } = &mut self.engine;
        network.catch_up_route(there, *now, events);
        network.catch_up_route(back, *now, events);
        self.note_refused();
    }

    /// Records what queues refused without an event, and charges the work of those that took part.
    fn note_refused(&mut self) {
        let admitted = self.engine.network.take_admitted();
        self.engine.steps += admitted * u64::from(STEPS_PER_PACKET);
        for Refused { time, link, reason, packet, .. } in self.engine.network.take_refused() {
            self.engine.recorder.drop_packet(time, link, reason, &packet);
        }
    }

    #[expect(clippy::inline_always, reason = "nearly every event is a delivery")]
    #[inline(always)]
    fn deliver(
        &mut self,
        flow: u32,
        incarnation: u8,
        data: bool,
        payload: &Payload,
        extension: Option<&Extension>,
    ) {
        let (flows, mut context) = self.context(flow, incarnation);
        flows.deliver(payload, extension, &mut context);
        let closed = context.closed;
        self.after_delivery(flow, data, payload, closed);
    }

    #[expect(clippy::inline_always, reason = "as its caller")]
    #[inline(always)]
    fn after_delivery(&mut self, flow: u32, data: bool, payload: &Payload, closed: bool) {
        if data && self.applications.need_deliveries() {
            self.on_delivered(flow, payload);
        }
        if closed {
            self.on_closed(flow);
        }
    }

    fn on_timer(&mut self, flow: u32, end: End) {
        if self.flows.are_many_by_timer() {
            self.prefetch_for_others();
        }
        if self.flows.kind(flow as usize) == Kind::Udp && end == End::Sender {
            self.on_datagram_timer(flow);
            return;
        }
        if !self.flows.is_there(flow) {
            if !self.arrivals.is_next(flow) {
                // The timer belongs to a flow that is over; it had been stopped before.
                return;
            }
            self.arrive(flow);
        }
        if !self.sharing.first.is_empty() {
            self.begin_sharing(flow);
        }
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        flows.on_timer(flow, end, &mut context);
        if context.closed {
            self.on_closed(flow);
        }
        if self.engine.recorder.qlogs.log_tcp() {
            self.log_metrics(flow);
        }
    }

    /// All flows, and the context of one of them.
    #[inline]
    pub(crate) fn context(&mut self, flow: u32, incarnation: u8) -> (&mut Flows, FlowContext<'_>) {
        (&mut self.flows, FlowContext { engine: &mut self.engine, flow, incarnation, closed: false })
    }

    fn on_other(&mut self, event: Event) {
        match event {
            Event::Application(application) => self.on_application_timer(application),
            Event::Host(flow) => self.depart(flow),
            Event::Sample => {
                self.catch_up();
                self.sample();
            }
            Event::EndOfWarmUp => {
                self.catch_up();
                self.end_warm_up();
            }
            Event::Link(_) | Event::Timer { .. } => unreachable!("these are handled by themselves"),
        }
    }

    /// A flow's sender has finished processing a packet, which enters the network.
    fn depart(&mut self, flow: u32) {
        let Some((packet, extension)) = self.engine.processing.release(self.engine.now, flow) else { return };
        let Engine { network, recorder, events, now, .. } = &mut self.engine;
        recorder.qlogs.on_sent(*now, &packet);
        let fate = match extension {
            Some(extension) => network.send_with(*now, &packet, &extension, events),
            None => network.send(*now, &packet, events),
        };
        if let Fate::Dropped { link, reason } = fate {
            self.engine.note_drop(link, reason, &packet);
        }
    }

    fn end_warm_up(&mut self) {
        self.engine.network.measure_from(self.engine.now);
        let Simulation { sockets, flows, engine: Engine { now, .. }, .. } = self;
        let baselines = flows.iter().map(|(flow, endpoints)| {
            (flow as u32, Baseline::from(sockets.total(flow, &endpoints.snapshot(*now))))
        });
        self.at_warm_up = Some(Baselines::new(baselines));
        sockets.end_warm_up(*now, |flow| flows.get(flow).life());
    }
}
