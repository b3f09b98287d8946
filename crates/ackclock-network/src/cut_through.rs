//! Packets whose way is known beyond the link direction they enter.
//!
//! Some link directions are fed by one other alone, as the exits of a dumbbell are by its bottleneck. What that one
//! admits and does not lose reaches them in order, at a time known on admission; if such a link will be idle then, the
//! packet's departure from it is known too, and no event is needed where the two meet. The packet is put where its way
//! is no longer known, with the number of link directions it has not reached; whoever looks finds from that where it is
//! now (`snapshot.rs`).
//!
//! A packet that would have to wait goes step by step, and so do all behind it until it is through; so one that goes
//! ahead never waits and is never refused.

use ackclock_units::Time;

use crate::event_list::{Class, EventList};
use crate::ingress_buffer::PendingArrival;
use crate::link::{Link, Offer};
use crate::pipe::{MAX_CUT_THROUGH, PacketStore, SlotId};
use crate::routes::{END, Routes};
use crate::{LinkId, RouteCursor};

/// Lets a packet that is admitted go on from a link direction that feeds others, as far as its way is known.
#[expect(clippy::inline_always, reason = "four calls per packet, each as dear as what is done")]
#[inline(always)]
pub(crate) fn cut_through<P: Copy, A: Copy>(
    links: &mut [Link],
    routes: &Routes,
    store: &mut PacketStore<P, A>,
    events: &mut EventList,
    offer: &Offer,
    mut departure: Time,
    slot: SlotId,
) {
    let Offer { size, mut id, mut route, .. } = *offer;
    let mut ahead = 0;
    while links[id.index()].forwards_early() {
        let next = routes.link(RouteCursor(route.0 + 1));
        if next.0 == END {
            break;
        }
        let there = departure + links[id.index()].delay();
        let link = &mut links[next.index()];
        if link.has_ingress_buffer() {
            let header = store.get_mut(slot);
            header.route = RouteCursor(route.0 + 1);
            header.set_ahead(ahead);
            if let Some(due) = link.expect(PendingArrival { time: there, slot }) {
                events.schedule(due, Class::Link, links.len() as u32 + next.0);
            }
            return;
        }
        if !link.is_cut_through() {
            break;
        }
        let Some(after) = link.pass(there, size, ahead < MAX_CUT_THROUGH) else { break };
        (id, departure, ahead) = (next, after, ahead + 1);
        route.0 += 1;
    }
    store.get_mut(slot).route = route;
    let order = events.next_order(Class::Link, id.0);
    if let Some(arrival) = links[id.index()].append(departure, (order, false, ahead), slot, store) {
        events.insert_link(arrival, order);
    }
}

/// Per link direction the only one that feeds it, if there is one, from all routes that packets take.
pub(crate) fn sole_upstreams(routes: &Routes, links: usize) -> Vec<Option<LinkId>> {
    let mut upstream = vec![None; links];
    // Entered from outside, or from several link directions.
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
