//! The loop: the earliest event happens, until the end of the run.

use ackclock_network::{Arrival, Class, Ecn, EventList, Fate, LinkId, Packet, Refused};
use ackclock_transport::{Extension, Payload};
use ackclock_units::Time;

use crate::departures::Departures;
use crate::flow_infos::FlowInfos;
use crate::flows::{self, Baseline, End, Flows, Outlet, Snapshot};
use crate::parcel::Carrier;
use crate::scenario::Epoch;
use crate::source::{Before, File, Sources};
use crate::summary::Output;
use crate::trace::Recorder;
use crate::transfers::Transferred;
use crate::users::{Object, Users};

/// The run's own events, as targets of [`Class::Control`].
const END_OF_WARM_UP: u32 = 0;
const SAMPLE: u32 = 1;
/// From here on: the source of a flow begins its next file.
const FIRST_SOURCE: u32 = 2;
/// From here on: the processor of a flow's sender is done with a packet; no scenario has so many flows.
pub(crate) const FIRST_PROCESSOR: u32 = 1 << 22;
/// From here on: a user asks for a page.
const FIRST_USER: u32 = 1 << 23;

/// A scenario come to life: a network, endpoints, and the events that are due.
pub struct Simulation {
    pub(crate) network: Carrier,
    pub(crate) events: EventList,
    pub(crate) flows: Flows,
    /// Names and the like of all flows.
    pub(crate) infos: FlowInfos,
    /// Where flows that send files have them from.
    pub(crate) sources: Sources,
    /// Who fetches pages over some of the flows.
    pub(crate) users: Users,
    pub(crate) now: Time,
    pub(crate) end: Time,
    pub(crate) warm_up: Time,
    /// What the flows had counted when the warm-up ended.
    pub(crate) at_warm_up: Vec<Baseline>,
    pub(crate) recorder: Recorder,
    pub(crate) departures: Departures,
    /// Over what spans departures are counted, if they are.
    pub(crate) epoch: Option<Epoch>,
    pub(crate) event_count: u64,
}

impl Simulation {
    /// Makes the first events: every endpoint's start, the end of the warm-up if there is one, the first sample.
    pub(crate) fn prime(&mut self) {
        for flow in 0..self.flows.len() {
            let start = self.flows.get_mut(flow).first_wake();
            if start < Time::MAX {
                self.events.schedule(start, Class::Timer, 2 * flow as u32 + End::Sender as u32);
            }
        }
        for (user, start) in self.users.first_pages() {
            self.events.schedule(start, Class::Control, FIRST_USER + user);
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
    pub fn finish(mut self) -> Output {
        self.catch_up();
        let conservation = self.network.conservation();
        assert!(conservation.holds(), "packets vanished or multiplied: {conservation:?}");
        Output::new(self)
    }

    #[expect(clippy::inline_always, reason = "nearly every event is one of these")]
    #[inline(always)]
    fn on_link(&mut self, link: LinkId) {
        if self.recorder.captures(link) {
            self.capture(link);
        }
        let Some((packet, extension)) = self.network.deliver(link, &mut self.events) else {
            self.on_other_arrival(link);
            return;
        };
        let Packet { flow, incarnation, data, ecn, payload, .. } = packet;
        if self.flows.len() > flows::MANY
            && let Some(upcoming) = self.network.upcoming(link)
        {
            self.flows.prefetch(upcoming);
        }
        if ecn == Ecn::Congested {
            self.deliver_marked(flow, incarnation, data, payload, extension);
        } else {
            self.deliver(flow, incarnation, data, &payload, extension);
        }
    }

    #[inline(never)]
    fn on_other_arrival(&mut self, link: LinkId) {
        match self.network.arrive(link, self.now, &mut self.events) {
            Arrival::Admitted => self.note_refused(),
            Arrival::Dropped { link, reason, packet } => {
                self.recorder.drop_packet(self.now, link, reason, &packet);
            }
            Arrival::Delivered(..) | Arrival::Forwarded { .. } | Arrival::Dequeued => {}
        }
    }

    /// Brings everything in the network to the present, before somebody looks.
    fn catch_up(&mut self) {
        self.network.catch_up(self.now, &mut self.events);
        self.note_refused();
    }

    /// Records what queues refused without an event.
    fn note_refused(&mut self) {
        for Refused { time, link, reason, packet } in self.network.take_refused() {
            self.recorder.drop_packet(time, link, reason, &packet);
        }
    }

    #[cold]
    fn capture(&mut self, link: LinkId) {
        if let Some(packet) = self.network.head(link) {
            self.recorder.capture(self.now, link, packet);
        }
    }

    #[cold]
    fn deliver_marked(
        &mut self,
        flow: u32,
        incarnation: u8,
        data: bool,
        mut payload: Payload,
        extension: Option<Extension>,
    ) {
        payload.note_mark();
        self.deliver(flow, incarnation, data, &payload, extension);
    }

    #[expect(clippy::inline_always, reason = "nearly every event is a delivery")]
    #[inline(always)]
    fn deliver(
        &mut self,
        flow: u32,
        incarnation: u8,
        data: bool,
        payload: &Payload,
        extension: Option<Extension>,
    ) {
        let (flows, mut outlet) = self.outlet(flow, incarnation);
        flows.deliver(payload, extension.as_ref(), &mut outlet);
        let ended = outlet.ended;
        if data && !self.users.is_empty() {
            let received = self.flows.get(flow as usize).snapshot(self.now).packets;
            self.users.on_data(flow, received, self.now);
        }
        if ended {
            self.end_transfer(flow);
        }
    }

    fn on_timer(&mut self, target: u32) {
        let (flow, end) = (target / 2, if target % 2 == 1 { End::Receiver } else { End::Sender });
        let (flows, mut outlet) = self.outlet(flow, self.flows.incarnation(flow));
        flows.on_timer(flow, end, &mut outlet);
        if outlet.ended {
            self.end_transfer(flow);
        }
    }

    /// A file is transferred, or no connection came about: the source thinks, if it is of that kind.
    #[cold]
    fn end_transfer(&mut self, flow: u32) {
        self.catch_up();
        self.note_transfer(flow);
        if let Some(user) = self.users.of(flow) {
            self.end_object(user, flow);
            return;
        }
        let stop = self.infos.get(flow as usize).common.stop;
        if let Some(file) = self.sources.think(flow as usize, self.now)
            && file.start < stop
        {
            self.events.schedule(file.start, Class::Control, FIRST_SOURCE + flow);
        }
    }

    /// A source has thought enough. What the connection before still has to say is left unheard.
    fn begin_transfer(&mut self, flow: u32) {
        let index = flow as usize;
        let stop = self.infos.get(index).common.stop;
        let endpoints = self.flows.get(index);
        let (counted, life) = (endpoints.snapshot(self.now), endpoints.life());
        let Some((transfer, controller)) = self.sources.next(index, stop) else { return };
        if let Some(source) = self.sources.get_mut(index) {
            source.leave_behind(&counted, &life, self.now);
        }
        let (flows, mut outlet) = self.outlet(flow, 0);
        flows.reopen(controller, transfer, &mut outlet);
        let incarnation = outlet.incarnation;
        self.recorder.begin_connection(flow, incarnation);
    }

    /// A user's connection has fetched its object, or has failed: the next object follows, or the next page, in time.
    fn end_object(&mut self, user: u32, flow: u32) {
        let failed = self.flows.get(flow as usize).life().failed;
        if let Some(start) = self.users.on_end(flow, failed, self.now) {
            self.events.schedule(start, Class::Control, FIRST_USER + user);
        }
        self.fetch_all(user);
    }

    /// As many objects of a user's page as there are connections for.
    fn fetch_all(&mut self, user: u32) {
        while let Some(object) = self.users.next_object(user) {
            self.fetch(object);
        }
    }

    fn fetch(&mut self, object: Object) {
        let Object { flow, packets } = object;
        let index = flow as usize;
        let endpoints = self.flows.get(index);
        let life = endpoints.life();
        let is_persistent = self.users.is_persistent(flow);
        let goes_on = is_persistent && life.established_at.is_some() && !life.failed;
        let counted = endpoints.snapshot(self.now).counters;
        let before = Before {
            sent: counted.segments_sent,
            lost: self.recorder.losses(index).of_connection,
            retransmissions: counted.retransmissions,
            timeouts: counted.timeouts,
        };
        let before = if goes_on { before } else { Before::default() };
        self.users.begin(object, !goes_on);
        self.sources.give(index, File { start: self.now, packets }, before);
        if goes_on {
            let (flows, mut outlet) = self.outlet(flow, self.flows.incarnation(flow));
            flows.get_mut(index).write(packets, &mut outlet);
            return;
        }
        self.begin_transfer(flow);
        if is_persistent {
            self.flows.get_mut(index).keep_open();
        }
    }

    /// Records the files that the end of the run finds under way.
    pub(crate) fn note_unfinished(&mut self) {
        for flow in 0..self.flows.len() {
            if self.flows.get(flow).is_open() {
                self.note_transfer(flow as u32);
            }
        }
    }

    /// Records the file that a flow has been sending.
    pub(crate) fn note_transfer(&mut self, flow: u32) {
        let endpoints = self.flows.get(flow as usize);
        let (counted, life) = (endpoints.snapshot(self.now).counters, endpoints.life());
        let Some(source) = self.sources.get(flow as usize) else { return };
        let (file, before) = (source.file, source.before());
        self.recorder.transfers.note(Transferred {
            flow,
            start: file.start,
            established: life.established_at.map(|time| time.max(file.start)),
            finish: life.finished_at,
            failed: life.failed,
            packets: file.packets,
            bits: file.packets as f64 * 8.0 * f64::from(endpoints.payload()),
            sent: counted.segments_sent - before.sent,
            lost: self.recorder.losses(flow as usize).of_connection - before.lost,
            retransmissions: counted.retransmissions.saturating_sub(before.retransmissions),
            timeouts: counted.timeouts - before.timeouts,
        });
    }

    /// All flows, and what one of them sends by.
    #[inline]
    fn outlet(&mut self, flow: u32, incarnation: u8) -> (&mut Flows, Outlet<'_>) {
        let Simulation { flows, network, events, recorder, departures, now, .. } = self;
        (flows, Outlet { network, events, recorder, departures, now: *now, flow, incarnation, ended: false })
    }

    fn on_control(&mut self, target: u32) {
        self.catch_up();
        if target == END_OF_WARM_UP {
            self.network.measure_from(self.now);
            self.at_warm_up = self.baselines();
            let Simulation { sources, flows, now, .. } = self;
            sources.end_warm_up(*now, |flow| flows.get(flow).life());
        } else if target >= FIRST_USER {
            self.users.open(target - FIRST_USER);
            self.fetch_all(target - FIRST_USER);
        } else if target >= FIRST_PROCESSOR {
            self.depart(target - FIRST_PROCESSOR);
        } else if target >= FIRST_SOURCE {
            self.begin_transfer(target - FIRST_SOURCE);
        } else if let Some(interval) = self.recorder.interval() {
            self.sample();
            self.events.schedule(self.now + interval, Class::Control, SAMPLE);
        }
    }

    /// A flow's sender is done with a packet, which enters the network.
    fn depart(&mut self, flow: u32) {
        let Some(packet) = self.departures.release(self.now, flow) else { return };
        if let Fate::Dropped { link, reason } = self.network.send(self.now, &packet, &mut self.events) {
            self.recorder.drop_packet(self.now, link, reason, &packet);
        }
    }

    /// What averages from now on begin from, of all flows.
    fn baselines(&self) -> Vec<Baseline> {
        (0..self.flows.len()).map(|flow| self.snapshot(flow).into()).collect()
    }

    /// What a flow has counted by now, over all its connections.
    pub(crate) fn snapshot(&self, flow: usize) -> Snapshot {
        self.sources.total(flow, &self.flows.get(flow).snapshot(self.now))
    }

    fn sample(&mut self) {
        let Simulation { flows, sources, network, recorder, now, .. } = self;
        recorder.sample(*now, flows, sources, network);
    }
}
