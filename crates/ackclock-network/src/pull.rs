//! Link directions whose queue is asked for a packet when the transmitter falls idle.
//!
//! Such a queue stands before the link's pipe: a packet enters the pipe when its transmission begins. That it ends is an
//! event of its own where others wait, as is what the queue gives up behind a packet's back. Both are of
//! [`Class::Link`], with numbers above those of all link directions as their targets.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use crate::event_list::{Class, EventList};
use crate::link::Link;
use crate::link_stats::QueueCounters;
use crate::pipe::{PacketStore, SlotId};
use crate::queue::scheduler::{Discard, QueuedPacket, Scheduler};
use crate::{Arrival, DropReason, HeaderView, LinkId, Occupancy};

/// The queue of one link direction.
#[derive(Debug)]
pub(crate) struct PullQueue {
    pub(crate) link: LinkId,
    scheduler: Box<dyn Scheduler>,
    /// When the transmitter asks for the next packet, if one is to wait until then.
    next_service: Option<Time>,
    /// Given up, and not yet reported: the oldest first.
    discarded: VecDeque<Discard>,
    /// Room for what the queue gives up at one call.
    just_discarded: Vec<Discard>,
    counts: QueueCounters,
    /// When [`QueueCounters::area`] was last brought up to date.
    counted_at: Time,
    pub(crate) max_waiting: u32,
    pub(crate) max_waited: Duration,
}

impl Clone for PullQueue {
    fn clone(&self) -> PullQueue {
        PullQueue {
            scheduler: self.scheduler.boxed(),
            discarded: self.discarded.clone(),
            just_discarded: self.just_discarded.clone(),
            ..*self
        }
    }
}

/// All such queues of a network.
#[derive(Clone, Debug)]
pub(crate) struct PullQueues<P> {
    all: Vec<PullQueue>,
    /// The target of a queue's events is its link's number above this one.
    first_target: u32,
    /// What queues see of what packets carry.
    pub(crate) look: fn(&P) -> HeaderView,
}

impl<P: Copy> PullQueues<P> {
    pub(crate) fn new(links: usize) -> PullQueues<P> {
        PullQueues { all: Vec::new(), first_target: links as u32, look: |_| HeaderView::default() }
    }

    /// Adds a queue: its place.
    pub(crate) fn add(&mut self, link: LinkId, scheduler: Box<dyn Scheduler>) -> u32 {
        self.all.push(PullQueue {
            link,
            scheduler,
            next_service: None,
            discarded: VecDeque::new(),
            just_discarded: Vec::new(),
            counts: QueueCounters::default(),
            counted_at: Time::ZERO,
            max_waiting: 0,
            max_waited: Duration::ZERO,
        });
        self.all.len() as u32 - 1
    }

    pub(crate) fn get(&self, place: u32) -> &PullQueue {
        &self.all[place as usize]
    }

    pub(crate) fn get_mut(&mut self, place: u32) -> &mut PullQueue {
        &mut self.all[place as usize]
    }

    /// Packets that wait, or were given up and not yet reported.
    pub(crate) fn in_flight(&self) -> u64 {
        let held =
            |queue: &PullQueue| u64::from(queue.scheduler.occupancy().packets) + queue.discarded.len() as u64;
        self.all.iter().map(held).sum()
    }

    /// A packet in a slot of the store comes to a queue; why it was refused, if it was. One refused keeps its slot.
    pub(crate) fn enter<A: Copy>(
        &mut self,
        place: u32,
        now: Time,
        slot: SlotId,
        links: &mut [Link],
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) -> Result<(), DropReason> {
        let look = self.look;
        let queue = &mut self.all[place as usize];
        let target = self.first_target + queue.link.0;
        let link = &mut links[queue.link.index()];
        if queue.next_service == Some(now) {
            // A packet whose transmission ends now has left room.
            queue.serve(now, link, store, events, target);
        }
        let mut packet = store.queued_packet(slot, now);
        packet.lost = link.loses_by_script(packet.flow, store.get(slot).is_data());
        packet.protected = queue.scheduler.protects(now, &packet, &look(store.payload(slot)));
        let refused = queue.take_in(now, packet, events, target);
        if queue.next_service.is_none() && queue.scheduler.occupancy().packets > 0 {
            if link.free_at() <= now {
                queue.serve(now, link, store, events, target);
            } else {
                queue.await_service(link.free_at(), events, target);
            }
        }
        queue.max_waiting = queue.max_waiting.max(queue.scheduler.occupancy().packets);
        refused.map_or(Ok(()), Err)
    }

    /// An event of a queue: the transmitter falls idle, or something given up is to be reported.
    #[cold]
    pub(crate) fn on_event<A: Copy>(
        &mut self,
        place: u32,
        now: Time,
        links: &mut [Link],
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) -> Arrival<P> {
        let queue = &mut self.all[place as usize];
        let target = self.first_target + queue.link.0;
        if queue.next_service == Some(now) {
            queue.serve(now, &mut links[queue.link.index()], store, events, target);
        }
        let Some((packet, reason)) = queue.discarded.pop_front() else { return Arrival::Dequeued };
        if !queue.discarded.is_empty() {
            events.schedule(now, Class::Link, target);
        }
        Arrival::Dropped { link: queue.link, reason, packet: store.remove(packet.slot) }
    }
}

impl PullQueue {
    pub(crate) fn scheduler_mut(&mut self) -> &mut dyn Scheduler {
        &mut *self.scheduler
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.scheduler.occupancy()
    }

    /// Hands a packet to the queue: why it was refused, if it was.
    fn take_in(
        &mut self,
        now: Time,
        packet: QueuedPacket,
        events: &mut EventList,
        target: u32,
    ) -> Option<DropReason> {
        self.bring_up_to(now);
        self.counts.offered += 1;
        self.counts.offered_protected += u64::from(packet.protected);
        self.scheduler.enqueue(now, packet, &mut self.just_discarded);
        let refused = self.just_discarded.iter().position(|(discard, _)| discard.slot == packet.slot);
        let refused = refused.map(|at| self.just_discarded.remove(at));
        if let Some((packet, reason)) = refused {
            self.counts.drop(&packet, reason);
        }
        self.give_up(now, events, target);
        refused.map(|(_, reason)| reason)
    }

    /// Begins the transmission of the packet that the queue gives out.
    fn serve<P: Copy, A: Copy>(
        &mut self,
        now: Time,
        link: &mut Link,
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
        target: u32,
    ) {
        self.next_service = None;
        self.bring_up_to(now);
        let packet = self.scheduler.dequeue(now, &mut self.just_discarded);
        self.give_up(now, events, target);
        let Some(packet) = packet else { return };
        let waited = now.since(packet.arrived);
        self.counts.waited += waited.as_nanos();
        self.counts.served += 1;
        self.max_waited = self.max_waited.max(waited);
        if packet.marked {
            self.counts.marked += 1;
            store.get_mut(packet.slot).mark();
        }
        let lost = packet.lost || link.loses_at_random(packet.flow);
        let departure = link.serve(now, packet.size);
        let order = events.next_order(Class::Link, self.link.0);
        if let Some(arrival) = link.append(departure, (order, lost, 0), packet.slot, store) {
            events.insert_link(arrival, order);
        }
        if self.scheduler.occupancy().packets > 0 {
            self.await_service(departure, events, target);
        }
    }

    fn await_service(&mut self, then: Time, events: &mut EventList, target: u32) {
        self.next_service = Some(then);
        events.schedule(then, Class::Link, target);
    }

    /// Counts what the queue has just given up, and sees to it that it is reported.
    fn give_up(&mut self, now: Time, events: &mut EventList, target: u32) {
        if self.just_discarded.is_empty() {
            return;
        }
        if self.discarded.is_empty() {
            events.schedule(now, Class::Link, target);
        }
        for (packet, reason) in self.just_discarded.drain(..) {
            self.counts.drop(&packet, reason);
            self.discarded.push_back((packet, reason));
        }
    }

    fn bring_up_to(&mut self, now: Time) {
        let waiting = u64::from(self.scheduler.occupancy().packets);
        self.counts.area += waiting * now.since(self.counted_at).as_nanos();
        self.counted_at = now;
    }

    /// What was counted by `now`.
    pub(crate) fn counters(&self, now: Time) -> QueueCounters {
        let waiting = u64::from(self.scheduler.occupancy().packets);
        QueueCounters {
            area: self.counts.area + waiting * now.since(self.counted_at).as_nanos(),
            ..self.counts
        }
    }

    /// Statistics begin here.
    pub(crate) fn begin(&mut self) {
        self.max_waiting = self.scheduler.occupancy().packets;
        self.max_waited = Duration::ZERO;
    }
}
