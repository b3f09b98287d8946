//! A link direction on which something varies: admission, transmission and the way of a packet by its [`Path`].

use ackclock_units::Time;

use super::Link;
use crate::event_list::{Class, EventList};
use crate::packet::header::{PacketHeader, flow_of};
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::path::state::LinkState;
use crate::path::{Path, WorkDone};
use crate::{DropReason, LinkId};

impl Link {
    /// True if something varies.
    #[inline]
    pub(crate) fn has_path(&self) -> bool {
        self.cold.path.is_some()
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.cold.path.as_deref()
    }

    pub(crate) fn path_mut(&mut self) -> Option<&mut Path> {
        self.cold.path.as_deref_mut()
    }

    /// [`Path::conforms`].
    #[inline(never)]
    pub(crate) fn conforms(&mut self, now: Time, flow: u32, size: u32) -> Result<(), DropReason> {
        self.cold.path.as_mut().map_or(Ok(()), |path| path.conforms(now, flow, size))
    }

    /// [`Link::admits`] for a varying link, from the packets that wait.
    pub(super) fn path_admits(&mut self, now: Time, size: u32) -> bool {
        let Some(path) = &mut self.cold.path else { return true };
        let waiting = path.transmitter.waiting(now);
        if path.transmitter.takes_at_once(now, size) {
            return true;
        }
        if !self.cold.buffer.admits(size, waiting) {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.max_waiting = self.max_waiting.max(waiting.packets + 1);
        true
    }

    /// Enqueues an admitted packet, or transmits one that was `pulled`. Returns the beginning of its transmission and its
    /// departure.
    #[inline(never)]
    pub(crate) fn transmit(&mut self, now: Time, size: u32, pulled: bool) -> (Time, Time) {
        let Some(path) = &mut self.cold.path else {
            let begin = self.free_at().max(now);
            return (begin, self.serve(now, size));
        };
        let accept = &mut path.transmitter;
        let (begin, departure) =
            if pulled { accept.accept_pulled(now, size) } else { accept.accept(now, size) };
        self.period.end = departure;
        self.admitted += 1;
        self.bytes_before += u64::from(size);
        self.admitted_before += 1;
        let wait = begin.since(now);
        self.add_waited(wait);
        (begin, departure)
    }

    /// Sends a packet that departs over the wire, with its copies behind it. Packets out of order have events with the link
    /// direction's second target.
    #[inline(never)]
    pub(crate) fn carry<P: Copy, A: Copy>(
        &mut self,
        (departure, lost): (Time, bool),
        slot: SlotId,
        (id, second_target): (LinkId, u32),
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) {
        let flow = store.header(slot).flow_key;
        let Some(path) = &mut self.cold.path else {
            return self.follow((departure, lost), slot, id, store, events);
        };
        let transit = path.wire.carry(departure, flow);
        let (arrival, mut lost) = (transit.arrival, lost || transit.lost);
        let copies = if lost { 0 } else { transit.copies };
        path.copies += u64::from(copies);
        if let Some(tunnel) = &mut path.tunnel {
            tunnel.note(slot, lost);
            lost = true;
        }
        if transit.displaced {
            store.header_mut(slot).enter(arrival, lost, 0);
            path.displaced.add(arrival, slot, transit.behind);
            events.schedule(arrival, Class::Link, second_target);
        } else {
            let (time, count) = path.displaced.pass(arrival).unwrap_or((Time::MAX, 0));
            for _ in 0..count {
                events.schedule(time, Class::Link, second_target);
            }
            self.follow((arrival, lost), slot, id, store, events);
        }
        for _ in 0..copies {
            let copy = store.copy(slot);
            let Some(path) = &mut self.cold.path else { return };
            if let Some(tunnel) = &mut path.tunnel {
                tunnel.copy(slot, copy);
            }
            if transit.displaced {
                store.header_mut(copy).enter(arrival, lost, 0);
                path.displaced.add(arrival, copy, 0);
                events.schedule(arrival, Class::Link, second_target);
            } else {
                self.follow((arrival, lost), copy, id, store, events);
            }
            store.header_mut(copy).set_copy();
        }
    }

    /// Appends a packet to those that arrive in order.
    fn follow<P: Copy, A: Copy>(
        &mut self,
        (departure, lost): (Time, bool),
        slot: SlotId,
        id: LinkId,
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) {
        if let Some(arrival) = self.append(departure, (lost, 0), slot, store) {
            events.insert_link(arrival, id.0);
        }
    }

    /// The instant at which the transmitter pulls a packet that arrives now at an empty queue.
    #[inline(never)]
    pub(crate) fn pulls_arriving_at(&mut self, now: Time) -> Time {
        let free_at = self.free_at();
        self.cold.path.as_mut().map_or(free_at, |path| path.transmitter.pulls_arriving_at(now))
    }

    /// The instant at which the transmitter pulls the next of the packets that wait.
    #[inline(never)]
    pub(crate) fn pulls_next_at(&self) -> Time {
        self.cold.path.as_ref().map_or(self.free_at(), |path| path.transmitter.pulls_next_at())
    }

    /// Puts the outer header of the tunnel around a packet, if there is one. Returns its bytes on the wire.
    pub(crate) fn enter_tunnel<P: Copy, A: Copy>(
        &mut self,
        slot: SlotId,
        store: &mut PacketStore<P, A>,
    ) -> u32 {
        let header = store.header_mut(slot);
        if let Some(tunnel) = self.cold.path.as_mut().and_then(|path| path.tunnel.as_mut()) {
            tunnel.enter(slot, header);
        }
        header.size()
    }

    /// A packet is dropped before its end of the link direction: takes the outer header of the tunnel off, if there is one.
    #[cold]
    pub(crate) fn abandon<P: Copy, A: Copy>(
        &mut self,
        now: Time,
        slot: SlotId,
        reason: DropReason,
        store: &mut PacketStore<P, A>,
    ) {
        let Some(path) = &mut self.cold.path else { return };
        let header = store.header_mut(slot);
        path.note_drop(now, flow_of(header.flow_key), reason);
        if let Some(tunnel) = &path.tunnel {
            tunnel.abandon(slot, header);
        }
    }

    /// Takes the outer header off a packet at the end of the tunnel. False if the packet does not go on, as without a
    /// tunnel, where it is lost.
    #[cold]
    pub(crate) fn leave_tunnel(&mut self, slot: SlotId, header: &mut PacketHeader) -> bool {
        let tunnel = self.cold.path.as_mut().and_then(|path| path.tunnel.as_mut());
        tunnel.is_some_and(|tunnel| tunnel.leave(slot, header))
    }

    /// The state of the queue, if something varies.
    pub(crate) fn path_state(&self, now: Time) -> Option<LinkState> {
        self.cold.path.as_ref().map(|path| path.transmitter.state(now))
    }

    /// The work done until now, if something varies.
    pub(crate) fn work(&self, now: Time) -> Option<WorkDone> {
        self.cold.path.as_ref().map(|path| path.transmitter.work(now))
    }
}
