//! Cut-through and ingress buffers: hops that need no event of their own.
//!
//! Some link directions get all their packets from one other, as the exits of a dumbbell from its bottleneck.
//! Packets that the upstream link admits and does not lose arrive in order, at times known on admission. If the
//! downstream link will be idle then, the packet's departure from it is known too, and the hop needs no event. The packet
//! is booked on the last link direction whose departure is known, with the number of link directions that it has not
//! reached; from these `snapshot.rs` finds its position at any time.
//!
//! A packet that would have to wait comes hop by hop, and so do all packets behind it until it has arrived. So a packet
//! that cuts through never waits and is never dropped.
//!
//! Link directions that get packets from several others have ingress buffers instead (`link/ingress_buffer.rs`).

use ackclock_units::{Duration, Time};

use super::Network;
use crate::event_list::{Class, EventList};
use crate::link::Link;
use crate::link::ingress_buffer::PendingArrival;
use crate::link::offer::Offer;
use crate::packet::header::MAX_CUT_THROUGH;
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::routes::{END, Routes};
use crate::{LinkId, Passed, RouteCursor};

impl<P: Copy, A: Copy> Network<P, A> {
    /// Saves the event of a hop from one link direction to a second if all packets of the second come from the first,
    /// the second neither loses nor marks packets, and it is idle when the packet arrives. Then the packet's departure
    /// from the second is known when it enters the first. A link direction to which several others lead gets an ingress
    /// buffer if it, or every link direction after it, has a propagation delay; there one event admits many packets.
    ///
    /// Only the number of events changes. Packets that pass the far ends of the link directions in `noted` without an event
    /// are told by [`Network::take_passed`]: to note them changes nothing else. To be called when all routes are known and
    /// before anything is sent. From then on [`Network::catch_up`] must be called before the network is observed, or
    /// [`Network::catch_up_route`] before the drops of one flow are observed.
    ///
    /// # Panics
    /// If a packet has been sent.
    pub fn enable_cut_through(&mut self, noted: impl Fn(LinkId) -> bool) {
        assert!(self.counts.sent == 0, "cut-through is enabled before the first packet is sent");
        self.cut_through = true;
        let upstreams = sole_upstreams(&self.routes, self.links.len());
        for (index, upstream) in upstreams.into_iter().enumerate() {
            if let Some(upstream) = upstream
                && self.links[index].is_drop_tail_only()
                && self.links[upstream.index()].pull_queue().is_none()
                && !self.links[upstream.index()].has_path()
            {
                self.links[index].set_cut_through();
                self.links[upstream.index()].set_forwards_early();
            }
        }
        let predictable = |link: LinkId| self.links[link.index()].is_drop_tail_only();
        let inner = entered_only_from(&self.routes, self.links.len(), predictable);
        for id in (0..).map(LinkId).zip(inner).filter_map(|(id, inner)| inner.then_some(id)) {
            let link = &self.links[id.index()];
            let slack = self.slack(id, MAX_CUT_THROUGH);
            if !link.is_cut_through() && link.pull_queue().is_none() && !link.has_path() && !slack.is_zero() {
                self.links[id.index()].set_ingress_buffer(slack);
                self.ingress_buffered.push(id);
            }
        }
        for hop in self.routes.all().flat_map(|route| route.windows(2)) {
            if self.links[hop[1] as usize].has_ingress_buffer() {
                self.links[hop[0] as usize].set_forwards_early();
            }
        }
        for (id, link) in (0..).map(LinkId).zip(&mut self.links) {
            if link.forwards_early() && noted(id) {
                link.note_early();
            }
        }
    }

    /// The packets that have gone on from a noted link direction without an event since the last call, some of them before they reach
    /// its far end. Those of one link direction are in order.
    pub fn take_passed(&mut self) -> impl Iterator<Item = Passed<P, A>> {
        self.passed.drain(..)
    }

    /// The shortest time from a packet's arrival at a link direction to any visible effect of it: the
    /// propagation delay, or the next link direction's if no packet waits there. Follows up to `hops` further
    /// link directions.
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
}

/// Forwards an admitted packet from a link direction that forwards early, as far as its departures are known.
#[expect(clippy::inline_always, reason = "four calls per packet, each as dear as what is done")]
#[inline(always)]
pub(super) fn cut_through<P: Copy, A: Copy>(
    links: &mut [Link],
    routes: &Routes,
    store: &mut PacketStore<P, A>,
    passed: &mut Vec<Passed<P, A>>,
    events: &mut EventList,
    offer: &Offer,
    (mut departure, slot): (Time, SlotId),
) {
    let Offer { size, link: mut id, mut route, .. } = *offer;
    let mut hops = 0;
    while links[id.index()].forwards_early() {
        let next = routes.link(RouteCursor(route.0 + 1));
        if next.0 == END {
            break;
        }
        let (before, notes) = (id, links[id.index()].notes_early());
        let arrival = departure + links[id.index()].delay();
        let link = &mut links[next.index()];
        if link.has_ingress_buffer() {
            if notes {
                note(passed, store, arrival, before, slot);
            }
            let header = store.header_mut(slot);
            header.route = RouteCursor(route.0 + 1);
            header.set_cut_through_hops(hops);
            if let Some(due) = link.buffer_ingress(PendingArrival { time: arrival, upstream: before, slot }) {
                events.schedule(due, Class::Link, links.len() as u32 + next.0);
            }
            return;
        }
        if !link.is_cut_through() {
            break;
        }
        let Some(after) = link.serve_cut_through(arrival, size, hops < MAX_CUT_THROUGH) else { break };
        if notes {
            note(passed, store, arrival, before, slot);
        }
        (id, departure, hops) = (next, after, hops + 1);
        route.0 += 1;
    }
    store.header_mut(slot).route = route;
    if let Some(arrival) = links[id.index()].append(departure, (false, hops), slot, store) {
        events.insert_link(arrival, id.0);
    }
}

/// Notes a packet that passes the far end of a link direction without an event.
#[cold]
#[inline(never)]
fn note<P: Copy, A: Copy>(
    passed: &mut Vec<Passed<P, A>>,
    store: &PacketStore<P, A>,
    time: Time,
    link: LinkId,
    slot: SlotId,
) {
    passed.push(Passed { time, link, packet: store.packet(slot), extension: store.extension(slot) });
}

/// For each link direction the only one from which packets come, if there is one, by all routes.
fn sole_upstreams(routes: &Routes, links: usize) -> Vec<Option<LinkId>> {
    let mut upstream = vec![None; links];
    // Packets enter from a sender, or from several link directions.
    let mut open = vec![false; links];
    for route in routes.all() {
        let mut before = None;
        for link in route.iter().map(|link| LinkId(*link)) {
            let known = upstream[link.index()].replace(before);
            open[link.index()] |= before.is_none() || known.is_some_and(|known| known != before);
            before = Some(link);
        }
    }
    upstream.into_iter().zip(open).map(|(upstream, open)| upstream.flatten().filter(|_| !open)).collect()
}

/// The link directions all of whose packets come from others that are `predictable`.
fn entered_only_from(routes: &Routes, links: usize, predictable: impl Fn(LinkId) -> bool) -> Vec<bool> {
    let mut entered = vec![false; links];
    let mut open = vec![false; links];
    for route in routes.all() {
        open[route[0] as usize] = true;
        for hop in route.windows(2) {
            entered[hop[1] as usize] = true;
            open[hop[1] as usize] |= !predictable(LinkId(hop[0]));
        }
    }
    entered.into_iter().zip(open).map(|(entered, open)| entered && !open).collect()
}
