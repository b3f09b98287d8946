use ackclock_units::{Bytes, Duration, Time};

use crate::event_list::EventList;
use crate::link::{Entry, Link};
use crate::loss::LossProcess;
use crate::pipe::Store;
use crate::routes::{END, RouteError, Routes};
use crate::{Graph, LinkId, LinkStats, NodeId, Occupancy, Packet, QueueLimit, RouteCursor};

/// Why a packet vanished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue had no room.
    Queue,
    /// The link lost it.
    Loss,
}

/// What became of a packet offered to a link direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Fate {
    /// It is on its way, or waits for it.
    Queued,
    /// It is gone.
    Dropped {
        /// Where.
        link: LinkId,
        /// Why.
        reason: DropReason,
    },
}

/// What became of a packet at the far end of a link direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Arrival<P> {
    /// It has reached its destination.
    Delivered(Packet<P>),
    /// It goes on.
    Forwarded {
        /// The link direction it took next.
        next: LinkId,
    },
    /// It is gone: lost on this link direction, or refused by the next.
    Dropped {
        /// Where.
        link: LinkId,
        /// Why.
        reason: DropReason,
        /// What it was.
        packet: Packet<P>,
    },
}

/// Where all packets sent so far are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Packets given to the network.
    pub sent: u64,
    /// Packets given back at their destination.
    pub delivered: u64,
    /// Packets refused by queues.
    pub dropped_queue: u64,
    /// Packets lost on links.
    pub dropped_loss: u64,
    /// Packets found waiting or under way, by looking into every link.
    pub in_flight: u64,
}

impl Conservation {
    /// Whether every packet sent is delivered, dropped or in flight.
    pub fn holds(&self) -> bool {
        self.sent == self.delivered + self.dropped_queue + self.dropped_loss + self.in_flight
    }
}

/// Links, routes, and the packets on them.
///
/// The caller owns the loop: it pops events, and hands those of [`Class::Link`] to [`Network::arrive`]. Packets enter
/// by [`Network::send`].
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
/// let mut network = Network::new(graph, 1);
/// let route = network.route(a, b)?;
/// let packet =
///     Packet { flow: 0, incarnation: 0, route, size: 1000, data: true, ecn: Ecn::NotCapable, payload: () };
/// let _ = network.send(Time::ZERO, packet, &mut events);
/// while let Some(event) = events.pop() {
///     let arrival = network.arrive(LinkId::new(event.target), event.time, &mut events);
///     assert!(matches!(arrival, Arrival::Delivered(_)));
///     assert_eq!(event.time, Time::ZERO + Duration::from_millis(8 + 10), "transmission and propagation");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network<P> {
    links: Vec<Link>,
    store: Store<P>,
    routes: Routes,
    graph: Graph,
    counts: Conservation,
}

impl<P: Copy> Network<P> {
    /// The network of a graph. Each lossy link direction draws from a stream of its own, `loss left->right`.
    pub fn new(graph: Graph, seed: u64) -> Network<P> {
        let links = graph.links().map(|link| {
            let config = &graph.edge(link).config;
            let loss = LossProcess::new(&config.loss, seed, &format!("loss {}", graph.link_name(link)));
            Link::new(config, loss)
        });
        let links = links.collect();
        Network {
            links,
            store: Store::new(),
            routes: Routes::new(&graph),
            graph,
            counts: Conservation::default(),
        }
    }

    /// The graph it was built from. Its queue limits are those of the start; see [`Network::set_queue_limit`].
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The way from a node to another: the fewest links, among those the least propagation delay, among those the
    /// lowest-numbered last link (then last but one, and so on). Found once and remembered.
    ///
    /// # Errors
    /// When there is no way, or both are one node.
    pub fn route(&mut self, source: NodeId, destination: NodeId) -> Result<RouteCursor, RouteError> {
        self.routes.find(&self.graph, source, destination)
    }

    /// The link directions from a cursor to the destination.
    pub fn path(&self, route: RouteCursor) -> impl Iterator<Item = LinkId> {
        self.routes.path(route)
    }

    /// The time a packet of `size` takes along a route that is otherwise empty.
    pub fn empty_path_delay(&self, route: RouteCursor, size: Bytes) -> Duration {
        self.path(route).fold(Duration::ZERO, |sum, link| {
            sum + self.links[link.index()].rate().transmission_time(size) + self.links[link.index()].delay()
        })
    }

    /// The propagation delay along a route: what the smallest packet takes at the least.
    pub fn propagation_delay(&self, route: RouteCursor) -> Duration {
        self.path(route).fold(Duration::ZERO, |sum, link| sum + self.links[link.index()].delay())
    }

    /// Changes a queue's limit, for packets offered from now on.
    pub fn set_queue_limit(&mut self, link: LinkId, limit: QueueLimit) {
        self.links[link.index()].set_limit(limit);
    }

    /// Offers a packet to the link its cursor points at.
    #[inline]
    pub fn send(&mut self, now: Time, packet: Packet<P>, events: &mut EventList) -> Fate {
        self.counts.sent += 1;
        let link = self.routes.link(packet.route);
        debug_assert!(link.0 != END, "a packet is sent at the end of its route");
        let Network { links, store, .. } = self;
        let Packet { size, flow, data, ecn, .. } = packet;
        let entry = Entry { id: link, now, size, flow, data, ecn };
        if links[link.index()].offer(&entry, store, events, |store| store.insert(&packet)) {
            Fate::Queued
        } else {
            self.counts.dropped_queue += 1;
            Fate::Dropped { link, reason: DropReason::Queue }
        }
    }

    /// The head of a link direction has reached the far end, where it is delivered or offered to the next link.
    ///
    /// To be called for every event of [`Class::Link`], with the event's target and time, and for nothing else.
    #[inline]
    pub fn arrive(&mut self, link: LinkId, now: Time, events: &mut EventList) -> Arrival<P> {
        let Network { links, store, routes, counts, .. } = self;
        let (slot, next) = links[link.index()].dequeue(store);
        if let Some((time, order)) = next {
            events.insert_link(time, order);
        }
        let transit = store.get_mut(slot);
        if transit.is_lost() {
            counts.dropped_loss += 1;
            return Arrival::Dropped { link, reason: DropReason::Loss, packet: store.remove(slot) };
        }
        transit.route.0 += 1;
        let next = routes.link(transit.route);
        if next.0 == END {
            counts.delivered += 1;
            return Arrival::Delivered(store.remove(slot));
        }
        let (size, flow, data, ecn) = (transit.size(), transit.flow(), transit.is_data(), transit.ecn());
        let entry = Entry { id: next, now, size, flow, data, ecn };
        if links[next.index()].offer(&entry, store, events, |_| slot) {
            Arrival::Forwarded { next }
        } else {
            counts.dropped_queue += 1;
            Arrival::Dropped { link: next, reason: DropReason::Queue, packet: store.remove(slot) }
        }
    }

    /// The packet that the next event of this link direction brings to the far end (if it is not lost), for captures.
    pub fn head(&self, link: LinkId) -> Option<Packet<P>> {
        self.links[link.index()].head().map(|slot| self.store.packet(slot))
    }

    /// What waits in front of a link direction now.
    pub fn queue(&mut self, link: LinkId, now: Time) -> Occupancy {
        self.links[link.index()].occupancy(now, &self.store)
    }

    /// Begins the statistics of all links afresh, at the end of a warm-up.
    pub fn measure_from(&mut self, now: Time) {
        for link in &mut self.links {
            link.measure_from(now, &self.store);
        }
    }

    /// A link direction's statistics since the measurement began.
    pub fn link_stats(&mut self, link: LinkId, now: Time) -> LinkStats {
        self.links[link.index()].stats(now, &self.store)
    }

    /// Where all packets are, since the start of the run.
    pub fn conservation(&self) -> Conservation {
        Conservation { in_flight: self.links.iter().map(Link::in_flight).sum(), ..self.counts }
    }
}
