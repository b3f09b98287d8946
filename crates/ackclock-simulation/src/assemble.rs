//! From a scenario to a network with endpoints and applications, ready to run.

mod applications;
mod arrivals;
mod calls;
mod endpoints;
mod header_view;
mod managed;
mod network;
mod template;

use std::cell::OnceCell;

use ackclock_memory::ByKey;
use ackclock_network::{EventList, LinkId, Network, NodeId, RouteCursor};
use ackclock_random::RandomStream;
use ackclock_scenario::{FlowGroup, FlowSpec, Scenario, ScenarioError, TcpConfig, UdpGroup};
use ackclock_transport::tcp::{Cookie, EcnMode};
use ackclock_transport::{Controller, Transport, Variant};
use ackclock_units::Time;

use self::applications::Installation;
use self::template::FlowTemplate;
pub use self::template::{CustomControllers, CustomMedia};

use self::endpoints::{FlowStart, Shared, acknak_settings, controller, start_window};
use crate::assemble::header_view::{congestion_header, gateway_view, header_view};
use crate::engine::Engine;
use crate::engine::processing::HostProcessing;
use crate::facts::counts::Baselines;
use crate::facts::flow_infos::{Common, FlowInfo, FlowInfos};
use crate::flows::sharing::{GroupSharing, SharedPaths};
use crate::flows::sockets::{SocketConfig, Sockets};
use crate::flows::stack_connection::{NoStacks, Stacks};
use crate::flows::{Flows, MessageSplit, UdpFlow};
use crate::recording::films::FilmRecords;
use crate::recording::recorder::Recorder;
use crate::recording::responses::ResponseRecords;
use crate::recording::user_records::UserRecords;
use crate::simulation::Simulation;
use crate::simulation::applications::Applications;
use crate::simulation::arrivals::Arrivals;
use crate::summary::flow_rows::FlowRows;

impl Simulation {
    /// Builds the network, all endpoints and all applications of a scenario.
    ///
    /// # Errors
    /// When the scenario names a controller that the registry does not have, or another stack.
    pub fn new(scenario: &Scenario) -> Result<Simulation, ScenarioError> {
        Simulation::with_controllers(scenario, &[], &|_, _| unreachable!("no name is the caller's"))
    }

    /// As [`Simulation::new`]; `custom` makes the caller's own controllers by name.
    ///
    /// # Errors
    /// As [`Simulation::new`].
    pub fn with_controllers(
        scenario: &Scenario,
        custom: &[&str],
        make: CustomControllers,
    ) -> Result<Simulation, ScenarioError> {
        scenario.without_stacks()?;
        Simulation::with_stacks(scenario, custom, make, &NoStacks)
    }

    /// As [`Simulation::with_controllers`]; `stacks` makes the connections of flows that name a `stack`.
    ///
    /// # Errors
    /// When the scenario names a controller that neither the registry nor the caller has.
    pub fn with_stacks(
        scenario: &Scenario,
        custom: &[&str],
        make: CustomControllers,
        stacks: &dyn Stacks,
    ) -> Result<Simulation, ScenarioError> {
        scenario.check_media(&[])?;
        let media: CustomMedia<'_> = &|_, _| unreachable!("no name is the caller's");
        Simulation::with_media(scenario, custom, (make, media), stacks)
    }

    /// As [`Simulation::with_stacks`]; `media` makes the caller's own congestion controls for media, which `custom` names too.
    ///
    /// # Errors
    /// As [`Simulation::with_stacks`].
    pub fn with_media(
        scenario: &Scenario,
        custom: &[&str],
        (make, media): (CustomControllers<'_>, CustomMedia<'_>),
        stacks: &dyn Stacks,
    ) -> Result<Simulation, ScenarioError> {
        let settings: &ackclock_scenario::Settings = scenario;
        settings.check_controllers(custom)?;
        settings.check_media(custom)?;
        let mut network = Network::new(network::graph(scenario), settings.seed);
        if let Some(seed) = scenario.topology.ecmp_seed() {
            network.spread_flows(seed);
        }
        network.read_headers(header_view);
        network.read_congestion_headers(congestion_header);
        network.read_as_gateway(gateway_view);
        let points = settings.trace.packets.iter().filter_map(|name| network.graph().find_link(name));
        let points: Vec<LinkId> = points.collect();
        let count = settings.flow_count() as usize;
        let mut recorder = Recorder::new(settings, count, network.graph().edges().len(), &points);
        if network.graph().edges().iter().any(|edge| edge.config.path.tunnel.is_some()) {
            // Fields of packets change on the way: each receiver learns those that arrive.
            network.graph().links().for_each(|link| recorder.watch(link));
        }
        let mut processing = HostProcessing::new(count, settings.trace.epoch.is_some());
        processing.matter |= recorder.delays.are_recorded();
        let mut simulation = Simulation {
            engine: Engine {
                network,
                events: EventList::new(),
                recorder,
                processing,
                now: Time::ZERO,
                steps: 0,
            },
            flows: Flows::for_flows(count),
            arrivals: Arrivals::new(settings.seed),
            rows: FlowRows::for_flows(count),
            infos: FlowInfos::for_flows(count),
            applications: Applications::default(),
            actions: Vec::new(),
            sockets: Sockets::for_flows(if settings.file_senders() > 0 { count } else { 0 }),
            users: UserRecords::new(settings.trace.transfers, Time::ZERO + settings.warm_up),
            responses: ResponseRecords::new(settings.trace.transfers),
            films: FilmRecords::default(),
            end: Time::ZERO + settings.duration,
            warm_up: Time::ZERO + settings.warm_up,
            at_warm_up: settings.warm_up.is_zero().then(Baselines::default),
            cookies: ByKey::new(),
            sharing: SharedPaths::default(),
            epoch: settings.trace.epoch,
            event_count: 0,
            prefetched_until: None,
        };
        let mut installation = Installation::default();
        simulation.add_flows(scenario, custom, (make, stacks), &mut installation);
        simulation.add_udp(scenario, &mut installation);
        simulation.add_calls(scenario, custom, media);
        if let Some(classes) = network::classes(scenario) {
            simulation.engine.network.set_classes(&classes);
        }
        simulation.set_hosts();
        simulation.resolve_bdp(scenario);
        let Engine { network, recorder, .. } = &mut simulation.engine;
        network.enable_cut_through(|link| recorder.captures(link));
        simulation.prime(installation.timers);
        Ok(simulation)
    }

    /// Adds the flows of `[[flow]]`, each of the transport that its algorithm names.
    fn add_flows(
        &mut self,
        scenario: &Scenario,
        custom: &[&str],
        (make, stacks): (CustomControllers, &dyn Stacks),
        installation: &mut Installation,
    ) {
        let mut tcp = Shared::default();
        let mut acknak = Shared::default();
        let mut templates: Vec<((&FlowGroup, &str), FlowTemplate)> = Vec::new();
        scenario.each_flow(|flow| {
            let group = flow.group;
            // The flows of a group are added one after the other.
            let mut latest = templates.iter().rev().take_while(|((known, _), _)| std::ptr::eq(*known, group));
            if !latest.any(|((_, algorithm), _)| *algorithm == flow.algorithm) {
                let template = self.template(group, flow.algorithm, custom, make);
                templates.push(((group, flow.algorithm), template));
            }
            let known = templates.iter().rev().find(|((_, algorithm), _)| *algorithm == flow.algorithm);
            let Some((_, template)) = known else { return };
            if let Some(recovery) = template.arriving {
                self.expect(&flow, template, recovery, &mut tcp);
                return;
            }
            let (source, destination) = (self.node(&flow.source), self.node(&flow.destination));
            let routes = self.routes(flow.index, &flow.source, &flow.destination);
            let transfer = self.install(scenario, &flow, template, installation);
            let begin = FlowStart {
                transfer,
                controller: controller(&template.variant, &template.start, make),
                cookie: self.cookie(source, destination, group.tcp.settings.fast_open),
                routes,
            };
            let syn_options = match template.variant.transport {
                Transport::Tcp(_) if let Some(stack) = group.stack => {
                    self.add_stack(begin, &flow, stack, (scenario.seed, stacks));
                    None
                }
                Transport::Tcp(recovery) => {
                    let ecn = EcnMode::for_needs(begin.controller.needs());
                    let settings = tcp.settings(&group.tcp, (ecn, recovery), TcpConfig::connection);
                    if group.application.is_two_way() {
                        self.add_two_way(begin, group, recovery, &settings);
                    } else {
                        self.log(&flow, routes);
                        self.add_tcp(begin, group, recovery, &settings);
                    }
                    Some(endpoints::syn_options(&settings, recovery))
                }
                Transport::AckNak => {
                    self.add_acknak(begin, group, acknak.settings(&group.acknak, (), acknak_settings));
                    None
                }
                Transport::Tfrc => {
                    self.add_tfrc(&begin, group, &template.variant);
                    None
                }
            };
            let (algorithm, stop) = (&template.variant, template.stop);
            let named = || {
                if group.stack.is_some() { algorithm.controller.to_string() } else { algorithm.to_string() }
            };
            let common = || Common { algorithm: named(), stop, syn_options };
            let is_first = template.common.get().is_none();
            let common = *template.common.get_or_init(|| self.infos.add_common(common()));
            if is_first {
                self.share(common, group, template);
            }
            let start = Time::ZERO + flow.start;
            self.infos.add(&flow.name, FlowInfo { start, source, destination, common });
            self.expect_sharing(flow.index, transfer);
            if let Some(time) = &group.send_overhead {
                let random = RandomStream::new(scenario.seed, &format!("processing {}", flow.name));
                self.engine.processing.process(flow.index as usize, time.law(), random);
            }
        });
    }

    /// Logs a TCP sender if the scenario asks for it: the packets that leave it, and those that arrive by
    /// the last link of the way back.
    fn log(&mut self, flow: &FlowSpec<'_>, (_, backward): (RouteCursor, RouteCursor)) {
        let Engine { network, recorder, processing, .. } = &mut self.engine;
        if recorder.qlogs.add_tcp(flow.index as usize, &flow.name, flow.group.tcp.mss.get() as u16) {
            processing.matter = true;
            if let Some(link) = network.path(backward).last() {
                recorder.watch(link);
            }
        }
    }

    /// Notes that the flows with these facts share state, if their group says so and their algorithm can.
    fn share(&mut self, common: u32, group: &FlowGroup, template: &FlowTemplate) {
        let (Some(sharing), Controller::Known(spec), Transport::Tcp(_)) =
            (group.tcp.sharing, &template.variant.controller, template.variant.transport)
        else {
            return;
        };
        let (spec, start) = (spec.clone(), template.start);
        let weight = group.tcp.sharing_weight;
        self.sharing.add_group(common, GroupSharing { sharing, weight, spec, start });
    }

    /// The template of a group's flows that run this algorithm.
    fn template(
        &mut self,
        group: &FlowGroup,
        algorithm: &str,
        custom: &[&str],
        make: CustomControllers,
    ) -> FlowTemplate {
        let variant = Variant::parse(algorithm, custom).unwrap_or_else(|error| panic!("{error}"));
        let start = start_window(group, variant.transport);
        let application = &group.application;
        let reopening = application.reopens().then(|| controller(&variant, &start, make));
        let config = application.sends_files().then_some(SocketConfig { controller: reopening });
        let socket_config = config.map(|config| self.sockets.add_config(config));
        let arriving = self.arriving(group, &variant);
        if arriving.is_none() {
            self.flows.reserve(variant.transport, group.count_of(algorithm) as usize);
        }
        let stop = group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
        let install = application.install(stop);
        let page = application.page();
        FlowTemplate { variant, start, stop, install, page, socket_config, arriving, common: OnceCell::new() }
    }

    /// Adds the flows of `[[udp]]`.
    fn add_udp(&mut self, scenario: &Scenario, installation: &mut Installation) {
        let mut latest: Option<(&UdpGroup, u32)> = None;
        scenario.each_udp_flow(|flow| {
            let stop = flow.group.stop.map_or(Time::MAX, |stop| Time::ZERO + stop);
            let (forward, backward) = self.routes(flow.index, &flow.source, &flow.destination);
            let (message, packet) = (flow.group.message().get() as u32, flow.group.packet.get() as u32);
            let split = MessageSplit::new(message, packet);
            let mut endpoints = UdpFlow::new(forward, split, flow.group.ecn.field(), flow.group.call);
            if self.engine.network.duplicates() {
                endpoints.expect_copies();
            }
            if flow.group.sharing.is_some() {
                endpoints.manage(self.managed(&scenario.tcp, &flow), backward);
            }
            self.flows.add_udp(endpoints);
            self.install_datagrams(scenario, &flow, stop, installation);
            let (source, destination) = (self.node(&flow.source), self.node(&flow.destination));
            let common = match latest {
                Some((group, common)) if std::ptr::eq(group, flow.group) => common,
                _ => {
                    let algorithm = String::new();
                    self.infos.add_common(Common { algorithm, stop, syn_options: None })
                }
            };
            latest = Some((flow.group, common));
            let start = Time::ZERO + flow.start;
            self.infos.add(&flow.name, FlowInfo { start, source, destination, common });
        });
    }

    /// The cookie of a server for Fast Open. All connections of a client to the server share it, if they
    /// use Fast Open.
    pub(crate) fn cookie(&mut self, client: NodeId, server: NodeId, fast_open: bool) -> Cookie {
        if !fast_open {
            return Cookie::default();
        }
        self.cookies.get_or_insert_with((client, server), Cookie::unknown).clone()
    }

    /// A node that a flow names. It exists: reading the scenario has checked that.
    fn node(&self, name: &str) -> NodeId {
        self.engine.network.graph().find_node(name).unwrap_or_else(|| panic!("no node {name}"))
    }

    /// The ways there and back of a flow between two named nodes. They exist: reading the scenario has checked
    /// that.
    fn routes(&mut self, flow: u32, source: &str, destination: &str) -> (RouteCursor, RouteCursor) {
        self.routes_between(flow, self.node(source), self.node(destination))
    }

    /// The ways there and back of a flow between two nodes.
    pub(crate) fn routes_between(
        &mut self,
        flow: u32,
        source: NodeId,
        destination: NodeId,
    ) -> (RouteCursor, RouteCursor) {
        let mut way =
            |from, to| self.engine.network.route_of(flow, from, to).unwrap_or_else(|error| panic!("{error}"));
        (way(source, destination), way(destination, source))
    }
}
