//! Pull queues: queue disciplines from which the transmitter pulls a packet when it falls idle.
//!
//! Such a queue stands before the link's pipe, and a packet enters the pipe when its transmission begins. The end
//! of a transmission is an event if other packets wait. The report of packets that the queue dropped after
//! admitting them is an event too. Both events are of [`Class::Link`]; their targets are above the numbers of all
//! link directions.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_units::{Duration, Time};

use crate::event_list::{Class, EventList};
use crate::link::Link;
use crate::packet::congestion_header::CongestionHeader;
use crate::packet::gateway_view::GatewayView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;
use crate::queue::counters::QueueCounters;
use crate::queue::scheduler::Scheduler;
use crate::{Arrival, BufferSize, DropReason, HeaderView, LinkId, Occupancy};

/// The pull queue of one link direction.
#[expect(clippy::struct_excessive_bools, reason = "answers of the discipline that are asked once")]
#[derive(Clone, Debug)]
pub(crate) struct PullQueue {
    pub(crate) link: LinkId,
    /// The size of the buffer for packets that arrive from now on.
    pub(crate) buffer: BufferSize,
    scheduler: Box<dyn Scheduler>,
    /// [`Scheduler::reads_headers`].
    reads_headers: bool,
    /// [`Scheduler::stamps`].
    stamps: bool,
    /// [`Scheduler::marks_profile`].
    marks_profile: bool,
    /// [`Scheduler::reads_as_gateway`].
    reads_as_gateway: bool,
    /// The time at which the transmitter pulls the next packet, if one waits.
    next_service: Option<Time>,
    /// Packets dropped and not yet reported, the oldest first.
    discarded: VecDeque<Discard>,
    /// The packets dropped in one call of the scheduler.
    just_discarded: Vec<Discard>,
    counters: QueueCounters,
    /// The time of the last update of [`QueueCounters::area`].
    counted_at: Time,
    pub(crate) max_waiting: u32,
    pub(crate) max_waited: Duration,
}

/// All pull queues of a network.
#[derive(Clone, Debug)]
pub(crate) struct PullQueues<P, A> {
    all: Vec<PullQueue>,
    /// The target of a queue's events is this number plus its link's.
    first_target: u32,
    /// Reads the transport header of a payload for the queues.
    pub(crate) header_view: fn(&P) -> HeaderView,
    /// Finds the congestion header of an extension, for queues that stamp it.
    pub(crate) congestion_header: CongestionHeaderOf<A>,
    /// Reads the headers of a payload and its extension for queues that read as a home gateway does.
    pub(crate) gateway_view: GatewayViewOf<P, A>,
}

/// Reads the headers of a payload, and of its extension if there is one, as a home gateway does.
pub(crate) type GatewayViewOf<P, A> = fn(&P, Option<&A>) -> GatewayView;

/// Finds the congestion header of an extension, if it has one.
pub(crate) type CongestionHeaderOf<A> = fn(&mut A) -> Option<CongestionHeader<'_>>;

impl<P: Copy, A: Copy> PullQueues<P, A> {
    pub(crate) fn new(links: usize) -> PullQueues<P, A> {
        PullQueues {
            all: Vec::new(),
            first_target: links as u32,
            header_view: |_| HeaderView::default(),
            congestion_header: |_| None,
            gateway_view: |_, _| GatewayView::default(),
        }
    }

    /// Adds a queue and returns its index.
    pub(crate) fn add(&mut self, link: LinkId, buffer: BufferSize, scheduler: Box<dyn Scheduler>) -> u32 {
        self.all.push(PullQueue {
            link,
            buffer,
            reads_headers: scheduler.reads_headers(),
            stamps: scheduler.stamps(),
            marks_profile: scheduler.marks_profile(),
            reads_as_gateway: scheduler.reads_as_gateway(),
            scheduler,
            next_service: None,
            discarded: VecDeque::new(),
            just_discarded: Vec::new(),
            counters: QueueCounters::default(),
            counted_at: Time::ZERO,
            max_waiting: 0,
            max_waited: Duration::ZERO,
        });
        self.all.len() as u32 - 1
    }

    /// Sets the class of each flow.
    pub(crate) fn set_classes(&mut self, classes: &Arc<[u8]>) {
        self.all.iter_mut().for_each(|queue| queue.scheduler.set_classes(classes));
    }

    /// True if any queue reads as a home gateway does.
    pub(crate) fn read_as_gateway(&self) -> bool {
        self.all.iter().any(|queue| queue.reads_as_gateway)
    }

    /// Sets the hosts at the ends of each flow.
    pub(crate) fn set_hosts(&mut self, hosts: &Arc<[[u32; 2]]>) {
        self.all.iter_mut().for_each(|queue| queue.scheduler.set_hosts(hosts));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn get(&self, index: u32) -> &PullQueue {
        &self.all[index as usize]
    }

    /// Prefetches the memory that a packet of the flow will need in a queue.
    pub(crate) fn prefetch(&self, index: u32, flow: u32) {
        self.all[index as usize].scheduler.prefetch(flow);
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut PullQueue {
        &mut self.all[index as usize]
    }

    /// The number of packets that wait, or were dropped and not yet reported.
    pub(crate) fn in_flight(&self) -> u64 {
        let held =
            |queue: &PullQueue| u64::from(queue.scheduler.occupancy().packets) + queue.discarded.len() as u64;
        self.all.iter().map(held).sum()
    }

    /// Offers a packet in the store to a queue. `VARIES` is true if something varies on the link direction. A
    /// packet that is dropped keeps its slot.
    ///
    /// # Errors
    /// The reason for which it is dropped.
    #[inline(never)]
    pub(crate) fn enter<const VARIES: bool>(
        &mut self,
        index: u32,
        now: Time,
        slot: SlotId,
        links: &mut [Link],
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) -> Result<(), DropReason> {
        let (header_view, congestion_header) = (self.header_view, self.congestion_header);
        let gateway_view = self.gateway_view;
        let queue = &mut self.all[index as usize];
        let target = self.first_target + queue.link.0;
        let link = &mut links[queue.link.index()];
        if queue.next_service == Some(now) {
            // The packet whose transmission ends now has departed.
            queue.serve::<VARIES, P, A>(now, link, store, events, (target, congestion_header));
            while VARIES && queue.next_service == Some(now) {
                queue.serve::<VARIES, P, A>(now, link, store, events, (target, congestion_header));
            }
        }
        if link.free_at() <= now && queue.scheduler.occupancy().packets == 0 {
            // The transmitter asked for a packet when it fell idle; no event recorded that.
            queue.scheduler.on_idle(link.free_at());
        }
        let lost = link.loses_by_script(store.header(slot).flow_key, store.header(slot).is_data());
        let mut protected = false;
        if queue.reads_headers {
            let mut view = header_view(store.payload(slot));
            view.in_profile = store.header(slot).is_in_profile();
            let packet = QueuedPacket { lost, ..store.queued_packet(slot, now) };
            protected = queue.scheduler.protects(now, &packet, &view);
        }
        if queue.marks_profile {
            store.header_mut(slot).set_in_profile(protected);
        }
        if queue.stamps
            && let Some(header) = store.extension_mut(slot).and_then(congestion_header)
        {
            queue.scheduler.note_header(now, &header);
        }
        if queue.reads_as_gateway {
            let view = gateway_view(store.payload(slot), store.extension(slot).as_ref());
            queue.scheduler.note_view(&view);
        }
        // Constructed in the call: copying it right after its fields were stored would defeat store-to-load
        // forwarding.
        let packet = QueuedPacket { protected, lost, ..store.queued_packet(slot, now) };
        let dropped = queue.enqueue(now, packet, slot, events, target);
        if queue.next_service.is_none() && queue.scheduler.occupancy().packets > 0 {
            let next = if VARIES { link.pulls_arriving_at(now) } else { link.free_at() };
            if next <= now {
                queue.serve::<VARIES, P, A>(now, link, store, events, (target, congestion_header));
            } else {
                queue.schedule_service(next, events, target);
            }
        }
        queue.max_waiting = queue.max_waiting.max(queue.scheduler.occupancy().packets);
        dropped.map_or(Ok(()), Err)
    }

    /// Processes an event of a queue: the transmitter falls idle, or a dropped packet is reported.
    #[cold]
    pub(crate) fn on_event<const VARIES: bool>(
        &mut self,
        index: u32,
        now: Time,
        links: &mut [Link],
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
    ) -> Arrival<P, A> {
        let congestion_header = self.congestion_header;
        let queue = &mut self.all[index as usize];
        let target = self.first_target + queue.link.0;
        if queue.next_service == Some(now) {
            let link = &mut links[queue.link.index()];
            queue.serve::<VARIES, P, A>(now, link, store, events, (target, congestion_header));
        }
        let Some((packet, reason)) = queue.discarded.pop_front() else { return Arrival::Dequeued };
        if !queue.discarded.is_empty() {
            events.schedule(now, Class::Link, target);
        }
        if VARIES {
            links[queue.link.index()].abandon(now, packet.slot, reason, store);
        }
        Arrival::Dropped { link: queue.link, reason, packet: store.discard(packet.slot) }
    }
}

impl PullQueue {
    pub(crate) fn occupancy(&self) -> Occupancy {
        self.scheduler.occupancy()
    }

    /// Enqueues a packet. Returns the reason if it is dropped.
    #[expect(clippy::inline_always, reason = "of its two callers one is for links that vary")]
    #[inline(always)]
    fn enqueue(
        &mut self,
        now: Time,
        packet: QueuedPacket,
        slot: SlotId,
        events: &mut EventList,
        target: u32,
    ) -> Option<DropReason> {
        self.integrate_to(now);
        self.counters.offered += 1;
        self.counters.offered_protected += u64::from(packet.protected);
        self.scheduler.enqueue(now, packet, self.buffer, &mut self.just_discarded);
        let dropped = self.just_discarded.iter().position(|(discard, _)| discard.slot == slot);
        let dropped = dropped.map(|at| self.just_discarded.remove(at));
        if let Some((packet, reason)) = dropped {
            self.counters.drop(&packet, reason);
        }
        self.report_discards(now, events, target);
        dropped.map(|(_, reason)| reason)
    }

    /// Dequeues a packet and begins its transmission.
    fn serve<const VARIES: bool, P: Copy, A: Copy>(
        &mut self,
        now: Time,
        link: &mut Link,
        store: &mut PacketStore<P, A>,
        events: &mut EventList,
        (target, congestion_header): (u32, CongestionHeaderOf<A>),
    ) {
        self.next_service = None;
        self.integrate_to(now);
        let packet = self.scheduler.dequeue(now, &mut self.just_discarded);
        self.report_discards(now, events, target);
        // Not copied, as in `enter`.
        let Some(packet) = &packet else {
            if let Some(then) = self.scheduler.held_until() {
                let then = if VARIES { link.pulls_arriving_at(then) } else { then };
                self.schedule_service(then, events, target);
            }
            return;
        };
        let waited = now.since(packet.arrived);
        self.counters.waited += u128::from(waited.as_nanos());
        self.counters.served += 1;
        self.max_waited = self.max_waited.max(waited);
        if packet.marked {
            self.counters.marked += 1;
            store.header_mut(packet.slot).mark();
        }
        if self.stamps
            && let Some(mut header) = store.extension_mut(packet.slot).and_then(congestion_header)
        {
            self.scheduler.stamp(packet, &mut header);
        }
        let lost = packet.lost || link.loses_at_random(now, packet.flow);
        let next = if VARIES {
            let (_, departure) = link.transmit(now, packet.size, true);
            link.carry((departure, lost), packet.slot, (self.link, target), store, events);
            link.pulls_next_at()
        } else {
            let departure = link.serve(now, packet.size);
            if let Some(arrival) = link.append(departure, (lost, 0), packet.slot, store) {
                events.insert_link(arrival, self.link.0);
            }
            departure
        };
        if self.scheduler.occupancy().packets > 0 {
            self.schedule_service(next, events, target);
            if store.is_large()
                && let Some(slot) = self.scheduler.prefetch_next()
            {
                store.prefetch(slot);
            }
        }
    }

    fn schedule_service(&mut self, then: Time, events: &mut EventList, target: u32) {
        self.next_service = Some(then);
        events.schedule(then, Class::Link, target);
    }

    /// Counts the packets that the queue has just dropped, and schedules the report of them.
    #[inline]
    fn report_discards(&mut self, now: Time, events: &mut EventList, target: u32) {
        if !self.just_discarded.is_empty() {
            self.report_each_discard(now, events, target);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_each_discard(&mut self, now: Time, events: &mut EventList, target: u32) {
        if self.discarded.is_empty() {
            events.schedule(now, Class::Link, target);
        }
        for (packet, reason) in self.just_discarded.drain(..) {
            self.counters.drop(&packet, reason);
            self.discarded.push_back((packet, reason));
        }
    }

    fn integrate_to(&mut self, now: Time) {
        self.counters.area += self.area_to(now);
        self.counted_at = now;
    }

    /// The counters at `now`.
    pub(crate) fn counters(&self, now: Time) -> QueueCounters {
        QueueCounters { area: self.counters.area + self.area_to(now), ..self.counters }
    }

    /// The integral of the queue length since the last update, in packet-nanoseconds.
    fn area_to(&self, now: Time) -> u128 {
        let waiting = u128::from(self.scheduler.occupancy().packets);
        waiting * u128::from(now.since(self.counted_at).as_nanos())
    }

    /// Begins the measurement of the longest queue and the longest wait.
    pub(crate) fn measure_from_now(&mut self) {
        self.max_waiting = self.scheduler.occupancy().packets;
        self.max_waited = Duration::ZERO;
    }
}
