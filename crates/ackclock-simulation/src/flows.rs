//! The flows of a run, of whatever transport, numbered as in the scenario.
//!
//! Flows of one transport lie together, each as large as its transport needs it to be; a table of small places says
//! which transport a flow is of and which of that transport's flows it is. Per packet that is one look into the table
//! and one branch. A further transport is a type with [`Endpoints`], a line in [`Kind`], a vector in [`Flows`], and a
//! case where those are matched.

mod acknak;
mod outlet;
mod tcp;
mod tfrc;
mod two_way;
mod udp;

use ackclock_congestion::CongestionControl;
use ackclock_network::{RouteCursor, Upcoming};
use ackclock_transport::{Counters, Extension, Payload, Transfer, Transport};
use ackclock_units::{Duration, Time};

pub(crate) use acknak::AckNakFlow;
pub(crate) use outlet::{Outlet, Wake};
pub(crate) use tcp::TcpFlow;
pub(crate) use tfrc::TfrcFlow;
pub(crate) use two_way::TwoWayFlow;
pub(crate) use udp::UdpFlow;

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sender = 0,
    Receiver = 1,
}

/// What a flow had counted at some moment; differences of two give averages between them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    pub bytes: u64,
    pub packets: u64,
    pub counters: Counters,
}

/// What averages from some moment on are differences from; of a [`Snapshot`] what they need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Baseline {
    pub bytes: u64,
    pub packets: u64,
    pub rtt_samples: u64,
    pub rtt_total: Duration,
    pub cwnd_seconds: f64,
}

impl From<Snapshot> for Baseline {
    fn from(snapshot: Snapshot) -> Baseline {
        let Snapshot { bytes, packets, counters } = snapshot;
        let Counters { rtt_samples, rtt_total, cwnd_seconds, .. } = counters;
        Baseline { bytes, packets, rtt_samples, rtt_total, cwnd_seconds }
    }
}

impl Snapshot {
    /// What was counted together with what a later connection counted.
    pub fn and(&self, later: &Snapshot) -> Snapshot {
        let (one, other) = (&self.counters, &later.counters);
        Snapshot {
            bytes: self.bytes + later.bytes,
            packets: self.packets + later.packets,
            counters: Counters {
                segments_sent: one.segments_sent + other.segments_sent,
                retransmissions: one.retransmissions + other.retransmissions,
                timeouts: one.timeouts + other.timeouts,
                timeouts_in_a_row: std::array::from_fn(|k| {
                    one.timeouts_in_a_row[k] + other.timeouts_in_a_row[k]
                }),
                fast_retransmits: one.fast_retransmits + other.fast_retransmits,
                spurious: one.spurious + other.spurious,
                syns: one.syns + other.syns,
                rtt_samples: one.rtt_samples + other.rtt_samples,
                rtt_total: one.rtt_total + other.rtt_total,
                rtt_max: one.rtt_max.max(other.rtt_max),
                cwnd_seconds: one.cwnd_seconds + other.cwnd_seconds,
            },
        }
    }
}

/// What a time series shows of a flow whose sender is answered. Times are zero where nothing was measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gauges {
    pub cwnd: f64,
    pub ssthresh: f64,
    pub latest_rtt: Duration,
    pub srtt: Duration,
    pub in_flight: f64,
}

/// What a flow's summary says of its life, where its sender is answered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Life {
    pub established_at: Option<Time>,
    pub finished_at: Option<Time>,
    pub min_rtt: Duration,
    /// Whether no connection came about.
    pub failed: bool,
}

/// What a socket opens.
pub(crate) struct Connection {
    pub controller: Box<dyn CongestionControl>,
    pub transfer: Transfer,
    /// Whether it stays open when all is sent, for [`Endpoints::write`]; only TCP's can.
    pub persistent: bool,
}

/// Both ends of a flow, as the loop drives them and tables show them.
pub(crate) trait Endpoints {
    /// Takes a packet that arrived at one of the ends, with its extension, and sends what that allows.
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, outlet: &mut Outlet<'_>);
    /// A timer's event fires at one of the ends.
    fn on_timer(&mut self, end: End, outlet: &mut Outlet<'_>);
    /// When the flow wants its first timer event at the sender's end; [`Time::MAX`] for never. Asked once.
    fn first_wake(&mut self) -> Time;
    /// What was counted by `now`.
    fn snapshot(&self, now: Time) -> Snapshot;
    /// The way of its data, and the way back.
    fn routes(&self) -> (RouteCursor, RouteCursor);
    /// Bytes on the wire of its largest data packet and of an acknowledgment; none where nothing comes back.
    fn sizes(&self) -> Option<(u32, u32)> {
        None
    }
    /// Payload bytes of a full packet.
    fn payload(&self) -> u32;
    /// Whether a connection was asked for and is not at its end.
    fn is_open(&self) -> bool;
    /// Opens a new connection in place of one that is over; [`Outlet::closed`] says when it is over in turn.
    fn open(&mut self, _connection: Connection, _outlet: &mut Outlet<'_>) {}
    /// Sends so many more packets from an end of a connection that has stayed open; only TCP can, and from the receiving
    /// end only where data goes both ways.
    fn write(&mut self, _end: End, _packets: u64, _outlet: &mut Outlet<'_>) {}
    /// Closes an end of a connection that has stayed open; only where data goes both ways.
    fn close(&mut self, _end: End, _outlet: &mut Outlet<'_>) {}
    /// The number of different packets of data that an end has received.
    fn delivered(&self, _end: End, now: Time) -> u64 {
        self.snapshot(now).packets
    }
    /// Sends one datagram; only UDP can.
    fn send(&mut self, _outlet: &mut Outlet<'_>) {}
    /// For time series.
    fn gauges(&self) -> Option<Gauges> {
        None
    }
    /// For the summary.
    fn life(&self) -> Life {
        Life::default()
    }
    /// Its congestion controller, if it has one.
    fn controller(&self) -> Option<&dyn CongestionControl> {
        None
    }
    /// Shows internal quantities by name, for time series.
    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Some(controller) = self.controller() {
            controller.observe(show);
        }
    }
}

/// The transport of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tcp,
    TwoWay,
    AckNak,
    Tfrc,
    Udp,
}

impl Kind {
    /// As tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Tcp | Kind::TwoWay => "tcp",
            Kind::AckNak => "acknak",
            Kind::Tfrc => "tfrc",
            Kind::Udp => "udp",
        }
    }
}

/// Which transport a flow is of, and which of its flows it is.
#[derive(Clone, Copy, Debug)]
struct Place {
    kind: Kind,
    /// Which of the flow's connections goes on, counted on and on: packets of another come too late.
    incarnation: u8,
    index: u32,
}

/// More flows than this are far from fitting the caches that are near; with fewer, asking costs more than it spares.
pub(crate) const MANY: usize = 3000;

/// All flows.
#[derive(Default)]
pub(crate) struct Flows {
    places: Vec<Place>,
    tcp: Vec<TcpFlow>,
    two_way: Vec<TwoWayFlow>,
    acknak: Vec<AckNakFlow>,
    tfrc: Vec<TfrcFlow>,
    udp: Vec<UdpFlow>,
}

impl Place {
    fn new(kind: Kind, index: usize) -> Place {
        Place { kind, incarnation: 0, index: index as u32 }
    }
}

impl Flows {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn kind(&self, flow: usize) -> Kind {
        self.places[flow].kind
    }

    /// None yet, with room for so many places.
    pub fn for_flows(flows: usize) -> Flows {
        Flows { places: Vec::with_capacity(flows), ..Flows::default() }
    }

    /// Makes room for so many more flows of a transport: a list that grows while other things are made leaves holes.
    pub fn reserve(&mut self, transport: Transport, flows: usize) {
        match transport {
            Transport::Tcp(_) => self.tcp.reserve_exact(flows),
            Transport::AckNak => self.acknak.reserve_exact(flows),
            Transport::Tfrc => self.tfrc.reserve_exact(flows),
        }
    }

    pub fn add_tcp(&mut self, flow: TcpFlow) {
        self.places.push(Place::new(Kind::Tcp, self.tcp.len()));
        self.tcp.push(flow);
    }

    pub fn add_two_way(&mut self, flow: TwoWayFlow) {
        self.places.push(Place::new(Kind::TwoWay, self.two_way.len()));
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

    /// Which of a flow's connections goes on.
    pub fn incarnation(&self, flow: u32) -> u8 {
        self.places[flow as usize].incarnation
    }

    /// Opens a flow's next connection.
    pub fn open(&mut self, connection: Connection, outlet: &mut Outlet<'_>) {
        let place = &mut self.places[outlet.flow as usize];
        place.incarnation = place.incarnation.wrapping_add(1);
        outlet.incarnation = place.incarnation;
        self.get_mut(outlet.flow as usize).open(connection, outlet);
    }

    /// Asks for the memory that the packets to arrive next will need, where there are so many flows that it is far.
    #[inline]
    pub fn prefetch(&self, [next, later]: [Upcoming; 2]) {
        let Place { kind, index, .. } = self.places[later.flow as usize];
        if kind == Kind::Tcp {
            self.tcp[index as usize].prefetch(later.data);
        }
        let Place { kind, index, .. } = self.places[next.flow as usize];
        if kind == Kind::Tcp {
            self.tcp[index as usize].prefetch_beyond(next.data);
        }
    }

    /// Takes what arrived at an end of the outlet's flow; what is of a connection that is over meets nobody.
    #[expect(clippy::inline_always, reason = "nearly every event is a delivery")]
    #[inline(always)]
    pub fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, outlet: &mut Outlet<'_>) {
        let Place { kind, incarnation, index } = self.places[outlet.flow as usize];
        if incarnation != outlet.incarnation {
            return;
        }
        match kind {
            Kind::Tcp => self.tcp[index as usize].deliver(payload, extension, outlet),
            Kind::TwoWay => self.two_way[index as usize].deliver(payload, extension, outlet),
            Kind::AckNak => self.acknak[index as usize].deliver(payload, extension, outlet),
            Kind::Tfrc => self.tfrc[index as usize].deliver(payload, extension, outlet),
            Kind::Udp => self.udp[index as usize].deliver(payload, extension, outlet),
        }
    }

    #[inline]
    pub fn on_timer(&mut self, flow: u32, end: End, outlet: &mut Outlet<'_>) {
        let Place { kind, index, .. } = self.places[flow as usize];
        match kind {
            Kind::Tcp => self.tcp[index as usize].on_timer(end, outlet),
            Kind::TwoWay => self.two_way[index as usize].on_timer(end, outlet),
            Kind::AckNak => self.acknak[index as usize].on_timer(end, outlet),
            Kind::Tfrc => self.tfrc[index as usize].on_timer(end, outlet),
            Kind::Udp => self.udp[index as usize].on_timer(end, outlet),
        }
    }

    /// A flow, to be asked what is not asked per packet.
    pub fn get(&self, flow: usize) -> &dyn Endpoints {
        let Place { kind, index, .. } = self.places[flow];
        match kind {
            Kind::Tcp => &self.tcp[index as usize],
            Kind::TwoWay => &self.two_way[index as usize],
            Kind::AckNak => &self.acknak[index as usize],
            Kind::Tfrc => &self.tfrc[index as usize],
            Kind::Udp => &self.udp[index as usize],
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
        }
    }

    /// All flows in the scenario's order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Endpoints> {
        (0..self.len()).map(|flow| self.get(flow))
    }
}
