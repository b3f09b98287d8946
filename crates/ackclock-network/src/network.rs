use ackclock_units::{Bytes, Duration, Time};

use crate::cut_through::{cut_through, sole_upstreams};
use crate::event_list::{Class, EventList};
use crate::ingress_buffer::{PendingArrival, entered_from};
use crate::link::{Link, Offer};
use crate::link_stats::LinkState;
use crate::loss::LossProcess;
use crate::outcome::{Arrival, Conservation, DropReason, Fate, Refused, Upcoming};
use crate::pipe::{MAX_CUT_THROUGH, PacketStore, SlotId};
use crate::pull::PullQueues;
use crate::queue::arrival_aqm::ArrivalAqm;
use crate::routes::{END, RouteError, Routes};
use crate::snapshot::link_states;
use crate::{
    BufferSize, Graph, HeaderView, LinkId, LinkStats, NodeId, Occupancy, Packet, Queue, RandomStream,
    RouteCursor,
};

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
/// let mut network: Network<()> = Network::new(graph, 1);
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
pub struct Network<P, A = ()> {
    links: Vec<Link>,
    store: PacketStore<P, A>,
    routes: Routes,
    graph: Graph,
    counts: Conservation,
    pull_queues: PullQueues<P>,
    /// Whether the routes found are all there will be.
    cut_through: bool,
    /// The link directions that collect what comes.
    ingress_buffered: Vec<LinkId>,
    refused: Vec<Refused<P>>,
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
            let mut link = Link::new(config, LossProcess::new(&config.loss, seed, &format!("loss {name}")));
            if config.queue != Queue::DropTail {
                let random = || RandomStream::new(seed, &format!("queue {name}"));
                if let Some(rule) = ArrivalAqm::new(config, random) {
                    link.set_rule(rule);
                } else if let Some(queue) = config.queue.scheduler(config.buffer, random()) {
                    link.set_pull_queue(pull_queues.add(id, queue));
                }
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
            graph,
            counts: Conservation::default(),
            cut_through: false,
            ingress_buffered: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Lets queues see what packets carry, as far as `look` tells; without it they see flows and sizes alone.
    pub fn read_headers(&mut self, look: fn(&P) -> HeaderView) {
        self.pull_queues.look = look;
    }

    /// The graph it was built from. Its buffers are those of the start; see [`Network::set_buffer`].
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
            !self.cut_through || known == self.routes.len(),
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
    /// then known when the packet enters the first. Where several feed a link direction that has a delay, or that leads
    /// only to ones that have, what comes is collected and let in by one event for many.
    ///
    /// Nothing changes but the number of events, and the order of events at one and the same instant. Arrivals at the far
    /// ends of the link directions in `watched` remain events. To be called when all routes are known and before
    /// anything is sent. Afterwards [`Network::catch_up`] is to be called before anything is looked at.
    ///
    /// # Panics
    /// If something was sent already.
    pub fn enable_cut_through(&mut self, watched: impl Fn(LinkId) -> bool) {
        assert!(self.counts.sent == 0, "a network looks ahead from the start");
        self.cut_through = true;
        let upstreams = sole_upstreams(&self.routes, self.links.len());
        for (index, upstream) in upstreams.into_iter().enumerate() {
            if let Some(upstream) = upstream
                && self.links[index].is_drop_tail_only()
                && self.links[upstream.index()].pull_queue().is_none()
                && !watched(upstream)
            {
                self.links[index].set_cut_through();
                self.links[upstream.index()].set_forwards_early();
            }
        }
        let known = |link: LinkId| self.links[link.index()].is_drop_tail_only() && !watched(link);
        let ingress_buffered = entered_from(&self.routes, self.links.len(), known);
        for id in (0..).map(LinkId).zip(ingress_buffered).filter_map(|(id, collects)| collects.then_some(id))
        {
            let link = &self.links[id.index()];
            let slack = self.slack(id, MAX_CUT_THROUGH);
            if !link.is_cut_through() && link.pull_queue().is_none() && !slack.is_zero() {
                self.links[id.index()].set_ingress_buffer(slack);
                self.ingress_buffered.push(id);
            }
        }
        for hop in self.routes.all().flat_map(|route| route.windows(2)) {
            if self.links[hop[1] as usize].has_ingress_buffer() {
                self.links[hop[0] as usize].set_forwards_early();
            }
        }
    }

    /// How long after its coming to a link direction a packet shows anywhere at the earliest: a propagation delay, be it
    /// that of the next link direction, if nothing waits there. Up to `hops` further ones are looked at.
    fn slack(&self, id: LinkId, hops: u32) -> Duration {
        let link = &self.links[id.index()];
        if !link.delay().is_zero() || hops == 0 {
            return link.delay();
        }
        let beyond = |next: Option<LinkId>| {
            let next =
                next.filter(|next| link.is_drop_tail_only() && self.links[next.index()].keeps_up_with(link));
            next.map_or(Duration::ZERO, |next| self.slack(next, hops - 1))
        };
        self.routes.after(id).map(beyond).min().unwrap_or_default()
    }

    /// Lets in everything that has reached the entrance of a link direction by now.
    pub fn catch_up(&mut self, now: Time, events: &mut EventList) {
        for index in 0..self.ingress_buffered.len() {
            self.let_in(self.ingress_buffered[index], now, events);
        }
    }

    /// The packets refused by queues since the last call where no [`Arrival`] told of it. Those of one queue are in
    /// order.
    pub fn take_refused(&mut self) -> impl Iterator<Item = Refused<P>> {
        self.refused.drain(..)
    }

    /// Lets in what has come to a link direction that collects.
    fn let_in(&mut self, link: LinkId, until: Time, events: &mut EventList) {
        let Network { links, store, routes, counts, pull_queues, refused, .. } = self;
        let (mut coming, count) = links[link.index()].ingress().take(until);
        for PendingArrival { time, slot } in coming.drain(..count) {
            let header = store.get(slot);
            let offer = Offer { id: link, now: time, route: header.route, size: header.size() };
            let mut inside = Inside { links, routes, store, pull_queues };
            if let Err(reason) = enter(&mut inside, events, &offer, slot) {
                counts.dropped_queue += 1;
                refused.push(Refused { time, link, reason, packet: store.remove(slot) });
            }
        }
        if let Some(due) = links[link.index()].ingress().put_back(coming) {
            events.schedule(due, Class::Link, links.len() as u32 + link.0);
        }
    }

    /// Changes the size of a buffer, for packets offered from now on.
    pub fn set_buffer(&mut self, link: LinkId, buffer: BufferSize) {
        let link = &mut self.links[link.index()];
        match link.pull_queue() {
            Some(place) => self.pull_queues.get_mut(place).scheduler_mut().set_buffer(buffer),
            None => link.set_buffer(buffer),
        }
    }

    /// Offers a packet to the link its cursor points at.
    #[expect(
        clippy::inline_always,
        reason = "a packet is to be made in its slot: read back from elsewhere, just written, it would be waited for"
    )]
    #[inline(always)]
    pub fn send(&mut self, now: Time, packet: &Packet<P>, events: &mut EventList) -> Fate {
        let slot = self.store.insert(packet);
        self.offer(slot, packet.route, packet.size, now, events)
    }

    /// Offers a packet that carries something besides.
    pub fn send_with(
        &mut self,
        now: Time,
        packet: &Packet<P>,
        extension: &A,
        events: &mut EventList,
    ) -> Fate {
        let slot = self.store.insert(packet);
        self.store.set_extension(slot, *extension);
        self.offer(slot, packet.route, packet.size, now, events)
    }

    #[inline(never)]
    fn offer(
        &mut self,
        slot: SlotId,
        route: RouteCursor,
        size: u32,
        now: Time,
        events: &mut EventList,
    ) -> Fate {
        self.counts.sent += 1;
        let link = self.routes.link(route);
        debug_assert!(link.0 != END, "a packet is sent at the end of its route");
        let Network { links, store, routes, pull_queues, .. } = self;
        let offer = Offer { id: link, now, route, size };
        let mut inside = Inside { links, routes, store, pull_queues };
        match enter(&mut inside, events, &offer, slot) {
            Ok(()) => Fate::Queued,
            Err(reason) => {
                store.remove(slot);
                self.counts.dropped_queue += 1;
                Fate::Dropped { link, reason }
            }
        }
    }

    /// The head of a link direction has reached the far end, where it is delivered or offered to the next link.
    ///
    /// To be called for every event of [`Class::Link`], with the event's target and time, and for nothing else.
    #[inline(never)]
    pub fn arrive(&mut self, link: LinkId, now: Time, events: &mut EventList) -> Arrival<P> {
        if link.index() >= self.links.len() {
            return self.apart(link, now, events);
        }
        if let Some(packet) = self.deliver(link, events) {
            return Arrival::Delivered(packet);
        }
        let slot = self.take_head(link, events);
        let Network { links, store, routes, counts, .. } = self;
        let header = store.get_mut(slot);
        if header.is_lost() {
            counts.dropped_loss += 1;
            links[link.index()].note_loss(header.size());
            return Arrival::Dropped { link, reason: DropReason::Loss, packet: store.remove(slot) };
        }
        header.route.0 += 1;
        let next = routes.link(header.route);
        self.forward(slot, next, now, events)
    }

    /// What [`arrive`](Self::arrive) does where the head has reached its destination, as it nearly always has; nothing, and
    /// then that is to be called, where it has not.
    #[expect(clippy::inline_always, reason = "a packet that is taken apart at once is never copied")]
    #[inline(always)]
    pub fn deliver(&mut self, link: LinkId, events: &mut EventList) -> Option<Packet<P>> {
        let head = self.links.get(link.index())?.head()?;
        let header = self.store.get(head);
        let next = RouteCursor(header.route.0 + 1);
        if header.is_lost() || self.routes.link(next).0 != END {
            return None;
        }
        let slot = self.take_head(link, events);
        self.counts.delivered += 1;
        Some(Packet { route: next, ..self.store.remove(slot) })
    }

    /// Takes the head off a link direction, and sees to the arrival of the one behind it.
    #[expect(clippy::inline_always, reason = "for the sake of `deliver`")]
    #[inline(always)]
    fn take_head(&mut self, link: LinkId, events: &mut EventList) -> SlotId {
        let (slot, next) = self.links[link.index()].dequeue(&self.store);
        if let Some((time, order)) = next {
            events.insert_link(time, order);
        }
        slot
    }

    /// A packet comes from one link direction to the next.
    #[inline(never)]
    fn forward(&mut self, slot: SlotId, next: LinkId, now: Time, events: &mut EventList) -> Arrival<P> {
        let Network { links, store, routes, counts, pull_queues, .. } = self;
        let header = store.get(slot);
        let offer = Offer { id: next, now, route: header.route, size: header.size() };
        links[next.index()].expect_one_less();
        let mut inside = Inside { links, routes, store, pull_queues };
        match enter(&mut inside, events, &offer, slot) {
            Ok(()) => Arrival::Forwarded { next },
            Err(reason) => {
                counts.dropped_queue += 1;
                Arrival::Dropped { link: next, reason, packet: store.remove(slot) }
            }
        }
    }

    /// An event of a queue that is asked for its next packet, or that lets in what was collected.
    #[inline(never)]
    fn apart(&mut self, target: LinkId, now: Time, events: &mut EventList) -> Arrival<P> {
        let Network { links, store, counts, pull_queues, .. } = self;
        let link = LinkId((target.index() - links.len()) as u32);
        if let Some(place) = links[link.index()].pull_queue() {
            let arrival = pull_queues.on_event(place, now, links, store, events);
            counts.dropped_queue += u64::from(matches!(arrival, Arrival::Dropped { .. }));
            return arrival;
        }
        if links[link.index()].ingress().fires(now) {
            self.let_in(link, now, events);
        }
        Arrival::LetIn
    }

    /// The next two packets to arrive over a link direction, so that what they will need can be asked for. The one after
    /// them is asked for here.
    #[inline]
    pub fn upcoming(&self, link: LinkId) -> Option<[Upcoming; 2]> {
        self.store.upcoming(self.links.get(link.index())?.pipe())
    }

    /// What the packet that was delivered last carried besides. To be asked before anything else is sent.
    #[inline]
    pub fn extension(&self) -> Option<A> {
        self.store.extension_of_removed()
    }

    /// The packet that the next event of this link direction brings to the far end (if it is not lost), for captures, and
    /// what it carries besides.
    pub fn head(&self, link: LinkId) -> Option<(Packet<P>, Option<A>)> {
        let slot = self.links.get(link.index())?.head()?;
        Some((self.store.packet(slot), self.store.extension(slot)))
    }

    /// What waits in front of a link direction now. Looks at every packet under way; see [`Network::snapshot`].
    pub fn queue(&self, link: LinkId, now: Time) -> Occupancy {
        self.snapshot(now).queue(link)
    }

    /// Begins the statistics of all links afresh, at the end of a warm-up.
    pub fn measure_from(&mut self, now: Time) {
        let states = link_states(&self.links, &self.routes, &self.store, now);
        for (link, state) in self.links.iter_mut().zip(&states) {
            let queue = link.pull_queue().map(|place| {
                let queue = self.pull_queues.get_mut(place);
                queue.begin();
                queue.counters(now)
            });
            link.measure_from(now, state, queue);
        }
    }

    /// A link direction's statistics since the measurement began. Looks at every packet under way; see
    /// [`Network::snapshot`].
    pub fn link_stats(&self, link: LinkId, now: Time) -> LinkStats {
        self.snapshot(now).link_stats(link)
    }

    /// Looks at every packet under way, for the state of all link directions now.
    pub fn snapshot(&self, now: Time) -> Snapshot<'_, P, A> {
        Snapshot { network: self, now, states: link_states(&self.links, &self.routes, &self.store, now) }
    }

    /// Where all packets are, since the start of the run.
    pub fn conservation(&self) -> Conservation {
        let under_way: u64 = self.links.iter().map(Link::in_flight).sum();
        Conservation { in_flight: under_way + self.pull_queues.in_flight(), ..self.counts }
    }
}

/// All link directions of a network at one instant.
#[derive(Debug)]
pub struct Snapshot<'a, P, A = ()> {
    network: &'a Network<P, A>,
    now: Time,
    states: Vec<LinkState>,
}

impl<P: Copy, A: Copy> Snapshot<'_, P, A> {
    /// What waits in front of a link direction.
    pub fn queue(&self, link: LinkId) -> Occupancy {
        match self.network.links[link.index()].pull_queue() {
            Some(place) => self.network.pull_queues.get(place).occupancy(),
            None => self.states[link.index()].waiting(),
        }
    }

    /// A link direction's statistics since the measurement began.
    pub fn link_stats(&self, id: LinkId) -> LinkStats {
        let Snapshot { network, now, states } = self;
        let (link, state) = (&network.links[id.index()], &states[id.index()]);
        let Some(place) = link.pull_queue() else { return link.stats(*now, state, None) };
        let queue = network.pull_queues.get(place);
        let mut stats = link.stats(*now, state, Some(queue.counters(*now)));
        stats.max_queue_packets = queue.max_waiting;
        stats.max_queueing_delay = Some(queue.max_waited);
        stats
    }
}

/// What a packet finds inside a network.
struct Inside<'a, P, A> {
    links: &'a mut [Link],
    routes: &'a Routes,
    store: &'a mut PacketStore<P, A>,
    pull_queues: &'a mut PullQueues<P>,
}

/// Offers a packet to a link direction; why it was refused, if it was.
#[expect(clippy::inline_always, reason = "twice per packet, and nearly all that its callers do")]
#[inline(always)]
fn enter<P: Copy, A: Copy>(
    inside: &mut Inside<'_, P, A>,
    events: &mut EventList,
    offer: &Offer,
    slot: SlotId,
) -> Result<(), DropReason> {
    let Inside { links, routes, store, pull_queues } = inside;
    let link = &mut links[offer.id.index()];
    let (lost, marked) = if link.is_drop_tail_only() {
        if !link.admits(offer.now, offer.size) {
            return Err(DropReason::Queue);
        }
        (false, false)
    } else if let Some(place) = link.pull_queue() {
        return pull_queues.enter(place, offer.now, slot, links, store, events);
    } else {
        link.treat(offer, &store.attributes(slot))?
    };
    let departure = link.serve(offer.now, offer.size);
    if marked {
        store.get_mut(slot).mark();
    }
    if link.forwards_early() && !lost {
        cut_through(links, routes, store, events, offer, departure, slot);
        return Ok(());
    }
    let order = events.next_order(Class::Link, offer.id.0);
    if let Some(arrival) = link.append(departure, (order, lost, 0), slot, store) {
        events.insert_link(arrival, order);
    }
    Ok(())
}
