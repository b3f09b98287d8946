use ackclock_units::{Bytes, Duration, Time};

use crate::ahead::{go_on, only_feeders};
use crate::event_list::{Class, EventList};
use crate::link::{Entry, Link, Traits};
use crate::loss::LossProcess;
use crate::pipe::{Slot, Store};
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
/// let _ = network.send(Time::ZERO, &packet, &mut events);
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
    /// Whether the routes found are all there will be.
    looks_ahead: bool,
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
            looks_ahead: false,
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
    ///
    /// # Panics
    /// If the network already looks ahead, and this is a new route.
    pub fn route(&mut self, source: NodeId, destination: NodeId) -> Result<RouteCursor, RouteError> {
        let known = self.routes.len();
        let route = self.routes.find(&self.graph, source, destination)?;
        assert!(
            !self.looks_ahead || known == self.routes.len(),
            "routes are asked for before a network looks ahead"
        );
        Ok(route)
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

    /// Spares the event of a packet's passing from one link direction to another where nothing but the first feeds the
    /// second, which neither loses nor marks packets, and is idle when the packet comes: what happens on the second is
    /// then known when the packet enters the first.
    ///
    /// Nothing changes but the number of events, and the order of events at one and the same instant. Arrivals at the far
    /// ends of the link directions in `watched` remain events. To be called when all routes are known and before
    /// anything is sent.
    ///
    /// # Panics
    /// If something was sent already.
    pub fn look_ahead(&mut self, watched: impl Fn(LinkId) -> bool) {
        assert!(self.counts.sent == 0, "a network looks ahead from the start");
        self.looks_ahead = true;
        let feeders = only_feeders(&self.routes, self.links.len());
        for (index, feeder) in feeders.into_iter().enumerate() {
            if let Some(feeder) = feeder
                && self.links[index].is_plain()
                && !watched(feeder)
            {
                self.links[index].set_fed();
                self.links[feeder.index()].set_feeds();
            }
        }
    }

    /// Changes a queue's limit, for packets offered from now on.
    pub fn set_queue_limit(&mut self, link: LinkId, limit: QueueLimit) {
        self.links[link.index()].set_limit(limit);
    }

    /// Offers a packet to the link its cursor points at.
    #[inline]
    pub fn send(&mut self, now: Time, packet: &Packet<P>, events: &mut EventList) -> Fate {
        self.counts.sent += 1;
        let link = self.routes.link(packet.route);
        debug_assert!(link.0 != END, "a packet is sent at the end of its route");
        let Network { links, store, routes, .. } = self;
        let Packet { route, size, flow, data, ecn, .. } = *packet;
        let entry = Entry { id: link, now, route, size };
        let traits = |_: &Store<P>| Traits { flow, data, ecn };
        if enter(links, routes, store, events, &entry, traits, |store| store.insert(packet)) {
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
        let entry = Entry { id: next, now, route: transit.route, size: transit.size() };
        let traits = |store: &Store<P>| {
            let transit = store.get(slot);
            Traits { flow: transit.flow(), data: transit.is_data(), ecn: transit.ecn() }
        };
        links[next.index()].expect_one_less();
        if enter(links, routes, store, events, &entry, traits, |_| slot) {
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
    pub fn queue(&self, link: LinkId, now: Time) -> Occupancy {
        self.links[link.index()].standing(now, &self.store).waiting()
    }

    /// Begins the statistics of all links afresh, at the end of a warm-up.
    pub fn measure_from(&mut self, now: Time) {
        for link in &mut self.links {
            link.measure_from(now, &self.store);
        }
    }

    /// A link direction's statistics since the measurement began.
    pub fn link_stats(&self, link: LinkId, now: Time) -> LinkStats {
        self.links[link.index()].stats(now, &self.store)
    }

    /// Where all packets are, since the start of the run.
    pub fn conservation(&self) -> Conservation {
        Conservation { in_flight: self.links.iter().map(Link::in_flight).sum(), ..self.counts }
    }
}

/// Offers a packet to a link direction; false if it was refused. Only a packet that is taken in needs a slot.
#[inline]
fn enter<P: Copy>(
    links: &mut [Link],
    routes: &Routes,
    store: &mut Store<P>,
    events: &mut EventList,
    entry: &Entry,
    traits: impl FnOnce(&Store<P>) -> Traits,
    slot: impl FnOnce(&mut Store<P>) -> Slot,
) -> bool {
    let link = &mut links[entry.id.index()];
    let (admitted, lost, marked) = link.offer(entry, store, traits);
    if !admitted {
        return false;
    }
    let departure = link.serve(entry.now, entry.size);
    let slot = slot(store);
    if marked {
        store.get_mut(slot).mark();
    }
    if link.feeds() && !lost {
        go_on(links, routes, store, events, entry, departure, slot);
        return true;
    }
    let order = events.next_order(Class::Link, entry.id.0);
    if let Some(arrival) = link.append(departure, (order, lost, false), slot, store) {
        events.insert_link(arrival, order);
    }
    true
}
