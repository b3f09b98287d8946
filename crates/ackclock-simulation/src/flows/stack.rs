//! Flows of other stacks in the simulated network: their datagrams are the stack's own, byte for byte.

use ackclock_memory::ByKey;
use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::{Counters, Extension, Flags, Incidents, Payload, Transfer, Way};
use ackclock_units::{Duration, Time};

use super::context::{FlowContext, LazyTimer};
use super::endpoints::Endpoints;
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};
use crate::flows::stack_connection::StackConnection;

/// Bytes of the headers of IPv4 and UDP.
pub(crate) const UDP_HEADERS: u32 = 28;

/// The datagrams of a flow that are in the network, by their numbers.
#[derive(Default)]
struct Datagrams {
    /// The number of the next.
    next: u64,
    bodies: ByKey<u64, Vec<u8>>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
}

impl Datagrams {
    /// An empty buffer.
    fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    fn add(&mut self, body: Vec<u8>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.bodies.insert(number, body);
        number
    }

    fn take(&mut self, number: u64) -> Option<Vec<u8>> {
        self.bodies.remove(number)
    }

    fn recycle(&mut self, mut body: Vec<u8>) {
        body.clear();
        self.spare.push(body);
    }
}

/// A flow over another stack: a connection, and the routes of its datagrams.
pub(crate) struct StackFlow {
    connection: Box<dyn StackConnection>,
    timers: [LazyTimer; 2],
    routes: [RouteCursor; 2],
    datagrams: Datagrams,
    /// Datagrams that have arrived at the receiving end, and their bytes on the wire.
    arrived: u64,
    arrived_wire: u64,
    transfer: Transfer,
    /// The payload bytes of a segment, in which applications count.
    payload: u32,
    /// Bytes on the wire of a full datagram.
    wire: u32,
    ecn: bool,
    stage: Stage,
    /// True if a transfer with an end has reached it.
    has_closed: bool,
}

/// The application, as seen by the flow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Stage {
    Waiting,
    Writing,
    /// It writes no more, because of the scenario's `stop`.
    Stopped,
}

/// The sizes of a flow's packets.
#[derive(Clone, Copy)]
pub(crate) struct StackSizes {
    /// The payload bytes of a segment, in which applications count.
    pub payload: u32,
    /// Bytes on the wire of a full datagram.
    pub wire: u32,
}

impl StackFlow {
    /// A flow over a connection that is not open yet, on the ways there and back.
    pub fn new(
        connection: Box<dyn StackConnection>,
        transfer: Transfer,
        (forward, backward): (RouteCursor, RouteCursor),
        StackSizes { payload, wire }: StackSizes,
        ecn: bool,
    ) -> StackFlow {
        StackFlow {
            connection,
            timers: [LazyTimer::NONE; 2],
            routes: [forward, backward],
            datagrams: Datagrams::default(),
            arrived: 0,
            arrived_wire: 0,
            transfer,
            payload,
            wire,
            ecn,
            stage: Stage::Waiting,
            has_closed: false,
        }
    }

    /// Sends everything that an end has to send now, and sets its timer.
    fn transmit(&mut self, end: End, context: &mut FlowContext<'_>) {
        for number in context.engine.recorder.take_lost_datagrams(context.flow) {
            if let Some(body) = self.datagrams.take(number) {
                self.datagrams.recycle(body);
            }
        }
        let (way, route) = match end {
            End::Sender => (Way::ToReceiver, self.routes[0]),
            End::Receiver => (Way::ToSender, self.routes[1]),
        };
        let (flags, ecn) =
            if self.ecn { (Flags::ECT, Ecn::Capable0) } else { (Flags::default(), Ecn::NotCapable) };
        loop {
            let mut body = self.datagrams.buffer();
            if !self.connection.poll_transmit(context.now(), end, &mut body) {
                self.datagrams.recycle(body);
                break;
            }
            let size = body.len() as u32 + UDP_HEADERS;
            let number = self.datagrams.add(body);
            context.send(route, size, end == End::Sender, ecn, Payload::Datagram { number, way, flags });
        }
        let deadline = self.deadline(end);
        context.wake(end, &mut self.timers[end as usize], deadline);
        if !self.has_closed && self.transfer.packets.is_some() {
            self.has_closed = self.connection.counts(context.now()).finished_at.is_some();
            context.closed |= self.has_closed;
        }
    }

    /// The next time at which an end is to be called.
    fn deadline(&self, end: End) -> Time {
        let wake = self.connection.next_wake(end);
        match (end, self.stage) {
            (End::Sender, Stage::Waiting) => self.transfer.start,
            (End::Sender, Stage::Writing) => wake.min(self.transfer.stop),
            (End::Sender, Stage::Stopped) | (End::Receiver, _) => wake,
        }
    }
}

impl Endpoints for StackFlow {
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::Datagram { number, way, flags } = *payload else {
            debug_assert!(false, "a flow of another stack got {payload:?}");
            return;
        };
        let end = if way.is_to_sender() { End::Sender } else { End::Receiver };
        let Some(body) = self.datagrams.take(number) else { return };
        if end == End::Receiver {
            self.arrived += 1;
            self.arrived_wire += body.len() as u64 + u64::from(UDP_HEADERS);
        }
        self.connection.on_datagram(context.now(), end, &body, flags.has(Flags::CE));
        self.datagrams.recycle(body);
        self.transmit(end, context);
    }

    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>) {
        let now = context.now();
        if !self.timers[end as usize].fires(now) {
            return;
        }
        if end == End::Sender && self.stage == Stage::Waiting && now >= self.transfer.start {
            self.stage = Stage::Writing;
            self.connection.open(now);
        }
        if end == End::Sender && self.stage == Stage::Writing && now >= self.transfer.stop {
            self.stage = Stage::Stopped;
            self.connection.stop(now);
        }
        if self.connection.next_wake(end) <= now {
            self.connection.on_timer(now, end);
        }
        self.transmit(end, context);
    }

    fn first_wake(&mut self) -> Time {
        let start = if self.transfer.start < self.transfer.stop { self.transfer.start } else { Time::MAX };
        self.timers[End::Sender as usize].needs(start);
        start
    }

    /// Packets are datagrams that the sending end has sent, whatever they carry.
    fn snapshot(&self, now: Time) -> Snapshot {
        let counts = self.connection.counts(now);
        let mut timeouts_in_a_row = Counters::default().timeouts_in_a_row;
        timeouts_in_a_row[0] = counts.timeouts;
        Snapshot {
            bytes: counts.bytes,
            packets: self.arrived,
            arrived: counts.arrived,
            wire: self.arrived_wire,
            counters: Counters {
                retransmissions: counts.lost,
                timeouts: counts.timeouts,
                timeouts_in_a_row,
                fast_retransmits: counts.losses,
                spurious: counts.spurious,
                syns: u32::from(self.stage > Stage::Waiting),
                segments_sent: counts.sent,
                rtt_samples: counts.rtt_samples,
                rtt_total: counts.rtt_total,
                rtt_max: counts.rtt_max,
                cwnd_seconds: counts.cwnd_seconds,
            },
            incidents: Incidents::default(),
            busy: None,
        }
    }

    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.routes[0], self.routes[1])
    }

    /// An acknowledgment of one range, as nearly all are.
    fn sizes(&self) -> Option<(u32, u32)> {
        Some((self.wire, UDP_HEADERS + SHORT_ACKNOWLEDGMENT))
    }

    fn payload(&self) -> u32 {
        self.payload
    }

    fn is_open(&self) -> bool {
        let counts = self.connection.counts(Time::ZERO);
        self.stage > Stage::Waiting && counts.finished_at.is_none() && !counts.failed
    }

    fn gauges(&self) -> Option<Gauges> {
        let gauges = self.connection.gauges();
        Some(Gauges {
            cwnd: gauges.cwnd,
            ssthresh: gauges.ssthresh,
            latest_rtt: gauges.latest_rtt,
            srtt: gauges.srtt,
            rttvar: Duration::ZERO,
            in_flight: gauges.in_flight,
        })
    }

    fn life(&self) -> ConnectionTimes {
        let counts = self.connection.counts(Time::ZERO);
        ConnectionTimes {
            established_at: counts.established_at,
            closed_at: counts.finished_at,
            finished_at: counts.finished_at.filter(|_| self.stage != Stage::Stopped),
            min_rtt: counts.rtt_min,
            failed: counts.failed && counts.established_at.is_none(),
        }
    }

    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        self.connection.observe(show);
    }
}

/// UDP payload bytes of a datagram with one acknowledgment: short header, connection ID of 8 bytes, frame and tag.
const SHORT_ACKNOWLEDGMENT: u32 = 35;
