//! Where every packet of a network is at one instant, whatever has been booked ahead of time.

use ackclock_units::Time;

use crate::LinkId;
use crate::link::Link;
use crate::link_stats::LinkState;
use crate::pipe::{PacketStore, SlotId};
use crate::routes::Routes;

/// How all link directions stand now.
///
/// A packet that was let into link directions before it was there is found on the last of them. It waited on none, so
/// when it departs from each follows from the last, backwards.
pub(crate) fn link_states<P: Copy, A: Copy>(
    links: &[Link],
    routes: &Routes,
    store: &PacketStore<P, A>,
    now: Time,
) -> Vec<LinkState> {
    let mut snapshot = Snapshot { links, routes, now, states: vec![LinkState::default(); links.len()] };
    for (index, link) in links.iter().enumerate() {
        let id = LinkId(index as u32);
        for slot in link.pipe().iter(store) {
            let departure = store.get(slot).departure;
            snapshot.states[index].not_arrived(store.get(slot).size());
            snapshot.trace(store, slot, (id, departure), 0);
        }
        for coming in link.coming() {
            // It has left the link direction before this one, or has yet to.
            let before = routes.link_before(store.get(coming.slot).route, 1);
            let departure = earlier(coming.time, links[before.index()].delay().as_nanos());
            if coming.time > now {
                snapshot.states[before.index()].not_arrived(store.get(coming.slot).size());
            }
            snapshot.trace(store, coming.slot, (before, departure), 1);
        }
    }
    snapshot.states
}

struct Snapshot<'a> {
    links: &'a [Link],
    routes: &'a Routes,
    now: Time,
    states: Vec<LinkState>,
}

impl Snapshot<'_> {
    /// Counts a packet where it is, and is booked: it departs then from the link direction into which it was let last,
    /// which is so many `back` from where its cursor points.
    fn trace<P: Copy, A: Copy>(
        &mut self,
        store: &PacketStore<P, A>,
        slot: SlotId,
        (mut id, mut departure): (LinkId, Time),
        mut back: u32,
    ) {
        let Snapshot { links, routes, now, states } = self;
        let header = store.get(slot);
        let size = header.size();
        for ahead in (0..=header.ahead()).rev() {
            let transmission = links[id.index()].transmission_of(size);
            states[id.index()].count(*now, (departure, size, ahead > 0), transmission);
            let there = earlier(departure, transmission.as_nanos());
            if ahead == 0 || there <= *now {
                return;
            }
            back += 1;
            id = routes.link_before(header.route, back);
            states[id.index()].not_arrived(size);
            departure = earlier(there, links[id.index()].delay().as_nanos());
        }
    }
}

fn earlier(time: Time, nanos: u64) -> Time {
    Time::from_nanos(time.as_nanos() - nanos)
}
