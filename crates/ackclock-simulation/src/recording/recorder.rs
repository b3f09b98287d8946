//! The recorder of a run: time series, drops, captured packets.

mod sample;

use ackclock_memory::ByKey;
use ackclock_network::{DropReason, LinkId};
use ackclock_scenario::Settings;
use ackclock_scenario::ordered;
use ackclock_transport::acknak::{Kind, Message};
use ackclock_transport::tcp::TcpInfo;
use ackclock_transport::{Extension, Header, Payload, Way};
use ackclock_units::{Duration, Time};

use crate::facts::Packet;
use crate::facts::counts::Snapshot;
use crate::recording::captured::CapturedArrival;
use crate::recording::flow_events::FlowEvents;
use crate::recording::network_series::NetworkSeries;
use crate::recording::one_way_delays::OneWayDelays;
use crate::recording::qlogs::Qlogs;
use crate::recording::transfers::Transfers;
use crate::tables::table::{Column, Table};
use crate::tables::texts::TextsBuilder;

/// Records what the scenario requests.
#[derive(Default)]
pub(crate) struct Recorder {
    interval: Option<Duration>,
    /// True if each flow and each link direction has its own series.
    each_flow: bool,
    each_link: bool,
    network: NetworkSeries,
    flows: FlowSeries,
    links: LinkSeries,
    drops: Drops,
    gauges: GaugeSeries,
    events: FlowEvents,
    /// The tables that were not asked for.
    pub unrecorded: Vec<&'static str>,
    /// By link: true if its packets are captured.
    captured: Vec<bool>,
    /// By link: true if its packets are captured, or arrive at a sender that is logged.
    watched: Vec<bool>,
    captures: Vec<CapturedArrival>,
    /// By flow, where packets are captured: the number of the present connection among the flow's.
    connections: Vec<u32>,
    /// The records of transfers.
    pub transfers: Transfers,
    /// The qlogs of connections.
    pub qlogs: Qlogs,
    /// The one-way delays of packets.
    pub delays: OneWayDelays,
    losses: LossColumns,
    /// By flow, the numbers of datagrams of other stacks that the network has dropped and the flow has not taken yet.
    lost_datagrams: ByKey<u32, Vec<u64>>,
}

/// Packets that the network dropped, by flow. Columns of zeros take no memory.
#[derive(Default)]
struct LossColumns {
    /// With data.
    data: Vec<u64>,
    /// Dropped packets without data, in either direction: acknowledgments, SYNs and the like.
    control: Vec<u64>,
    /// Acknowledgments that later ones replaced in a queue. They are no losses. Only flows that have any are listed.
    thinned: ByKey<u32, u64>,
    /// With data, of the present transfer.
    of_transfer: Vec<u32>,
    /// The present connection: the last bits of its number, as its packets carry them.
    incarnation: Vec<u8>,
    /// The first sequence number of the present transfer, of connections that have had others before.
    first: ByKey<u32, u64>,
}

#[derive(Default)]
struct FlowSeries {
    time: Vec<f64>,
    flow: Vec<u32>,
    cwnd: Vec<f64>,
    ssthresh: Vec<f64>,
    rtt: Vec<f64>,
    srtt: Vec<f64>,
    in_flight: Vec<f64>,
    goodput: Vec<f64>,
    retransmissions: Vec<u64>,
    /// By flow: the bytes that had arrived at the last sample.
    arrived: Vec<u64>,
    /// By flow: true if the last sample told of its end.
    ended: Vec<bool>,
}

#[derive(Default)]
struct LinkSeries {
    time: Vec<f64>,
    link: Vec<u32>,
    packets: Vec<u64>,
    bytes: Vec<u64>,
    drops: Vec<u64>,
    /// In bit/s.
    capacity: Vec<f64>,
    /// By link: the drops since the last sample.
    dropped: Vec<u64>,
}

#[derive(Default)]
struct Drops {
    time: Vec<f64>,
    link: Vec<u32>,
    flow: Vec<u32>,
    sequence: Vec<u64>,
    reason: Vec<&'static str>,
}

#[derive(Default)]
struct GaugeSeries {
    time: Vec<f64>,
    flow: Vec<u32>,
    name: TextsBuilder,
    value: Vec<f64>,
}

impl Recorder {
    /// A recorder of what the scenario requests, for `flows` flows and `links` link directions, with captures at
    /// `points`.
    pub fn new(settings: &Settings, flows: usize, links: usize, points: &[LinkId]) -> Recorder {
        let trace = &settings.trace;
        let mut recorder = Recorder {
            interval: trace.interval,
            each_flow: trace.flows,
            each_link: trace.links,
            unrecorded: trace.unrecorded(trace.interval.is_some()),
            qlogs: Qlogs::new(trace.qlog),
            transfers: Transfers::new(
                trace.transfers,
                settings.one_file_senders() as usize,
                Time::ZERO + settings.warm_up,
            ),
            ..Recorder::default()
        };
        if trace.one_way_delays {
            recorder.delays = OneWayDelays::of_flows(flows, Time::ZERO + settings.warm_up);
        }
        if trace.interval.is_some() && trace.flows {
            (recorder.flows.arrived, recorder.flows.ended) = (vec![0; flows], vec![false; flows]);
            recorder.events = FlowEvents::of_flows(flows);
        }
        recorder.links.dropped = vec![0; links];
        recorder.losses = LossColumns::for_flows(flows);
        if !points.is_empty() {
            recorder.captured = vec![false; links];
            for point in points {
                recorder.captured[point.index()] = true;
            }
            recorder.connections = vec![0; flows];
        }
        recorder.watched.clone_from(&recorder.captured);
        recorder
    }

    /// Notes that the packets of a link direction arrive at a sender that is logged, or may have been through a tunnel.
    pub fn watch(&mut self, link: LinkId) {
        self.watched.resize(self.watched.len().max(link.index() + 1), false);
        self.watched[link.index()] = true;
    }

    /// True if packets that arrive over this link direction are captured or logged, or have been through a tunnel.
    pub fn watches(&self, link: LinkId) -> bool {
        // Pull queues and ingress buffers have events of their own, with targets above the numbers of all links.
        self.watched.get(link.index()).is_some_and(|watched| *watched)
    }

    pub fn interval(&self) -> Option<Duration> {
        self.interval
    }

    /// True if each flow is sampled.
    pub fn samples_flows(&self) -> bool {
        self.interval.is_some() && self.each_flow
    }

    /// True if the packets of some link direction are captured.
    pub fn captures_any(&self) -> bool {
        !self.captured.is_empty()
    }

    /// True if the packets of this link direction are captured.
    pub fn captures(&self, link: LinkId) -> bool {
        self.captured.get(link.index()).is_some_and(|captured| *captured)
    }

    pub fn capture(&mut self, time: Time, link: LinkId, (packet, extension): (Packet, Option<Extension>)) {
        let flow = packet.flow as usize;
        let age = self.losses.incarnation[flow].wrapping_sub(packet.incarnation);
        let connection = self.connections[flow].saturating_sub(age.into());
        self.captures.push(CapturedArrival { time, link, packet, connection, extension });
    }

    /// Brings the captured packets into the order of their arrival, and leaves out those that have not arrived by `end`. Some were
    /// recorded ahead; of packets that arrive in the same nanosecond over one link, the first was recorded first, and links have the
    /// order in which their events come.
    pub fn order_captures(&mut self, end: Time) {
        self.captures.retain(|capture| capture.time <= end);
        self.captures.sort_by_key(|capture| (capture.time, capture.link));
    }

    /// The packets of a flow that the network has dropped or thinned out.
    pub fn dropped(&self, flow: usize) -> u64 {
        let thinned = self.losses.thinned.get(flow as u32).copied().unwrap_or_default();
        self.losses.data[flow] + self.losses.control[flow] + thinned
    }

    /// The packets with data of a flow's present transfer that the network has dropped.
    pub fn dropped_of_transfer(&self, flow: usize) -> u32 {
        self.losses.of_transfer[flow]
    }

    /// The packets with data, and those without, that the network has dropped, by flow.
    pub fn take_losses(&mut self) -> (Vec<u64>, Vec<u64>) {
        let LossColumns { data, control, .. } = std::mem::take(&mut self.losses);
        (data, control)
    }

    /// A flow begins its next connection, which follows another that was requested, or its first.
    pub fn begin_connection(&mut self, flow: u32, incarnation: u8, follows: bool) {
        self.losses.first.remove(flow);
        let flow = flow as usize;
        if follows {
            self.events.begin_connection(flow);
        }
        (self.losses.of_transfer[flow], self.losses.incarnation[flow]) = (0, incarnation);
        if let Some(connection) = self.connections.get_mut(flow) {
            *connection += 1;
        }
    }

    /// A flow begins a further transfer over its connection, with this sequence number.
    pub fn begin_transfer(&mut self, flow: u32, first: u64) {
        self.losses.of_transfer[flow as usize] = 0;
        *self.losses.first.entry(flow) = first;
    }

    /// Notes that a flow is over and no longer sampled.
    pub fn fold(&mut self, counts: &Snapshot) {
        self.network.fold(counts);
    }

    pub fn drop_packet(&mut self, now: Time, link: LinkId, reason: DropReason, packet: &Packet) {
        if reason == DropReason::Thinned {
            *self.losses.thinned.entry(packet.flow) += 1;
            return;
        }
        self.losses.note(packet);
        if let Payload::Datagram { number, .. } = packet.payload {
            self.lost_datagrams.entry(packet.flow).push(number);
        }
        if self.interval.is_some() {
            self.trace_drop(now, link, reason, packet);
        }
    }

    /// The datagrams of a flow that the network has dropped since the last call.
    pub fn take_lost_datagrams(&mut self, flow: u32) -> Vec<u64> {
        self.lost_datagrams.remove(flow).unwrap_or_default()
    }

    fn trace_drop(&mut self, now: Time, link: LinkId, reason: DropReason, packet: &Packet) {
        self.links.dropped[link.index()] += 1;
        if !self.each_flow {
            return;
        }
        self.drops.time.push(now.as_secs_f64());
        self.drops.link.push(link.index() as u32);
        self.drops.flow.push(packet.flow);
        self.drops.sequence.push(match packet.payload {
            Payload::Tcp(header) => header.sequence,
            Payload::AckNak(message) if message.kind == Kind::Data => {
                (message.number - 1) * u64::from(packet.size)
            }
            Payload::TfrcData { sequence, length, .. } => u64::from(sequence) * u64::from(length),
            Payload::AckNak(_)
            | Payload::TfrcFeedback { .. }
            | Payload::UdpAck { .. }
            | Payload::MediaFeedback { .. } => 0,
            Payload::Media { sequence, .. } => u64::from(sequence),
            Payload::Udp { offset, .. } => offset,
            Payload::Datagram { number, .. } => number,
        });
        self.drops.reason.push(reason.name());
    }

    /// The tables, and the captured packets.
    pub fn into_parts(mut self) -> (Vec<(&'static str, Table)>, Vec<CapturedArrival>) {
        let tables = vec![
            ("packets", packet_table(&self.captures, self.connections.is_empty())),
            ("flow_series", self.flows.into_table()),
            ("link_series", self.links.into_table()),
            ("network_series", self.network.into_table()),
            ("drops", self.drops.into_table()),
            ("gauges", self.gauges.into_table()),
            ("flow_events", self.events.into_table()),
            ("transfers", self.transfers.take_table()),
            ("transfer_classes", self.transfers.class_table()),
        ];
        (tables, self.captures)
    }
}

impl LossColumns {
    fn for_flows(flows: usize) -> LossColumns {
        LossColumns {
            data: vec![0; flows],
            control: vec![0; flows],
            thinned: ByKey::new(),
            of_transfer: vec![0; flows],
            incarnation: vec![0; flows],
            first: ByKey::new(),
        }
    }

    fn note(&mut self, packet: &Packet) {
        let flow = packet.flow as usize;
        if !packet.data {
            self.control[flow] += 1;
            return;
        }
        self.data[flow] += 1;
        let first = self.first.get(packet.flow).copied().unwrap_or_default();
        let is_earlier = matches!(packet.payload, Payload::Tcp(header) if header.sequence < first);
        let is_present = packet.incarnation == self.incarnation[flow] && !is_earlier;
        self.of_transfer[flow] += u32::from(is_present);
    }
}

impl FlowSeries {
    fn into_table(self) -> Table {
        Table::default()
            .with("time_s", Column::Real(self.time))
            .with("flow", Column::Index(self.flow))
            .with(TcpInfo::column("snd_cwnd"), Column::Real(self.cwnd))
            .with(TcpInfo::column("snd_ssthresh"), Column::Real(self.ssthresh))
            .with("rtt_s", Column::Real(self.rtt))
            .with(TcpInfo::column("rtt"), Column::Real(self.srtt))
            .with(TcpInfo::column("unacked"), Column::Real(self.in_flight))
            .with("goodput_bit_per_s", Column::Real(self.goodput))
            .with(TcpInfo::column("total_retrans"), Column::Count(self.retransmissions))
    }
}

impl LinkSeries {
    fn into_table(self) -> Table {
        Table::default()
            .with("time_s", Column::Real(self.time))
            .with("link", Column::Index(self.link))
            .with("queue_packets", Column::Count(self.packets))
            .with("queue_bytes", Column::Count(self.bytes))
            .with("drops", Column::Count(self.drops))
            .with("capacity_bit_per_s", Column::Real(self.capacity))
    }
}

impl Drops {
    /// Sorts by time, then by link; the drops of each queue are sorted already.
    fn into_table(self) -> Table {
        let order = ordered(self.time.len(), &|one, other| {
            self.time[one].total_cmp(&self.time[other]).then(self.link[one].cmp(&self.link[other]))
        });
        Table::default()
            .with("time_s", Column::Real(order.iter().map(|row| self.time[*row]).collect()))
            .with("link", Column::Index(order.iter().map(|row| self.link[*row]).collect()))
            .with("flow", Column::Index(order.iter().map(|row| self.flow[*row]).collect()))
            .with("sequence_bytes", Column::Count(order.iter().map(|row| self.sequence[*row]).collect()))
            .with("reason", Column::Text(order.iter().map(|row| self.reason[*row]).collect()))
    }
}

impl GaugeSeries {
    fn into_table(self) -> Table {
        Table::default()
            .with("time_s", Column::Real(self.time))
            .with("flow", Column::Index(self.flow))
            .with("name", Column::Text(self.name.build()))
            .with("value", Column::Real(self.value))
    }
}

/// A row for every captured packet, in the order of arrival at the far ends.
fn packet_table(captures: &[CapturedArrival], is_unrecorded: bool) -> Table {
    let column = |get: &dyn Fn(&CapturedArrival) -> u64| Column::Count(captures.iter().map(get).collect());
    let kind = |capture: &CapturedArrival| match capture.packet.payload {
        Payload::Tcp(
            Header { way: Way::ToReceiver | Way::ToReceiverWithAe, .. } | Header { length: 1.., .. },
        )
        | Payload::TfrcData { .. }
        | Payload::Media { .. }
        | Payload::Datagram { way: Way::ToReceiver, .. } => "data",
        Payload::Tcp(_) | Payload::Datagram { .. } | Payload::UdpAck { .. } => "ack",
        Payload::AckNak(message) => match message.kind {
            Kind::Syn | Kind::Data => "data",
            Kind::SynAck | Kind::Ack => "ack",
            Kind::Nak => "nak",
        },
        Payload::TfrcFeedback { .. } | Payload::MediaFeedback { .. } => "feedback",
        Payload::Udp { .. } => "udp",
    };
    let header = |capture: &CapturedArrival| match capture.packet.payload {
        Payload::Tcp(header) => header,
        Payload::AckNak(message) if message.kind.is_backward() => {
            Header { acknowledgment: message.number, ..Header::default() }
        }
        Payload::TfrcData { sequence, length, .. } | Payload::Media { sequence, length, .. } => {
            Header { sequence: u64::from(sequence), length, ..Header::default() }
        }
        Payload::TfrcFeedback { .. } | Payload::MediaFeedback { .. } => Header::default(),
        Payload::UdpAck { number } => Header { acknowledgment: number, ..Header::default() },
        Payload::AckNak(Message { number, .. })
        | Payload::Udp { number, .. }
        | Payload::Datagram { number, .. } => Header { sequence: number, ..Header::default() },
    };
    let table = Table::default()
        .with("time_s", Column::Real(captures.iter().map(|capture| capture.time.as_secs_f64()).collect()))
        .with("link", Column::Index(captures.iter().map(|capture| capture.link.index() as u32).collect()))
        .with("flow", Column::Index(captures.iter().map(|capture| capture.packet.flow).collect()))
        .with("kind", Column::Text(captures.iter().map(kind).collect()))
        .with("sequence", column(&|capture| header(capture).sequence))
        .with("acknowledgment", column(&|capture| header(capture).acknowledgment))
        .with("payload_bytes", column(&|capture| u64::from(header(capture).length)))
        .with("wire_bytes", column(&|capture| u64::from(capture.packet.size)))
        .with("ecn", column(&|capture| u64::from(capture.packet.ecn.bits())));
    if is_unrecorded {
        // The digest of a run without captures is that of versions without the column below.
        return table;
    }
    table.with("connection", Column::Index(captures.iter().map(|capture| capture.connection).collect()))
}
