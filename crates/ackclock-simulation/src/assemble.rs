//! From a scenario to a network with endpoints, ready to run.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Start};
use ackclock_network::{BufferSize, EventList, Graph, LinkId, Network, NodeId, RandomStream, RouteCursor};
use ackclock_transport::tcp::{self, EcnMode, RtoSettings, Settings};
use ackclock_transport::udp::UdpSource;
use ackclock_transport::{Controller, Transfer, Transport, Variant, acknak};
use ackclock_units::{Bytes, Duration, LinkRate, PacketRate, Time};

use crate::captured::Agreed;
use crate::departures::Departures;
use crate::flow_infos::{Common, FlowInfos};
use crate::flows::{AckNakFlow, Flows, TcpFlow, TfrcFlow, UdpFlow, Wake};
use crate::header_view::header_view;
use crate::scenario::{AckNakConfig, Buffer, FlowGroup, FlowSpec, Pattern, Scenario, TcpConfig};
use crate::simulation::{FIRST_PROCESSOR, Simulation};
use crate::source::{Habits, Sources};
use crate::trace::Recorder;
use crate::users::{PageHabits, Users};

/// Makes controllers that are not in the registry, by name.
pub type CustomControllers<'a> = &'a dyn Fn(&str, &Start) -> Box<dyn CongestionControl>;

impl Simulation {
    /// Builds the network and all endpoints of a scenario.
    ///
    /// # Panics
    /// If the scenario names a controller that neither the registry nor the caller has; reading it with
    /// [`Scenario::from_toml`] tells before.
    pub fn new(scenario: &Scenario) -> Simulation {
        Simulation::with_controllers(scenario, &[], &|name, _| panic!("no controller is called {name}"))
    }

    /// As [`Simulation::new`], with controllers of the caller's own under the names in `custom`.
    ///
    /// # Panics
    /// As [`Simulation::new`].
    pub fn with_controllers(scenario: &Scenario, custom: &[&str], make: CustomControllers) -> Simulation {
        let settings: &crate::scenario::Settings = scenario;
        let mut network = Network::new(graph(scenario), settings.seed);
        network.read_headers(header_view);
        let points = settings.trace.packets.iter().filter_map(|name| network.graph().find_link(name));
        let points: Vec<LinkId> = points.collect();
        let count = settings.flow_count() as usize;
        let recorder = Recorder::new(settings, count, network.graph().edges().len(), &points);
        let departures = Departures::new(count, settings.trace.epoch.is_some(), FIRST_PROCESSOR);
        let mut simulation = Simulation {
            network,
            events: EventList::new(),
            flows: Flows::for_flows(count),
            infos: FlowInfos::for_flows(count),
            sources: Sources::for_flows(if settings.file_senders() > 0 { count } else { 0 }),
            users: Users::new(settings.trace.transfers, Time::ZERO + settings.warm_up),
            now: Time::ZERO,
            end: Time::ZERO + settings.duration,
            warm_up: Time::ZERO + settings.warm_up,
            at_warm_up: Vec::new(),
            recorder,
            departures,
            epoch: settings.trace.epoch,
            event_count: 0,
        };
        simulation.add_flows(scenario, custom, make);
        simulation.add_udp(scenario);
        simulation.resolve_bdp(scenario);
        let Simulation { network, recorder, .. } = &mut simulation;
        network.enable_cut_through(|link| recorder.captures(link));
        simulation.prime();
        simulation
    }

    /// Adds the flows of `[[flow]]`, each of the transport that its algorithm names.
    fn add_flows(&mut self, scenario: &Scenario, custom: &[&str], make: CustomControllers) {
        let mut tcp = Shared::default();
        let mut acknak = Shared::default();
        let mut kinds: Vec<((&FlowGroup, &str), Alike)> = Vec::new();
        for flow in scenario.flows() {
            let group = flow.group;
            // The flows of a group come one after the other.
            let mut latest = kinds.iter().rev().take_while(|((known, _), _)| std::ptr::eq(*known, group));
            if !latest.any(|((_, algorithm), _)| *algorithm == flow.algorithm) {
                let alike = self.alike(group, flow.algorithm, custom, make);
                kinds.push(((group, flow.algorithm), alike));
            }
            let known = kinds.iter().rev().find(|((_, algorithm), _)| *algorithm == flow.algorithm);
            let Some((_, alike)) = known else { continue };
            let start = Time::ZERO + flow.start;
            let first = First {
                transfer: self.first_transfer(scenario, &flow, alike, start),
                controller: controller(&alike.variant, &alike.start, make),
                routes: self.routes(&flow.source, &flow.destination),
            };
            let ends = (self.node(&flow.source), self.node(&flow.destination));
            let (header, agreed) = match alike.variant.transport {
                Transport::Tcp(recovery) => {
                    let accurate = first.controller.needs().accurate_ecn;
                    let settings =
                        tcp.settings(&group.tcp, accurate, |config| tcp_settings(config, accurate));
                    self.add_tcp(first, group, recovery, settings)
                }
                Transport::AckNak => {
                    self.add_acknak(first, group, acknak.settings(&group.acknak, false, acknak_settings));
                    (0, None)
                }
                Transport::Tfrc => (self.add_tfrc(&first, group, &alike.variant), None),
            };
            let common = || Common { algorithm: alike.variant.to_string(), stop: alike.stop, header, agreed };
            let common = alike.common.get_or_init(|| Arc::new(common()));
            self.infos.add(&flow.name, start, ends, Arc::clone(common));
            if let Some(time) = &group.processing {
                let random = RandomStream::new(scenario.seed, &format!("processing {}", flow.name));
                self.departures.process(flow.index as usize, time.clone(), random);
            }
            if alike.habits.is_some() {
                self.flows.get_mut(flow.index as usize).watch();
            }
        }
    }

    /// What the flows of a group have in common that run this algorithm.
    fn alike(
        &mut self,
        group: &FlowGroup,
        algorithm: &str,
        custom: &[&str],
        make: CustomControllers,
    ) -> Alike {
        let variant = Variant::parse(algorithm, custom).unwrap_or_else(|error| panic!("{error}"));
        let start = start_window(group, variant.transport);
        let habits = Habits::of(group, || controller(&variant, &start, make));
        let habits = habits.map(|habits| self.sources.add_habits(habits));
        self.flows.reserve(variant.transport, group.count_of(algorithm) as usize);
        let pages = PageHabits::of(group).map(|habits| self.users.add_habits(habits));
        let stop = group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
        Alike { variant, start, stop, habits, pages, common: OnceCell::new() }
    }

    /// What the flow sends first, if its source begins at `start`.
    fn first_transfer(
        &mut self,
        scenario: &Scenario,
        flow: &FlowSpec<'_>,
        alike: &Alike,
        start: Time,
    ) -> Transfer {
        let stop = alike.stop;
        let Some(habits) = alike.habits else { return Transfer { start, stop, packets: None } };
        if let (Some((user, connection)), Some(pages)) = (&flow.user, alike.pages) {
            self.sources.add_users(flow.index as usize, habits);
            if *connection == 0 {
                let random = RandomStream::new(scenario.seed, &format!("pages {user}"));
                self.users.add(user, pages, random, flow.index, start);
            }
            // It waits for its user.
            return Transfer { start: Time::MAX, stop, packets: Some(1) };
        }
        let random = RandomStream::new(scenario.seed, &format!("files {}", flow.name));
        let file = self.sources.add(flow.index as usize, habits, random, start);
        // A file that would begin after the stop never does.
        let start = if file.start < stop { file.start } else { Time::MAX };
        Transfer { start, stop, packets: Some(file.packets) }
    }

    /// Adds a TCP connection: its header bytes, and what its SYNs agree on.
    fn add_tcp(
        &mut self,
        first: First,
        group: &FlowGroup,
        recovery: tcp::Recovery,
        settings: Arc<Settings>,
    ) -> (u32, Option<Agreed>) {
        let First { transfer, controller, routes: (forward, backward) } = first;
        let header = group.tcp.header.get() as u32;
        let agreed = Agreed {
            mss: settings.mss,
            sack: recovery.uses_sack(),
            timestamps: settings.timestamps,
            window: settings.receive_window,
        };
        self.flows.add_tcp(TcpFlow {
            receiver: tcp::Receiver::new(Arc::clone(&settings), recovery.uses_sack()),
            mss: settings.mss,
            sender: tcp::Sender::new(settings, recovery, controller, transfer),
            forward,
            backward,
            header,
            sender_wake: Wake::NONE,
            receiver_wake: Wake::NONE,
            watched: false,
        });
        (header, Some(agreed))
    }

    fn add_acknak(&mut self, first: First, group: &FlowGroup, settings: Arc<acknak::Settings>) {
        let First { transfer, controller, routes: (forward, backward) } = first;
        let round_trip = self.network.propagation_delay(forward) + self.network.propagation_delay(backward);
        let config = &group.acknak;
        self.flows.add_acknak(AckNakFlow {
            sender: acknak::Sender::new(settings, controller, transfer, round_trip),
            receiver: acknak::Receiver::default(),
            forward,
            backward,
            packet: config.packet.get() as u32,
            ack: config.ack.get() as u32,
            wake: Wake::NONE,
            watched: false,
        });
    }

    /// Adds a TFRC flow, which has the packet and header sizes of `[tcp]`: its header bytes.
    fn add_tfrc(&mut self, first: &First, group: &FlowGroup, variant: &Variant) -> u32 {
        let Controller::Tfrc(spec) = &variant.controller else {
            unreachable!("TFRC comes with its own control")
        };
        let First { transfer, routes, .. } = *first;
        let settings = Arc::new(spec.settings(group.tcp.mss.get() as u16));
        let header = group.tcp.header.get() as u32;
        self.flows.add_tfrc(TfrcFlow::new(settings, transfer, routes, header));
        header
    }

    fn add_udp(&mut self, scenario: &Scenario) {
        for flow in scenario.udp_flows() {
            let group = flow.group;
            let start = Time::ZERO + flow.start;
            let stop = group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
            let stream = || RandomStream::new(scenario.seed, &format!("datagrams {}", flow.name));
            let (forward, _) = self.routes(&flow.source, &flow.destination);
            self.flows.add_udp(UdpFlow {
                source: UdpSource::new(start, stop),
                forward,
                size: group.packet.get() as u32,
                mean_gap: group.rate.transmission_time(group.packet),
                random: (group.pattern == Pattern::Poisson).then(stream),
                delivered: 0,
            });
            let ends = (self.node(&flow.source), self.node(&flow.destination));
            let common = Arc::new(Common { algorithm: String::new(), stop, header: 0, agreed: None });
            self.infos.add(&flow.name, start, ends, common);
        }
    }

    /// A node that flows name, which reading the scenario has checked to exist.
    fn node(&self, name: &str) -> NodeId {
        self.network.graph().find_node(name).unwrap_or_else(|| panic!("no node {name}"))
    }

    /// The ways there and back, which reading the scenario has checked to exist.
    fn routes(&mut self, source: &str, destination: &str) -> (RouteCursor, RouteCursor) {
        let (source, destination) = (self.node(source), self.node(destination));
        let mut way = |from, to| self.network.route(from, to).unwrap_or_else(|error| panic!("{error}"));
        (way(source, destination), way(destination, source))
    }

    /// Sets the buffers that are given as a part of the bandwidth-delay product.
    fn resolve_bdp(&mut self, scenario: &Scenario) {
        let mut crossing: BTreeMap<LinkId, Crossing> = BTreeMap::new();
        for flow in self.flows.iter() {
            let Some((size, ack)) = flow.sizes() else { continue };
            let (forward, backward) = flow.routes();
            let network = &self.network;
            let there = network.empty_path_delay(forward, Bytes::new(u64::from(size)));
            let back = network.empty_path_delay(backward, Bytes::new(u64::from(ack)));
            let propagation = network.propagation_delay(forward) + network.propagation_delay(backward);
            for link in network.path(forward).chain(network.path(backward)) {
                let all = crossing.entry(link).or_default();
                all.flows += 1;
                all.round_trips += (there + back).as_secs_f64();
                all.propagation += propagation.as_secs_f64();
                all.largest = all.largest.max(size);
            }
        }
        let mut links = (0..).map(LinkId::new);
        let network = &mut self.network;
        scenario.topology.directions(&mut |_, _, config| {
            let Some(link) = links.next() else { return };
            if let (Buffer::BdpFraction(fraction), Some(crossing)) = (config.buffer, crossing.get(&link)) {
                let packets = fraction_of_bdp(fraction, config.rate, crossing);
                network.set_buffer(link, BufferSize::Packets(packets.max(1.0) as u32));
            }
        });
    }
}

/// The flows that cross a link direction, summed up.
#[derive(Default)]
struct Crossing {
    flows: u32,
    /// Of their round-trip times without queueing, in seconds.
    round_trips: f64,
    /// Of their round-trip propagation delays, in seconds.
    propagation: f64,
    /// The largest packet among them, in bytes.
    largest: u32,
}

/// A part of a link's bandwidth-delay product in packets: its rate times the mean base round-trip time of the flows that
/// cross it, in packets of the largest size among them, rounded.
///
/// Where the rate is in packets it is MesoNet's product (5.4.8, Table 5-9): of the propagation delay alone, with the
/// part of a packet cut off. 20 % of 42, 162 and 324 ms at 21 packets/ms are 176, 680 and 1360 packets there.
fn fraction_of_bdp(fraction: f64, rate: LinkRate, crossing: &Crossing) -> f64 {
    let flows = f64::from(crossing.flows);
    match rate {
        LinkRate::Bits(rate) => {
            let mean_rtt = Duration::from_secs_f64(crossing.round_trips / flows);
            (fraction * rate.bytes_in(mean_rtt) / f64::from(crossing.largest)).round()
        }
        // To a millionth of a packet: a whole number of them is not to be lost to the last bit of a product.
        LinkRate::Packets(PacketRate(rate)) => {
            (fraction * rate * crossing.propagation / flows + 1e-6).floor()
        }
    }
}

/// What the flows of a group have in common.
struct Alike {
    variant: Variant,
    start: Start,
    /// When they stop by themselves; [`Time::MAX`] for never.
    stop: Time,
    /// The number of their sources' habits, where they send files.
    habits: Option<u32>,
    /// The number of their users' habits, where they are users' connections.
    pages: Option<u32>,
    /// What is remembered of it; known with the first flow.
    common: OnceCell<Arc<Common>>,
}

/// What a flow begins with, whatever its transport.
struct First {
    transfer: Transfer,
    controller: Box<dyn CongestionControl>,
    /// There and back.
    routes: (RouteCursor, RouteCursor),
}

/// Endpoint settings by the scenario's table they come from, and what else they hang on: one for all flows that share it.
struct Shared<'a, C, S>(Vec<(&'a C, bool, Arc<S>)>);

impl<C, S> Default for Shared<'_, C, S> {
    fn default() -> Self {
        Shared(Vec::new())
    }
}

impl<'a, C, S> Shared<'a, C, S> {
    fn settings(&mut self, config: &'a C, kind: bool, make: impl FnOnce(&C) -> S) -> Arc<S> {
        let is_it = |known: &C, of: bool| std::ptr::eq(known, config) && of == kind;
        // The flows of a group come one after the other.
        if let Some((_, _, settings)) = self.0.iter().rev().find(|(known, of, _)| is_it(known, *of)) {
            return Arc::clone(settings);
        }
        let settings = Arc::new(make(config));
        self.0.push((config, kind, Arc::clone(&settings)));
        settings
    }
}

fn controller(variant: &Variant, start: &Start, make: CustomControllers) -> Box<dyn CongestionControl> {
    match &variant.controller {
        Controller::Known(spec) => spec.build(start),
        Controller::Custom(name) => make(name, start),
        // TFRC's endpoints control themselves; nothing asks this one.
        Controller::Tfrc(_) => ControllerSpec::default().build(start),
    }
}

/// What a controller begins with.
fn start_window(group: &FlowGroup, transport: Transport) -> Start {
    match transport {
        Transport::Tcp(_) | Transport::Tfrc => Start {
            initial_window: group.tcp.initial_window.packets(group.tcp.mss),
            initial_ssthresh: group.tcp.initial_ssthresh.0,
            ..Start::default()
        },
        Transport::AckNak => {
            let window = group.acknak.initial_window.packets(group.acknak.packet);
            Start {
                initial_window: window,
                initial_ssthresh: group.acknak.initial_ssthresh.0,
                restart_window: window,
            }
        }
    }
}

fn graph(scenario: &Scenario) -> Graph {
    let mut graph = Graph::new();
    scenario.topology.directions(&mut |from, to, link| {
        let (from, to) = (graph.node(from), graph.node(to));
        graph.add_link(from, to, link.network()).unwrap_or_else(|error| panic!("{error}"));
    });
    graph
}

/// `accurate`: whether the algorithm needs to know how many packets were marked.
fn tcp_settings(config: &TcpConfig, accurate: bool) -> Settings {
    let ecn = if accurate { EcnMode::Accurate } else { EcnMode::Off };
    let window = config.receive_window.bytes(config.mss).map_or(u64::from(u32::MAX), Bytes::get);
    Settings {
        mss: config.mss.get() as u16,
        initial_window: config.initial_window.packets(config.mss),
        initial_ssthresh: config.initial_ssthresh.0,
        receive_window: u32::try_from(window).unwrap_or(u32::MAX),
        ack_every: config.ack_every,
        ack_delay: config.ack_delay,
        timestamps: config.timestamps,
        limited_transmit: config.limited_transmit,
        handshake: config.handshake,
        ecn: config.ecn.unwrap_or(ecn),
        rto: RtoSettings {
            initial: config.rto_initial,
            min: config.rto_min,
            max: config.rto_max,
            granularity: config.clock_granularity,
        },
        rearm_at_fast_retransmit: config.rearm_at_fast_retransmit,
        syn_timeout: config.syn_timeout,
        syn_attempts: config.syn_attempts,
        duplicate_threshold: 3,
    }
}

fn acknak_settings(config: &AckNakConfig) -> acknak::Settings {
    acknak::Settings {
        initial_window: config.initial_window.packets(config.packet),
        initial_ssthresh: config.initial_ssthresh.0,
        syn_interval: config.syn_interval,
        syn_attempts: config.syn_attempts,
    }
}
