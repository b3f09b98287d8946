//! The network: its links, routes and packets, and its configuration.

mod cut_through;
mod forwarding;
pub(crate) mod snapshot;
mod varying;

use std::sync::Arc;

use ackclock_units::{Bytes, Duration};

use crate::event_list::EventList;
use crate::link::Link;
use crate::loss::LossProcess;
use crate::packet::store::PacketStore;
use crate::path::Path;
use crate::pull::PullQueues;
use crate::queue::discipline::{Built, Site};
use crate::routes::{RouteError, Routes};
use crate::{
    BufferSize, CongestionHeader, Conservation, GatewayView, Graph, HeaderView, LinkId, NodeId, Passed,
    Refused, RouteCursor,
};

/// A packet network: links, routes, and the packets in flight.
///
/// The caller owns the event loop: it pops events and passes those of [`Class::Link`](crate::Class::Link) to
/// [`Network::arrive`]. Packets enter by [`Network::send`].
///
/// ```
/// use ackclock_network::{Arrival, Ecn, EventList, Graph, LinkConfig, LinkId, Network, Packet};
/// use ackclock_units::{Duration, Rate, Time};
///
/// let mut graph = Graph::new();
/// let (a, b) = (graph.node("a"), graph.node("b"));
/// let config = LinkConfig::new(Rate::from_bits_per_second(1_000_000), Duration::from_millis(10));
/// graph.add_link(a, b, config)?;
///
/// let mut events = EventList::new();
/// let mut network: Network<()> = Network::new(graph, 1);
/// let route = network.route(a, b)?;
/// let packet =
///     Packet { flow: 0, incarnation: 0, route, size: 1000, data: true, ecn: Ecn::NotCapable, payload: () };
/// let _ = network.send(Time::ZERO, &packet, &mut events);
/// while let Some(event) = events.pop() {
///     let arrival = network.arrive(LinkId::new(event.target), event.time, &mut events);
///     assert!(matches!(arrival, Arrival::Delivered(..)));
///     assert_eq!(event.time, Time::ZERO + Duration::from_millis(8 + 10), "transmission and propagation");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network<P, A = ()> {
    links: Vec<Link>,
    store: PacketStore<P, A>,
    routes: Routes,
    graph: Arc<Graph>,
    counts: Conservation,
    pull_queues: PullQueues<P, A>,
    /// Cut-through is enabled, and no route may be added.
    cut_through: bool,
    /// The link directions with an ingress buffer.
    ingress_buffered: Vec<LinkId>,
    /// The packets admitted from ingress buffers since the last call of [`Network::take_admitted`].
    admitted: u64,
    refused: Vec<Refused<P>>,
    /// The packets that have passed a noted link direction without an event since the last call of [`Network::take_passed`].
    passed: Vec<Passed<P, A>>,
}

impl<P: Copy, A: Copy> Network<P, A> {
    /// The network of a graph. Each lossy link direction draws from a stream of its own, `loss left->right`, as does
    /// each queue, `queue left->right`.
    ///
    /// # Panics
    /// If there are 2^23 link directions or more.
    pub fn new(graph: Graph, seed: u64) -> Network<P, A> {
        let mut pull_queues = PullQueues::new(graph.edges().len());
        let links = graph.links().map(|id| {
            let (config, name) = (&graph.edge(id).config, graph.link_name(id));
            let loss = LossProcess::new(&config.loss, seed, &format!("loss {name}"));
            let path = || Box::new(Path::new(&config.path, (config.rate, config.delay), seed, &name));
            let mut link = Link::new(config, loss, config.varies().then(path));
            match config.queue.build(&Site { rate: config.rate, seed, link: &name }) {
                Built::DropTail => {}
                Built::OnArrival(aqm) => link.set_aqm(aqm),
                Built::Pulled(queue) => link.set_pull_queue(pull_queues.add(id, config.buffer, queue)),
            }
            link
        });
        let links: Vec<Link> = links.collect();
        assert!(2 * links.len() < EventList::TARGETS as usize, "{} link directions", links.len());
        Network {
            links,
            pull_queues,
            store: PacketStore::new(),
            routes: Routes::new(&graph),
            graph: Arc::new(graph),
            counts: Conservation::default(),
            cut_through: false,
            ingress_buffered: Vec::new(),
            admitted: 0,
            refused: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// Sets the class of each flow, by its number, of the eight that queues with priorities distinguish; a flow beyond the end has
    /// the lowest, 0.
    pub fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.pull_queues.set_classes(classes);
    }

    /// Sets the function by which queues read transport headers. Without it they see flows and sizes only.
    pub fn read_headers(&mut self, view: fn(&P) -> HeaderView) {
        self.pull_queues.header_view = view;
    }

    /// Sets the function by which queues find the congestion header in an extension. Without it they see none.
    pub fn read_congestion_headers(&mut self, find: fn(&mut A) -> Option<CongestionHeader<'_>>) {
        self.pull_queues.congestion_header = find;
    }

    /// Sets the function by which queues read the headers of a payload, and of its extension if there is one, as a home
    /// gateway does. Without it they see no acknowledgment and no direction.
    pub fn read_as_gateway(&mut self, view: fn(&P, Option<&A>) -> GatewayView) {
        self.pull_queues.gateway_view = view;
    }

    /// True if any queue tells hosts apart.
    pub fn has_gateways(&self) -> bool {
        self.pull_queues.read_as_gateway()
    }

    /// Sets the hosts at the ends of each flow, by its number, for queues that tell hosts apart. A flow beyond the end has
    /// the host 0 at both.
    pub fn set_hosts(&mut self, hosts: &Arc<[[u32; 2]]>) {
        self.pull_queues.set_hosts(hosts);
    }

    /// The graph from which the network was built. [`Network::set_buffer`] does not change its buffers.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The route from a node to another: the fewest links, among those the least propagation delay, among those the
    /// lowest-numbered last link (then last but one, and so on). Computed once.
    ///
    /// # Errors
    /// If no route exists, or both nodes are the same.
    ///
    /// # Panics
    /// If cut-through is enabled and the route is new.
    pub fn route(&mut self, source: NodeId, destination: NodeId) -> Result<RouteCursor, RouteError> {
        let known = self.routes.len();
        let route = self.routes.find(&self.graph, source, destination)?;
        self.check_routes(known);
        Ok(route)
    }

    /// Routes asked for by flow ([`Network::route_of`]) are spread over the paths of equally few links (ECMP): each router chooses among
    /// its links that lead nearer by a hash of the flow with this seed.
    pub fn spread_flows(&mut self, seed: u64) {
        self.routes.spread(seed);
    }

    /// The route of a flow's packets from a node to another: [`Network::route`], unless flows are spread.
    ///
    /// # Errors
    /// As [`Network::route`].
    ///
    /// # Panics
    /// As [`Network::route`].
    pub fn route_of(
        &mut self,
        flow: u32,
        source: NodeId,
        destination: NodeId,
    ) -> Result<RouteCursor, RouteError> {
        let known = self.routes.len();
        let route = self.routes.find_for(&self.graph, (source, destination), flow)?;
        self.check_routes(known);
        Ok(route)
    }

    fn check_routes(&self, known: usize) {
        assert!(
            !self.cut_through || known == self.routes.len(),
            "routes are computed before cut-through is enabled"
        );
    }

    /// The link directions from a cursor to the destination.
    pub fn path(&self, route: RouteCursor) -> impl Iterator<Item = LinkId> {
        self.routes.path(route)
    }

    /// The time that a packet of `size` takes along an empty route.
    pub fn empty_path_delay(&self, route: RouteCursor, size: Bytes) -> Duration {
        self.path(route).fold(Duration::ZERO, |sum, link| {
            let config = &self.graph.edge(link).config;
            sum + config.rate.transmission_time(size) + config.delay
        })
    }

    /// The propagation delay along a route, without transmission.
    pub fn propagation_delay(&self, route: RouteCursor) -> Duration {
        self.path(route).fold(Duration::ZERO, |sum, link| sum + self.graph.edge(link).config.delay)
    }

    /// Changes the size of a buffer, for packets offered from now on.
    pub fn set_buffer(&mut self, link: LinkId, buffer: BufferSize) {
        let link = &mut self.links[link.index()];
        match link.pull_queue() {
            Some(index) => self.pull_queues.get_mut(index).buffer = buffer,
            None => link.set_buffer(buffer),
        }
    }

    /// The number of packets admitted from ingress buffers since the last call, of which one event admits any number.
    pub fn take_admitted(&mut self) -> u64 {
        std::mem::take(&mut self.admitted)
    }

    /// True if a link direction has the impairment `duplication`, so that a packet may arrive more than once.
    pub fn duplicates(&self) -> bool {
        let impairments = self.graph.edges().iter().flat_map(|edge| &edge.config.path.impairments);
        impairments.into_iter().any(|part| part.entry().name == "duplication")
    }

    /// The number of packets sent, delivered, dropped and in flight since the start of the run.
    pub fn conservation(&self) -> Conservation {
        let in_flight: u64 = self.links.iter().map(Link::in_flight).sum();
        let copies = |link: &Link| link.path().map_or(0, |path| path.copies);
        let duplicated = self.links.iter().map(copies).sum();
        Conservation { in_flight: in_flight + self.pull_queues.in_flight(), duplicated, ..self.counts }
    }
}
