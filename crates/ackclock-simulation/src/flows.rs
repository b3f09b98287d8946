//! The flows of a run, of any transport, numbered as in the scenario.
//!
//! Flows of one transport are stored together, each as large as its transport needs. A table of small entries maps a
//! flow to its transport and its index there; each packet costs one access to that table and one branch. A further
//! transport is a type with [`Endpoints`], a line in [`Kind`], a vector in [`Flows`], and a case where those are
//! matched.

mod acknak;
pub(crate) mod context;
pub(crate) mod endpoints;
mod media;
pub(crate) mod sharing;
pub(crate) mod sockets;
mod stack;
pub mod stack_connection;
mod tcp;
mod tfrc;
mod two_way;
mod udp;

use ackclock_memory::{memory_of, prefetch};
use ackclock_network::Upcoming;
use ackclock_transport::{Extension, Payload, Transport};
use ackclock_units::Time;

use crate::facts::flow_infos::Kind;
use crate::facts::{End, Network};
use crate::recording::calls::FinishedCall;
use context::FlowContext;
use endpoints::{Connection, Endpoints};

pub(crate) use acknak::AckNakFlow;
pub(crate) use media::{CallParts, MediaFlow};
pub(crate) use stack::{StackFlow, StackSizes};
pub(crate) use tcp::TcpFlow;
pub(crate) use tfrc::TfrcFlow;
pub(crate) use two_way::TwoWayFlow;
pub(crate) use udp::{MessageSplit, UdpFlow};

/// The transport of a flow, and its index among that transport's flows.
#[derive(Clone, Copy, Debug)]
struct Place {
    kind: Kind,
    /// The number of the flow's present connection, which wraps around. Packets of another connection are late.
    incarnation: u8,
    index: u32,
}

/// Prefetch only above this many flows: below it their state fits into the nearby caches.
const MANY: usize = 3000;

/// The threshold for senders that take samples or are paced, which touch three times as much memory, and for connections with data both
/// ways.
const MANY_PACED: usize = 900;

/// The threshold for calls, which touch more.
const MANY_CALLS: usize = 300;

/// All flows.
#[derive(Default)]
pub(crate) struct Flows {
    places: Vec<Place>,
    tcp: Vec<TcpFlow>,
    /// The indices of TCP flows that are over and folded, to be used for flows that arrive.
    free_tcp: Vec<u32>,
    two_way: Vec<TwoWayFlow>,
    acknak: Vec<AckNakFlow>,
    tfrc: Vec<TfrcFlow>,
    udp: Vec<UdpFlow>,
    stack: Vec<StackFlow>,
    media: Vec<MediaFlow>,
    /// With more flows than this, prefetching pays.
    many: usize,
    /// With more flows than this, prefetching by timers pays.
    many_by_timer: usize,
}

impl Place {
    /// The index of an absent flow: it has not arrived, or it is over and folded into its row.
    const NOWHERE: u32 = u32::MAX;

    fn new(kind: Kind, index: usize) -> Place {
        Place { kind, incarnation: 0, index: index as u32 }
    }
}

impl Flows {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True if there are enough flows for prefetching to pay.
    #[inline]
    pub fn are_many(&self) -> bool {
        self.len() > self.many
    }

    /// True if there are enough flows for prefetching by their timers to pay.
    #[inline]
    pub fn are_many_by_timer(&self) -> bool {
        self.len() > self.many_by_timer
    }

    /// True if any flow is a call.
    #[inline]
    pub fn have_calls(&self) -> bool {
        !self.media.is_empty()
    }

    pub fn kind(&self, flow: usize) -> Kind {
        self.places[flow].kind
    }

    /// The kind of each flow as an index into [`Kind::NAMES`].
    pub fn into_kinds(self) -> Vec<u32> {
        self.places.into_iter().map(|place| place.kind as u32).collect()
    }

    /// No flows yet, with room for this many places.
    pub fn for_flows(flows: usize) -> Flows {
        Flows { places: Vec::with_capacity(flows), many: MANY, many_by_timer: MANY, ..Flows::default() }
    }

    /// Makes room for this many more flows of a transport. A list that grew among other allocations would leave
    /// holes in memory.
    pub fn reserve(&mut self, transport: Transport, flows: usize) {
        match transport {
            Transport::Tcp(_) => self.tcp.reserve_exact(flows),
            Transport::AckNak => self.acknak.reserve_exact(flows),
            Transport::Tfrc => self.tfrc.reserve_exact(flows),
        }
    }

    pub fn add_tcp(&mut self, flow: TcpFlow) {
        self.places.push(Place::new(Kind::Tcp, self.tcp.len()));
        if flow.sender.may_pace() {
            self.many = self.many.min(MANY_PACED);
        }
        self.tcp.push(flow);
    }

    /// Adds a TCP flow that arrives later.
    pub fn add_waiting_tcp(&mut self) {
        self.places.push(Place::new(Kind::Tcp, Place::NOWHERE as usize));
    }

    /// Stores a TCP flow that has arrived, in the place of a flow that is over if there is one.
    pub fn begin(&mut self, flow: u32, endpoints: TcpFlow) {
        let index = if let Some(index) = self.free_tcp.pop() {
            self.tcp[index as usize] = endpoints;
            index
        } else {
            self.tcp.push(endpoints);
            self.tcp.len() as u32 - 1
        };
        self.places[flow as usize].index = index;
    }

    /// True if a TCP flow, of which the network has dropped this many packets, is over for good: no packet of it is in the
    /// network, and no timer runs.
    pub fn is_quiet(&self, flow: u32, dropped: u64) -> bool {
        self.tcp.get(self.places[flow as usize].index as usize).is_some_and(|flow| flow.is_quiet(dropped))
    }

    /// Removes a TCP flow that is over. The next flow gets its place; its packets would be ignored.
    pub fn fold(&mut self, flow: u32) {
        let place = &mut self.places[flow as usize];
        place.incarnation = place.incarnation.wrapping_add(1);
        self.free_tcp.push(std::mem::replace(&mut place.index, Place::NOWHERE));
    }

    pub fn add_two_way(&mut self, flow: TwoWayFlow) {
        self.places.push(Place::new(Kind::TwoWay, self.two_way.len()));
        self.many = self.many.min(MANY_PACED);
        self.two_way.push(flow);
    }

    pub fn add_acknak(&mut self, flow: AckNakFlow) {
        self.places.push(Place::new(Kind::AckNak, self.acknak.len()));
        self.acknak.push(flow);
    }

    pub fn add_tfrc(&mut self, flow: TfrcFlow) {
        self.places.push(Place::new(Kind::Tfrc, self.tfrc.len()));
        self.tfrc.push(flow);
    }

    pub fn add_udp(&mut self, flow: UdpFlow) {
        self.places.push(Place::new(Kind::Udp, self.udp.len()));
        self.udp.push(flow);
    }

    pub fn add_media(&mut self, flow: MediaFlow) {
        self.places.push(Place::new(Kind::Media, self.media.len()));
        (self.many, self.many_by_timer) = (MANY_CALLS, MANY_CALLS);
        self.media.push(flow);
    }

    /// The records of the flows that are calls, and what their viewers saw from `from` on. A call lasts until its stop.
    pub fn calls(
        &self,
        from: Time,
        now: Time,
        stop: impl Fn(u32) -> Time,
    ) -> impl Iterator<Item = FinishedCall<'_>> {
        let finish = move |stop: Time| (stop <= now).then_some(stop);
        (0_u32..).zip(&self.places).filter_map(move |(flow, place)| match place.kind {
            Kind::Udp => {
                let record = self.udp[place.index as usize].call()?;
                Some(FinishedCall { flow, record, finish: finish(stop(flow)), seen: None })
            }
            Kind::Media => {
                let call = &self.media[place.index as usize];
                let stop = stop(flow);
                let seen = Some(call.seen(from, stop.min(now)));
                Some(FinishedCall { flow, record: call.record(), finish: finish(stop), seen })
            }
            _ => None,
        })
    }

    pub fn add_stack(&mut self, flow: StackFlow) {
        self.places.push(Place::new(Kind::Stack, self.stack.len()));
        self.stack.push(flow);
    }

    /// The number of a flow's present connection.
    pub fn incarnation(&self, flow: u32) -> u8 {
        self.places[flow as usize].incarnation
    }

    /// Opens a flow's next connection.
    pub fn open(&mut self, connection: Connection, context: &mut FlowContext<'_>) {
        let place = &mut self.places[context.flow as usize];
        place.incarnation = place.incarnation.wrapping_add(1);
        context.incarnation = place.incarnation;
        self.get_mut(context.flow as usize).open(connection, context);
    }

    /// Prefetches the memory that a packet will need that arrives soon.
    #[inline]
    pub fn prefetch(&self, packet: Upcoming) {
        let Place { kind, index, .. } = self.places[packet.flow as usize];
        let index = index as usize;
        match kind {
            Kind::Tcp => {
                if let Some(flow) = self.tcp.get(index) {
                    flow.prefetch(packet.data);
                }
            }
            Kind::TwoWay => {
                let flow = &self.two_way[index];
                flow.prefetch(flow.end_of(packet.route));
            }
            Kind::Udp => prefetch(memory_of(&self.udp[index])),
            Kind::Media => self.media[index].prefetch(),
            _ => {}
        }
    }

    /// Prefetches the further memory that a packet will need, when the first part has had time to arrive, and the link that its
    /// acknowledgment, or the data that it releases, will enter.
    #[inline]
    pub fn prefetch_beyond(&self, packet: Upcoming, network: &Network) {
        let Place { kind, index, .. } = self.places[packet.flow as usize];
        let index = index as usize;
        let answer = match kind {
            Kind::Tcp => self.tcp.get(index).map(|flow| {
                flow.prefetch_beyond(packet);
                if packet.data { flow.backward } else { flow.forward }
            }),
            Kind::TwoWay => {
                let flow = &self.two_way[index];
                Some(flow.prefetch_beyond(flow.end_of(packet.route)))
            }
            Kind::Media => {
                self.media[index].prefetch_beyond(packet.data);
                None
            }
            _ => None,
        };
        if let Some(route) = answer {
            network.prefetch_entry(route, packet.flow);
        }
    }

    /// Prefetches the memory that the expiry of a timer will need.
    pub fn prefetch_for_timer(&self, flow: u32, end: End) {
        let Place { kind, index, .. } = self.places[flow as usize];
        let index = index as usize;
        match kind {
            Kind::Tcp if end == End::Sender => {
                if let Some(flow) = self.tcp.get(index) {
                    flow.prefetch_for_timer();
                }
            }
            Kind::Udp => prefetch(memory_of(&self.udp[index])),
            Kind::Media => self.media[index].prefetch(),
            _ => {}
        }
    }

    /// Prefetches the further memory that it will need, when the first part has had time to arrive, and the link that packets enter.
    pub fn prefetch_beyond_timer(&self, flow: u32, end: End, network: &Network) {
        let Place { kind, index, .. } = self.places[flow as usize];
        let index = index as usize;
        let entry = match kind {
            Kind::Tcp if end == End::Sender => {
                if let Some(flow) = self.tcp.get(index) {
                    flow.prefetch_sender(true);
                }
                None
            }
            Kind::Media => Some(self.media[index].prefetch_beyond_timer(end)),
            _ => None,
        };
        if let Some(route) = entry {
            network.prefetch_entry(route, flow);
        }
    }

    /// Delivers a packet to an end of the context's flow. Packets of earlier connections are ignored.
    #[expect(clippy::inline_always, reason = "nearly every event is a delivery")]
    #[inline(always)]
    pub fn deliver(
        &mut self,
        payload: &Payload,
        extension: Option<&Extension>,
        context: &mut FlowContext<'_>,
    ) {
        let Place { kind, incarnation, index } = self.places[context.flow as usize];
        if incarnation != context.incarnation {
            return;
        }
        // TCP comes first, with a branch of its own, since nearly all packets are of TCP.
        if kind == Kind::Tcp {
            return self.tcp[index as usize].deliver(payload, extension, context);
        }
        match kind {
            Kind::Tcp => unreachable!("delivered above"),
            Kind::TwoWay => self.two_way[index as usize].deliver(payload, extension, context),
            Kind::AckNak => self.acknak[index as usize].deliver(payload, extension, context),
            Kind::Tfrc => self.tfrc[index as usize].deliver(payload, extension, context),
            Kind::Udp => self.udp[index as usize].deliver(payload, extension, context),
            Kind::Stack => self.stack[index as usize].deliver(payload, extension, context),
            Kind::Media => self.media[index as usize].deliver(payload, extension, context),
        }
    }

    #[inline]
    pub fn on_timer(&mut self, flow: u32, end: End, context: &mut FlowContext<'_>) {
        let Place { kind, index, .. } = self.places[flow as usize];
        match kind {
            Kind::Tcp => self.tcp[index as usize].on_timer(end, context),
            Kind::TwoWay => self.two_way[index as usize].on_timer(end, context),
            Kind::AckNak => self.acknak[index as usize].on_timer(end, context),
            Kind::Tfrc => self.tfrc[index as usize].on_timer(end, context),
            Kind::Udp => self.udp[index as usize].on_timer(end, context),
            Kind::Stack => self.stack[index as usize].on_timer(end, context),
            Kind::Media => self.media[index as usize].on_timer(end, context),
        }
    }

    /// True if a flow is present: it has arrived and is not over.
    pub fn is_there(&self, flow: u32) -> bool {
        self.places[flow as usize].index != Place::NOWHERE
    }

    /// True if a flow has not arrived.
    pub fn is_to_come(&self, flow: u32) -> bool {
        !self.is_there(flow) && self.incarnation(flow) == 0
    }

    /// A flow, for questions that are not asked for every packet; none before it arrives, and after it is over and
    /// folded.
    pub fn find(&self, flow: usize) -> Option<&dyn Endpoints> {
        self.is_there(flow as u32).then(|| self.get(flow))
    }

    /// A flow that is there.
    pub fn get(&self, flow: usize) -> &dyn Endpoints {
        let Place { kind, index, .. } = self.places[flow];
        match kind {
            Kind::Tcp => &self.tcp[index as usize],
            Kind::TwoWay => &self.two_way[index as usize],
            Kind::AckNak => &self.acknak[index as usize],
            Kind::Tfrc => &self.tfrc[index as usize],
            Kind::Udp => &self.udp[index as usize],
            Kind::Stack => &self.stack[index as usize],
            Kind::Media => &self.media[index as usize],
        }
    }

    pub fn get_mut(&mut self, flow: usize) -> &mut dyn Endpoints {
        let Place { kind, index, .. } = self.places[flow];
        match kind {
            Kind::Tcp => &mut self.tcp[index as usize],
            Kind::TwoWay => &mut self.two_way[index as usize],
            Kind::AckNak => &mut self.acknak[index as usize],
            Kind::Tfrc => &mut self.tfrc[index as usize],
            Kind::Udp => &mut self.udp[index as usize],
            Kind::Stack => &mut self.stack[index as usize],
            Kind::Media => &mut self.media[index as usize],
        }
    }

    /// All flows that are present with their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &dyn Endpoints)> {
        (0..self.len()).filter_map(|flow| Some((flow, self.find(flow)?)))
    }
}
