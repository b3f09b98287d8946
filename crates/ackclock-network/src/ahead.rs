//! Packets whose way is known beyond the link direction they enter.
//!
//! Some link directions are fed by one other alone, as the exits of a dumbbell are by its bottleneck. What that one
//! admits and does not lose reaches them in order, at a time known on admission; if such a link will be idle then, the
//! packet's departure from it is known too, and no event is needed where the two meet. The packet is put where its way
//! is no longer known, and each link direction that it leaves behind remembers its departure.
//!
//! A packet that would have to wait goes step by step, and so do all behind it until it is through; so one that goes
//! ahead never waits and is never refused.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use crate::event_list::{Class, EventList};
use crate::inbox::Coming;
use crate::link::{Entry, Link};
use crate::pipe::{Slot, Store};
use crate::routes::{END, Routes};
use crate::{LinkId, RouteCursor};

/// Lets a packet that is admitted go on from a link direction that feeds others, as far as its way is known.
pub(crate) fn go_on<P: Copy>(
    links: &mut [Link],
    routes: &Routes,
    store: &mut Store<P>,
    events: &mut EventList,
    entry: &Entry,
    mut departure: Time,
    slot: Slot,
) {
    let Entry { now, size, mut id, mut route, .. } = *entry;
    let mut ahead = false;
    while links[id.index()].feeds() {
        let next = routes.link(RouteCursor(route.0 + 1));
        if next.0 == END {
            break;
        }
        let there = departure + links[id.index()].delay();
        if links[next.index()].collects() {
            links[id.index()].leave(now, departure, size, ahead);
            store.get_mut(slot).route = RouteCursor(route.0 + 1);
            if let Some(due) = links[next.index()].expect(Coming { time: there, slot }) {
                events.schedule(due, Class::Link, links.len() as u32 + next.0);
            }
            return;
        }
        if !links[next.index()].is_fed() {
            break;
        }
        let Some(after) = links[next.index()].pass(there, size) else { break };
        links[id.index()].leave(now, departure, size, ahead);
        (id, departure, ahead) = (next, after, true);
        route.0 += 1;
    }
    store.get_mut(slot).route = route;
    let order = events.next_order(Class::Link, id.0);
    if let Some(arrival) = links[id.index()].append(departure, (order, false, ahead), slot, store) {
        events.insert_link(arrival, order);
    }
}

/// Per link direction the only one that feeds it, if there is one, from all routes that packets take.
pub(crate) fn only_feeders(routes: &Routes, links: usize) -> Vec<Option<LinkId>> {
    let mut feeder = vec![None; links];
    // Entered from outside, or from several link directions.
    let mut open = vec![false; links];
    for route in routes.all() {
        let mut before = None;
        for link in route.iter().map(|link| LinkId(*link)) {
            let known = feeder[link.index()].replace(before);
            open[link.index()] |= before.is_none() || known.is_some_and(|known| known != before);
            before = Some(link);
        }
    }
    feeder.into_iter().zip(open).map(|(feeder, open)| feeder.flatten().filter(|_| !open)).collect()
}

/// A packet that has gone ahead of the events, as the link direction it left remembers it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gone {
    pub(crate) departure: Time,
    pub(crate) size: u32,
    /// Whether it had been let into this link direction, too, before it was there.
    pub(crate) ahead: bool,
}

/// What has gone ahead from a link direction and may not have reached its far end yet, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    gone: VecDeque<Gone>,
    /// How many of them, from the oldest, had departed when last looked.
    departed: usize,
    /// All that ever went.
    pub(crate) count: u64,
}

impl Trail {
    /// Remembers a packet. What has reached the far end of a link direction with this delay is forgotten when the room
    /// is needed.
    #[inline]
    pub(crate) fn push(&mut self, gone: Gone, now: Time, delay: Duration) {
        if self.is_full() {
            self.make_room(now, delay);
        }
        self.gone.push_back(gone);
        self.count += 1;
    }

    /// Whether the next packet needs room.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.gone.len() == self.gone.capacity()
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, now: Time, delay: Duration) {
        let arrived =
            self.gone.iter().take(self.departed).take_while(|gone| gone.departure + delay <= now).count();
        self.gone.drain(..arrived);
        self.departed -= arrived;
        if 2 * arrived < self.gone.capacity() {
            self.gone.reserve((2 * self.gone.capacity()).max(8) - self.gone.len());
        }
    }

    /// The next to depart, if one has not departed yet.
    #[inline]
    pub(crate) fn undeparted(&self) -> Option<Gone> {
        self.gone.get(self.departed).copied()
    }

    /// How many have not departed.
    #[inline]
    pub(crate) fn waiting(&self) -> usize {
        self.gone.len() - self.departed
    }

    /// The next to depart has departed.
    #[inline]
    pub(crate) fn depart(&mut self) {
        self.departed += 1;
    }

    /// All have departed.
    #[inline]
    pub(crate) fn all_depart(&mut self) {
        self.departed = self.gone.len();
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Gone> {
        self.gone.iter().copied()
    }
}
