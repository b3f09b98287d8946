//! Packets through the network: sending, hops, delivery, and the events of queues and ingress buffers.

use ackclock_units::Time;

use super::Network;
use super::cut_through::cut_through;
use super::varying::enter_path;
use crate::event_list::{Class, EventList};
use crate::link::Link;
use crate::link::ingress_buffer::PendingArrival;
use crate::link::offer::Offer;
use crate::packet::header::flow_of;
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::pull::PullQueues;
use crate::routes::{END, Routes};
use crate::{
    Arrival, Delivered, DropReason, ExtensionSlot, Fate, LinkId, Packet, Passed, Refused, RouteCursor,
    Upcoming,
};

/// A packet of an ingress buffer is prefetched this many admissions before its own, and the link direction that it enters next in two
/// steps after that.
const ADMISSIONS_AHEAD: usize = 8;

impl<P: Copy, A: Copy> Network<P, A> {
    /// Offers a packet to the link direction at its cursor.
    #[expect(
        clippy::inline_always,
        reason = "a packet is to be made in its slot: read back from elsewhere, just written, it would be waited for"
    )]
    #[inline(always)]
    pub fn send(&mut self, now: Time, packet: &Packet<P>, events: &mut EventList) -> Fate {
        let slot = self.store.insert(packet);
        self.offer(slot, packet.route, packet.size, now, events)
    }

    /// Offers a packet with an extension.
    #[inline]
    pub fn send_with(
        &mut self,
        now: Time,
        packet: &Packet<P>,
        extension: &A,
        events: &mut EventList,
    ) -> Fate {
        let slot = self.store.insert(packet);
        self.store.set_extension(slot, extension);
        self.offer(slot, packet.route, packet.size, now, events)
    }

    /// The packet that the latest [`send`](Self::send) or [`send_with`](Self::send_with) dropped. To be called before
    /// another packet is sent.
    pub fn dropped(&self) -> Packet<P> {
        self.store.removed_last()
    }

    /// Offers a packet to its first link direction.
    #[expect(clippy::inline_always, reason = "as its callers")]
    #[inline(always)]
    fn offer(
        &mut self,
        slot: SlotId,
        route: RouteCursor,
        size: u32,
        now: Time,
        events: &mut EventList,
    ) -> Fate {
        let link = self.routes.link(route);
        debug_assert!(link.0 != END, "a packet is sent at the end of its route");
        let direction = &self.links[link.index()];
        if !direction.is_drop_tail_only() {
            self.offer_to_any(slot, link, size, now, events)
        } else if direction.forwards_early() {
            self.offer_through(slot, link, size, now, events)
        } else {
            self.offer_to_plain(slot, link, size, now, events)
        }
    }

    /// Offers a packet to a drop-tail queue behind which every packet arrives by an event. The usual case makes no call
    /// and saves few registers; other packets take the general path.
    #[inline(never)]
    fn offer_to_plain(
        &mut self,
        slot: SlotId,
        id: LinkId,
        size: u32,
        now: Time,
        events: &mut EventList,
    ) -> Fate {
        let link = &mut self.links[id.index()];
        let wait = link.wait(now);
        if !link.takes_usual(wait, size) {
            return self.offer_to_any(slot, id, size, now, events);
        }
        self.counts.sent += 1;
        let departure = if wait.is_zero() {
            link.serve_at_once(now, size)
        } else {
            self.store.set_arrival(slot, now);
            link.serve_usual(wait, now, size)
        };
        if let Some(arrival) = link.append(departure, (false, 0), slot, &mut self.store) {
            events.insert_rare_link(arrival, id.0);
        }
        Fate::Queued
    }

    /// Offers a packet to a drop-tail queue in front of directions that packets enter without an event. Most find the
    /// transmitter idle, as on an access link, and an ingress buffer behind it; others take the general path.
    #[inline(never)]
    fn offer_through(
        &mut self,
        slot: SlotId,
        id: LinkId,
        size: u32,
        now: Time,
        events: &mut EventList,
    ) -> Fate {
        let Network { links, store, routes, counts, .. } = self;
        let header = store.header_mut(slot);
        let route = RouteCursor(header.route.0 + 1);
        let next = routes.link(route);
        let is_usual = links[id.index()].takes_at_once(now, size)
            && links.get(next.index()).is_some_and(Link::has_ingress_buffer);
        if !is_usual {
            return self.offer_to_any(slot, id, size, now, events);
        }
        counts.sent += 1;
        header.route = route;
        let link = &mut links[id.index()];
        let time = link.serve_at_once(now, size) + link.delay();
        if let Some(due) = links[next.index()].buffer_ingress(PendingArrival { time, upstream: id, slot }) {
            events.schedule(due, Class::Link, links.len() as u32 + next.0);
        }
        Fate::Queued
    }

    /// Offers a packet to a link direction of any kind.
    #[inline(never)]
    fn offer_to_any(
        &mut self,
        slot: SlotId,
        link: LinkId,
        size: u32,
        now: Time,
        events: &mut EventList,
    ) -> Fate {
        self.counts.sent += 1;
        let route = self.store.header(slot).route;
        let Network { links, store, routes, pull_queues, passed, .. } = self;
        let offer = Offer { link, now, route, size };
        let mut parts = Parts { links, routes, store, pull_queues, passed };
        match enter(&mut parts, events, &offer, slot) {
            Ok(()) => Fate::Queued,
            Err(reason) => {
                store.discard(slot);
                self.counts.refuse(reason);
                Fate::Dropped { link, reason }
            }
        }
    }

    /// Processes the arrival of a link direction's head at the far end, where it is delivered or offered to the next link.
    ///
    /// To be called for every event of [`Class::Link`], with the event's target and time, and for nothing else.
    #[inline(never)]
    pub fn arrive(&mut self, link: LinkId, now: Time, events: &mut EventList) -> Arrival<P, A> {
        if link.index() >= self.links.len() {
            return self.on_queue_event(link, now, events);
        }
        let slot = self.take_head(link, events);
        self.reach_far_end(slot, link, now, events)
    }

    /// Delivers a packet that has arrived at the far end of a link direction, or offers it to the next.
    #[expect(clippy::inline_always, reason = "of its two callers one is cold")]
    #[inline(always)]
    fn reach_far_end(
        &mut self,
        slot: SlotId,
        link: LinkId,
        now: Time,
        events: &mut EventList,
    ) -> Arrival<P, A> {
        let Network { links, store, routes, counts, .. } = self;
        let header = store.header_mut(slot);
        let size = header.size();
        if header.is_lost() && !links[link.index()].leave_tunnel(slot, header) {
            counts.dropped_loss += 1;
            // A link direction counts what it admits, and no copies.
            if !header.is_copy() {
                links[link.index()].count_loss(now, flow_of(header.flow_key), size);
            }
            return Arrival::Dropped { link, reason: DropReason::Loss, packet: store.discard(slot) };
        }
        header.route.0 += 1;
        let next = routes.link(header.route);
        if next.0 == END {
            counts.delivered += 1;
            let extension = store.extension(slot);
            return Arrival::Delivered(store.discard(slot), extension);
        }
        self.forward(slot, next, now, events)
    }

    /// [`arrive`](Self::arrive) for a head that has reached its destination, the usual case. For any other head it
    /// returns none and changes nothing; then `arrive` must be called.
    #[expect(clippy::inline_always, reason = "a packet that is taken apart at once is never copied")]
    #[inline(always)]
    pub fn deliver(&mut self, link: LinkId, events: &mut EventList) -> Option<Delivered<P>> {
        let Network { links, store, routes, counts, .. } = self;
        let direction = links.get_mut(link.index())?;
        let header = store.header(direction.head()?);
        let (route, has_extension) = (RouteCursor(header.route.0 + 1), header.has_extension());
        if header.is_lost() || routes.link(route).0 != END {
            return None;
        }
        counts.delivered += 1;
        // The packet is removed before the event of the packet behind it is inserted, while its slot is in the cache.
        let (slot, next) = direction.dequeue(store);
        let packet = Packet { route, ..store.remove(slot) };
        if let Some(time) = next {
            events.insert_link(time, link.0);
        }
        Some(Delivered { packet, extension: has_extension.then_some(ExtensionSlot(slot)) })
    }

    /// Takes the extension of the packet delivered last out of the store. To be called before another packet is sent.
    #[inline]
    pub fn take_extension(&mut self, slot: ExtensionSlot) -> A {
        self.store.take_extension(slot.0)
    }

    /// Takes the head off a link direction, and schedules the arrival of the packet behind it.
    #[inline]
    fn take_head(&mut self, link: LinkId, events: &mut EventList) -> SlotId {
        let (slot, next) = self.links[link.index()].dequeue(&self.store);
        if let Some(time) = next {
            events.insert_link(time, link.0);
        }
        slot
    }

    /// Offers a packet that comes hop by hop to its next link direction.
    #[inline(never)]
    fn forward(&mut self, slot: SlotId, next: LinkId, now: Time, events: &mut EventList) -> Arrival<P, A> {
        let Network { links, store, routes, counts, pull_queues, passed, .. } = self;
        let header = store.header(slot);
        let offer = Offer { link: next, now, route: header.route, size: header.size() };
        links[next.index()].on_hop_by_hop_arrival();
        let mut parts = Parts { links, routes, store, pull_queues, passed };
        match enter(&mut parts, events, &offer, slot) {
            Ok(()) => Arrival::Forwarded { next },
            Err(reason) => {
                counts.refuse(reason);
                Arrival::Dropped { link: next, reason, packet: store.discard(slot) }
            }
        }
    }

    /// Processes an event of a pull queue or of an ingress buffer.
    #[inline(never)]
    fn on_queue_event(&mut self, target: LinkId, now: Time, events: &mut EventList) -> Arrival<P, A> {
        let link = LinkId((target.index() - self.links.len()) as u32);
        if self.links[link.index()].has_path() {
            return self.on_path_event(link, now, events);
        }
        let Network { links, store, counts, pull_queues, .. } = self;
        if let Some(index) = links[link.index()].pull_queue() {
            let arrival = pull_queues.on_event::<false>(index, now, links, store, events);
            if let Arrival::Dropped { reason, .. } = arrival {
                counts.refuse(reason);
            }
            return arrival;
        }
        if links[link.index()].ingress().fires(now) {
            self.admit_pending(link, now, events);
        }
        Arrival::Admitted
    }

    /// Processes an event of a link direction on which something varies: a packet arrives out of order, or the transmitter
    /// pulls from the queue.
    #[cold]
    #[inline(never)]
    fn on_path_event(&mut self, link: LinkId, now: Time, events: &mut EventList) -> Arrival<P, A> {
        if let Some(slot) = self.links[link.index()].path_mut().and_then(|path| path.displaced.take(now)) {
            return self.reach_far_end(slot, link, now, events);
        }
        let Network { links, store, counts, pull_queues, .. } = self;
        let Some(index) = links[link.index()].pull_queue() else { return Arrival::Admitted };
        let arrival = pull_queues.on_event::<true>(index, now, links, store, events);
        if let Arrival::Dropped { reason, .. } = arrival {
            counts.refuse(reason);
        }
        arrival
    }

    /// Admits all packets in ingress buffers that have arrived by now.
    pub fn catch_up(&mut self, now: Time, events: &mut EventList) {
        for index in 0..self.ingress_buffered.len() {
            self.admit_pending(self.ingress_buffered[index], now, events);
        }
    }

    /// Admits the packets in the ingress buffers of a route that have arrived by now, for readers of one flow.
    pub fn catch_up_route(&mut self, mut route: RouteCursor, now: Time, events: &mut EventList) {
        loop {
            let link = self.routes.link(route);
            if link.0 == END {
                return;
            }
            if self.links[link.index()].has_ingress_buffer() {
                self.admit_pending(link, now, events);
            }
            route.0 += 1;
        }
    }

    /// Admits the packets in a link direction's ingress buffer that have arrived by `until`.
    fn admit_pending(&mut self, link: LinkId, until: Time, events: &mut EventList) {
        let Network { links, store, routes, counts, pull_queues, refused, passed, .. } = self;
        let (mut pending, count) = links[link.index()].ingress().take(until);
        let are_far = store.is_large();
        for place in 0..count {
            if are_far {
                let next = |ahead: usize| {
                    let route = store.header(pending.get(place + ahead)?.slot).route;
                    links.get(routes.link(RouteCursor(route.0 + 1)).index())
                };
                if let Some(link) = next(ADMISSIONS_AHEAD / 4) {
                    link.prefetch_beyond();
                }
                if let Some(link) = next(ADMISSIONS_AHEAD / 2) {
                    link.prefetch();
                }
                if let Some(later) = pending.get(place + ADMISSIONS_AHEAD) {
                    store.prefetch(later.slot);
                }
            }
            let PendingArrival { time, slot, .. } = pending[place];
            let header = store.header(slot);
            let offer = Offer { link, now: time, route: header.route, size: header.size() };
            let mut parts = Parts { links, routes, store, pull_queues, passed };
            if let Err(reason) = enter(&mut parts, events, &offer, slot) {
                counts.refuse(reason);
                refused.push(Refused { time, link, reason, packet: store.discard(slot) });
            }
        }
        pending.drain(..count);
        self.admitted += count as u64;
        let links = &mut self.links;
        if let Some(due) = links[link.index()].ingress().put_back(pending) {
            events.schedule(due, Class::Link, links.len() as u32 + link.0);
        }
    }

    /// The packets refused from ingress buffers since the last call, which no [`Arrival`] reports. Those of one queue are
    /// in order.
    pub fn take_refused(&mut self) -> impl Iterator<Item = Refused<P>> {
        self.refused.drain(..)
    }

    /// The packets of the next two link events, if the events of many links are pending, as behind a dumbbell; for prefetching. Those
    /// of the third and the fourth are prefetched here.
    #[inline]
    pub fn upcoming_anywhere(&self, events: &EventList) -> Option<[Option<Upcoming>; 2]> {
        let [first, second, third, fourth] =
            events.next_links()?.map(|target| self.links.get(target as usize));
        if let Some(link) = fourth {
            link.prefetch();
        }
        if let Some(slot) = third.and_then(Link::head) {
            self.store.prefetch(slot);
        }
        Some([first, second].map(|link| Some(Upcoming::from(self.store.header(link?.head()?)))))
    }

    /// The next two packets to arrive over a link direction, for prefetching. The third is prefetched here.
    #[inline]
    pub fn upcoming(&self, link: LinkId) -> Option<[Upcoming; 2]> {
        self.links.get(link.index())?.pipe().upcoming(&self.store)
    }

    /// Prefetches the memory that a packet of a flow will need at its first link, and in the queue there.
    #[inline]
    pub fn prefetch_entry(&self, route: RouteCursor, flow: u32) {
        let Some(link) = self.links.get(self.routes.link(route).index()) else { return };
        link.prefetch();
        if !self.pull_queues.is_empty()
            && !link.is_drop_tail_only()
            && let Some(index) = link.pull_queue()
        {
            self.pull_queues.prefetch(index, flow);
        }
    }

    /// The packet, with its extension, that the next event of this link direction brings to the far end (unless it is
    /// lost), for captures.
    pub fn head(&self, link: LinkId) -> Option<(Packet<P>, Option<A>)> {
        let slot = self.links.get(link.index())?.head()?;
        Some((self.store.packet(slot), self.store.extension(slot)))
    }

    /// The packet out of order, with its extension, that the event of this target brings to the far end of a link
    /// direction, and that link direction; for captures.
    pub fn out_of_order_head(&self, target: LinkId, now: Time) -> Option<(LinkId, Packet<P>, Option<A>)> {
        let link = target.index().checked_sub(self.links.len())?;
        let slot = self.links.get(link)?.path()?.displaced.due(now)?;
        Some((LinkId(link as u32), self.store.packet(slot), self.store.extension(slot)))
    }
}

/// The parts of a network that a packet uses on entering a link direction.
struct Parts<'a, P, A> {
    links: &'a mut [Link],
    routes: &'a Routes,
    store: &'a mut PacketStore<P, A>,
    pull_queues: &'a mut PullQueues<P, A>,
    passed: &'a mut Vec<Passed<P, A>>,
}

/// Offers a packet to a link direction.
///
/// # Errors
/// The reason for which it is dropped.
#[expect(clippy::inline_always, reason = "twice per packet, and nearly all that its callers do")]
#[inline(always)]
fn enter<P: Copy, A: Copy>(
    parts: &mut Parts<'_, P, A>,
    events: &mut EventList,
    offer: &Offer,
    slot: SlotId,
) -> Result<(), DropReason> {
    let Parts { links, routes, store, pull_queues, passed } = parts;
    let Offer { now, size, .. } = *offer;
    let link = &mut links[offer.link.index()];
    let mut lost = false;
    let departure = if link.is_drop_tail_only() {
        let wait = link.wait(now);
        if wait.is_zero() {
            link.serve_at_once(now, size)
        } else if link.admits_after(wait, now, size) {
            store.set_arrival(slot, now);
            link.serve_after(wait, now, size)
        } else {
            return Err(DropReason::Queue);
        }
    } else if link.has_path() {
        return enter_path(links, store, pull_queues, events, *offer, slot);
    } else if let Some(index) = link.pull_queue() {
        return pull_queues.enter::<false>(index, now, slot, links, store, events);
    } else {
        let departure;
        (departure, lost) = admit(link, store, *offer, slot)?;
        departure
    };
    if link.forwards_early() && !lost {
        cut_through(links, routes, store, passed, events, offer, (departure, slot));
        return Ok(());
    }
    if let Some(arrival) = link.append(departure, (lost, 0), slot, store) {
        events.insert_link(arrival, offer.link.0);
    }
    Ok(())
}

/// Admits a packet to a link direction that may lose or mark it. Returns its departure, and whether it will be lost.
///
/// # Errors
/// The reason for which it is dropped.
#[inline(never)]
fn admit<P: Copy, A: Copy>(
    link: &mut Link,
    store: &mut PacketStore<P, A>,
    offer: Offer,
    slot: SlotId,
) -> Result<(Time, bool), DropReason> {
    let (lost, marked) = link.admit(&offer, &store.attributes(slot))?;
    if marked {
        store.header_mut(slot).mark();
    }
    if !link.wait(offer.now).is_zero() {
        store.set_arrival(slot, offer.now);
    }
    Ok((link.serve(offer.now, offer.size), lost))
}
