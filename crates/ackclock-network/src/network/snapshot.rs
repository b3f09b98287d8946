//! The state of all link directions at one instant, corrected for packets that have cut through.

use ackclock_units::{Duration, Time};

use super::Network;
use crate::link::Link;
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::path::state::LinkState;
use crate::routes::Routes;
use crate::{LinkId, LinkStats, Occupancy};

impl<P: Copy, A: Copy> Network<P, A> {
    /// The state of all link directions now. Visits every packet in flight.
    pub fn snapshot(&self, now: Time) -> Snapshot<'_, P, A> {
        Snapshot { network: self, now, states: link_states(&self.links, &self.routes, &self.store, now) }
    }

    /// The queue in front of a link direction now, from its busy periods.
    pub fn queue(&mut self, link: LinkId, now: Time) -> Occupancy {
        let waiting = match self.links[link.index()].pull_queue() {
            Some(index) => self.pull_queues.get(index).occupancy(),
            None => self.links[link.index()].queue(now),
        };
        debug_assert!(
            !is_counted_again(now) || waiting == self.snapshot(now).queue(link),
            "{waiting:?} is not what a count packet by packet gives for {link:?} at {now:?}"
        );
        waiting
    }

    /// The mean capacity of a link direction since the last call, or since the start of the run, an `interval` ago, in bit/s. Not a number
    /// where the rate is in packets.
    pub fn sample_capacity(&mut self, link: LinkId, now: Time, interval: Duration) -> f64 {
        let Some(path) = self.links[link.index()].path_mut() else {
            return self.graph.edge(link).config.rate.bits_per_second().map_or(f64::NAN, |rate| rate as f64);
        };
        path.transmitter.sample_capacity(now).map_or(f64::NAN, |bits| bits / interval.as_secs_f64())
    }

    /// A link direction's statistics since the measurement began. Visits every packet in flight; see
    /// [`Network::snapshot`].
    pub fn link_stats(&self, link: LinkId, now: Time) -> LinkStats {
        self.snapshot(now).link_stats(link)
    }

    /// Begins the statistics of all links anew, at the end of a warm-up.
    pub fn measure_from(&mut self, now: Time) {
        let states = link_states(&self.links, &self.routes, &self.store, now);
        for (link, state) in self.links.iter_mut().zip(&states) {
            let counters = link.pull_queue().map(|index| {
                let queue = self.pull_queues.get_mut(index);
                queue.measure_from_now();
                queue.counters(now)
            });
            link.measure_from(now, state, counters);
        }
    }
}

/// The state of all link directions of a network at one instant.
#[derive(Debug)]
pub struct Snapshot<'a, P, A = ()> {
    network: &'a Network<P, A>,
    now: Time,
    states: Vec<LinkState>,
}

impl<P: Copy, A: Copy> Snapshot<'_, P, A> {
    /// The queue in front of a link direction.
    pub fn queue(&self, link: LinkId) -> Occupancy {
        match self.network.links[link.index()].pull_queue() {
            Some(index) => self.network.pull_queues.get(index).occupancy(),
            None => self.states[link.index()].waiting(),
        }
    }

    /// A link direction's statistics since the measurement began.
    pub fn link_stats(&self, id: LinkId) -> LinkStats {
        let Snapshot { network, now, states } = self;
        let (link, link_state) = (&network.links[id.index()], &states[id.index()]);
        let Some(index) = link.pull_queue() else { return link.stats(*now, link_state, None) };
        let queue = network.pull_queues.get(index);
        let mut stats = link.stats(*now, link_state, Some(queue.counters(*now)));
        stats.max_queue_packets = queue.max_waiting;
        stats.max_queueing_delay = Some(queue.max_waited);
        stats
    }
}

/// The state of every link direction.
///
/// A packet that has cut through is booked on the last of its link directions. It waited on none of them, so its
/// earlier departures follow from its last one.
fn link_states<P: Copy, A: Copy>(
    links: &[Link],
    routes: &Routes,
    store: &PacketStore<P, A>,
    now: Time,
) -> Vec<LinkState> {
    let mut visitor = Visitor { links, routes, now, states: vec![LinkState::default(); links.len()] };
    for (index, link) in links.iter().enumerate() {
        let id = LinkId(index as u32);
        if let Some(path) = link.path() {
            let mut state = link.path_state(now).unwrap_or_default();
            let headers = link.pipe().iter(store).chain(path.displaced.iter()).map(|slot| store.header(slot));
            headers.filter(|header| !header.is_copy()).for_each(|header| state.not_arrived(header.size()));
            visitor.states[index] = state;
            continue;
        }
        for slot in link.pipe().iter(store) {
            let departure = store.header(slot).departure;
            visitor.states[index].not_arrived(store.header(slot).size());
            visitor.visit(store, slot, (id, departure), 0);
        }
        for pending in link.pending() {
            // The packet departs from the previous link direction at this time, past or future.
            let before = pending.upstream;
            let departure = earlier(pending.time, links[before.index()].delay().as_nanos());
            if pending.time > now {
                visitor.states[before.index()].not_arrived(store.header(pending.slot).size());
            }
            visitor.visit(store, pending.slot, (before, departure), 1);
        }
    }
    visitor.states
}

/// Counts packets on the link directions where they are.
struct Visitor<'a> {
    links: &'a [Link],
    routes: &'a Routes,
    now: Time,
    states: Vec<LinkState>,
}

impl Visitor<'_> {
    /// Counts a packet on the link direction where it is, and on those after it on which it is booked. The packet
    /// departs at `departure` from link direction `id`, the last that it entered, `back` hops before its route
    /// cursor.
    fn visit<P: Copy, A: Copy>(
        &mut self,
        store: &PacketStore<P, A>,
        slot: SlotId,
        (mut id, mut departure): (LinkId, Time),
        mut back: u32,
    ) {
        let Visitor { links, routes, now, states } = self;
        let header = store.header(slot);
        let size = header.size();
        for hops in (0..=header.cut_through_hops()).rev() {
            let transmission = links[id.index()].transmission_of(size);
            states[id.index()].count(*now, (departure, size, hops > 0), transmission, store.arrival(slot));
            let arrival = earlier(departure, transmission.as_nanos());
            if hops == 0 || arrival <= *now {
                return;
            }
            back += 1;
            id = routes.link_before(header.route, back);
            states[id.index()].not_arrived(size);
            departure = earlier(arrival, links[id.index()].delay().as_nanos());
        }
    }
}

/// True if a debug build counts the queues of this instant packet by packet too. One instant in 31 is counted: 31
/// divides no usual interval of sampling, and to count at every sample takes twenty times as long as the simulation
/// itself.
fn is_counted_again(now: Time) -> bool {
    const ONE_IN: u64 = 31;
    (now.as_nanos() / 1000).is_multiple_of(ONE_IN)
}

fn earlier(time: Time, nanos: u64) -> Time {
    Time::from_nanos(time.as_nanos() - nanos)
}
