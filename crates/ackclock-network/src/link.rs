use ackclock_units::{Bytes, Duration, LinkRate, Time};

use crate::busy_periods::{BusyPeriod, BusyPeriods, drain_time};
use crate::event_list::Order;
use crate::ingress_buffer::{IngressBuffer, PendingArrival};
use crate::link_stats::{LinkCounters, LinkState, LinkStats, QueueCounters};
use crate::loss::LossProcess;
use crate::pipe::{PacketStore, Pipe, SlotId, flow_of};
use crate::queue::{arrival_aqm::ArrivalAqm, arriving::Arriving};
use crate::{BufferSize, DropReason, Ecn, LinkConfig, LinkId, Occupancy, Queue, RouteCursor};

/// A packet at the entrance of a link direction.
pub(crate) struct Offer {
    pub(crate) id: LinkId,
    pub(crate) now: Time,
    pub(crate) route: RouteCursor,
    pub(crate) size: u32,
}

/// What only a link direction that loses or marks packets asks of one.
pub(crate) struct PacketAttributes {
    pub(crate) flow: u32,
    pub(crate) data: bool,
    pub(crate) ecn: Ecn,
}

/// One direction of a link: a first-in first-out pipe of a queue, a transmitter and a propagation delay.
///
/// As service is in order, a packet's departure is known when it is admitted: when the transmitter falls idle, or now,
/// plus its transmission time. So nothing happens between admission and arrival, and only the head's arrival is an event.
/// What waits follows from how long the transmitter will be busy (`busy_periods.rs`).
///
/// All of this fits two cache lines, of which a link direction that is idle when packets come needs the first only; a
/// test holds it to that.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Link {
    /// The packets that follow each other up to the last: most are as long as the one before. The transmitter falls idle
    /// at its end.
    period: BusyPeriod,
    /// Bytes of each of its packets.
    size: u32,
    /// Whether all it does is queue by drop-tail: it neither loses packets nor marks them.
    plain: bool,
    /// Whether it is fed by one other link direction alone, so that packets may come ahead of time (`ahead.rs`).
    cut_through: bool,
    /// Whether it feeds such, or those that collect.
    forwards_early: bool,
    /// Whether packets that come are collected until they must be let in (`ingress.rs`).
    has_ingress_buffer: bool,
    delay: Duration,
    /// Packets admitted since the start of the run.
    admitted: u64,
    pipe: Pipe,
    /// Packets on the way to a link direction that is fed that come with an event of their own.
    behind: u32,
    /// How long a packet of this size may find the transmitter busy and still wait.
    buffer: Duration,
    /// The longest that one has, since `most_waiting` was brought up to date.
    longest: Duration,
    /// Waiting time of all packets admitted, in packet-nanoseconds.
    waited: u64,
    /// What was admitted before the packets of this size: packets, bytes and transmission time.
    admitted_before: u64,
    bytes_before: u64,
    busy_before: Duration,
    /// The most packets that have waited at once since the measurement began.
    most_waiting: u32,
    /// Whether there are periods before the last.
    mixed_sizes: bool,
    cold: Box<Cold>,
}

/// What is touched rarely.
#[derive(Clone, Debug)]
struct Cold {
    rate: LinkRate,
    loss: Option<LossProcess>,
    /// The place of its queue among those that are asked for a packet when the transmitter falls idle.
    pull_queue: Option<u32>,
    /// What drops or marks packets before the buffer is full.
    rule: Option<ArrivalAqm>,
    /// Packets that find more than so many waiting are marked, where they may be.
    mark_above: Option<u32>,
    marked: u64,
    /// Dropped by the queue, and how many of them by its rule.
    dropped_queue: u64,
    dropped_early: u64,
    dropped_loss: u64,
    /// Bytes of the packets that were lost.
    bytes_lost: u64,
    buffer: BufferSize,
    periods: BusyPeriods,
    ingress: IngressBuffer,
    start: LinkCounters,
}

impl Link {
    pub(crate) fn new(config: &LinkConfig, loss: Option<LossProcess>) -> Link {
        Link {
            period: BusyPeriod::NONE,
            size: 0,
            plain: loss.is_none() && config.mark_above.is_none() && config.queue == Queue::DropTail,
            cut_through: false,
            forwards_early: false,
            has_ingress_buffer: false,
            delay: config.delay,
            admitted: 0,
            pipe: Pipe::EMPTY,
            behind: 0,
            buffer: Duration::ZERO,
            longest: Duration::ZERO,
            waited: 0,
            admitted_before: 0,
            bytes_before: 0,
            busy_before: Duration::ZERO,
            most_waiting: 0,
            mixed_sizes: false,
            cold: Box::new(Cold {
                rate: config.rate,
                loss,
                pull_queue: None,
                rule: None,
                mark_above: config.mark_above,
                marked: 0,
                dropped_queue: 0,
                dropped_early: 0,
                dropped_loss: 0,
                bytes_lost: 0,
                buffer: config.buffer,
                periods: BusyPeriods::default(),
                ingress: IngressBuffer::default(),
                start: LinkCounters::default(),
            }),
        }
    }

    pub(crate) fn rate(&self) -> LinkRate {
        self.cold.rate
    }

    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    pub(crate) fn set_buffer(&mut self, buffer: BufferSize) {
        self.cold.buffer = buffer;
        self.buffer = drain_time(buffer, self.size, self.period.transmission);
    }

    /// Packets from the tail of the queue to the far end, and those collected in front of it.
    pub(crate) fn in_flight(&self) -> u64 {
        u64::from(self.pipe.len()) + self.cold.ingress.coming().len() as u64
    }

    /// The packets from the tail of the queue to the far end.
    pub(crate) fn pipe(&self) -> &Pipe {
        &self.pipe
    }

    /// The packets collected in front of it.
    pub(crate) fn coming(&self) -> &[PendingArrival] {
        self.cold.ingress.coming()
    }

    /// The packet that arrives next.
    pub(crate) fn head(&self) -> Option<SlotId> {
        self.pipe.first()
    }

    /// Whether it is a mere pipe with a drop-tail queue: it neither loses packets nor marks them.
    #[inline]
    pub(crate) fn is_drop_tail_only(&self) -> bool {
        self.plain
    }

    /// Its queue has this place among those that are asked when the transmitter falls idle.
    pub(crate) fn set_pull_queue(&mut self, place: u32) {
        self.cold.pull_queue = Some(place);
    }

    /// Its queue has this rule, by which it drops or marks packets before the buffer is full.
    pub(crate) fn set_rule(&mut self, rule: ArrivalAqm) {
        self.cold.rule = Some(rule);
    }

    /// The place of its queue among those that are asked when the transmitter falls idle, if it is one.
    pub(crate) fn pull_queue(&self) -> Option<u32> {
        self.cold.pull_queue
    }

    /// When the transmitter falls idle.
    pub(crate) fn free_at(&self) -> Time {
        self.period.end
    }

    /// It is fed by one other link direction alone.
    pub(crate) fn set_cut_through(&mut self) {
        self.cut_through = true;
    }

    /// Packets that come are collected, and let in so much later at the latest.
    pub(crate) fn set_ingress_buffer(&mut self, slack: Duration) {
        self.has_ingress_buffer = true;
        self.cold.ingress.set_slack(slack);
    }

    #[inline]
    pub(crate) fn has_ingress_buffer(&self) -> bool {
        self.has_ingress_buffer
    }

    /// The packets on their way here, if it collects.
    #[inline]
    pub(crate) fn ingress(&mut self) -> &mut IngressBuffer {
        &mut self.cold.ingress
    }

    /// A packet that has left another link direction is collected. When an event is to let it in, if there is none yet.
    #[inline]
    pub(crate) fn expect(&mut self, packet: PendingArrival) -> Option<Time> {
        self.cold.ingress.expect(packet)
    }

    /// It feeds others that need no event where they meet.
    pub(crate) fn set_forwards_early(&mut self) {
        self.forwards_early = true;
    }

    /// Whether nothing that comes from `upstream` ever waits here: each packet has left before the next comes, and nothing
    /// else does. That can be said of rates in packets.
    pub(crate) fn keeps_up_with(&self, upstream: &Link) -> bool {
        let interval = |link: &Link| match link.cold.rate {
            LinkRate::Packets(rate) => Some(rate.interval()),
            LinkRate::Bits(_) => None,
        };
        let faster = interval(self).zip(interval(upstream)).is_some_and(|(mine, its)| mine <= its);
        self.cut_through && faster
    }

    #[inline]
    pub(crate) fn is_cut_through(&self) -> bool {
        self.cut_through
    }

    #[inline]
    pub(crate) fn forwards_early(&self) -> bool {
        self.forwards_early
    }

    /// Offers a packet to a link direction that is not plain: whether it will be lost, and whether the queue marks it; or
    /// why it is not taken in.
    #[inline(never)]
    pub(crate) fn treat(&mut self, offer: &Offer, of: &PacketAttributes) -> Result<(bool, bool), DropReason> {
        let ruled = self.rule(offer, of.ecn);
        let admitted = ruled.is_some() && self.admits(offer.now, offer.size);
        let process = self.cold.loss.as_mut();
        let lost = process.is_some_and(|process| process.loses(of.flow, of.data, admitted));
        let Some(ruled) = ruled else {
            self.cold.dropped_queue += 1;
            self.cold.dropped_early += 1;
            return Err(DropReason::Early);
        };
        if !admitted {
            return Err(DropReason::Queue);
        }
        let threshold = self.cold.mark_above.filter(|_| of.ecn != Ecn::NotCapable);
        let marked =
            ruled || threshold.is_some_and(|threshold| self.occupancy(offer.now).packets > threshold);
        self.cold.marked += u64::from(marked);
        Ok((lost, marked))
    }

    /// Whether the queue's rule marks a packet; none if it drops it.
    fn rule(&mut self, offer: &Offer, ecn: Ecn) -> Option<bool> {
        if self.cold.rule.is_none() {
            return Some(false);
        }
        let waiting = self.occupancy(offer.now);
        let arriving = Arriving { now: offer.now, size: offer.size, ecn };
        self.cold.rule.as_mut()?.admits(&arriving, waiting, self.period.end)
    }

    /// Whether a script wants a packet lost that is just offered.
    pub(crate) fn loses_by_script(&mut self, owner: u32, data: bool) -> bool {
        let script = self.cold.loss.as_mut().filter(|process| process.is_scripted());
        script.is_some_and(|script| script.loses(flow_of(owner), data, true))
    }

    /// Whether chance wants a packet lost whose transmission begins.
    pub(crate) fn loses_at_random(&mut self, owner: u32) -> bool {
        let chance = self.cold.loss.as_mut().filter(|process| !process.is_scripted());
        chance.is_some_and(|chance| chance.loses(flow_of(owner), true, true))
    }

    /// Whether a packet of this size may enter now; a packet refused is counted.
    #[inline]
    pub(crate) fn admits(&mut self, now: Time, size: u32) -> bool {
        let busy = self.period.end.since(now);
        if busy.is_zero() {
            return true;
        }
        if size != self.size || self.mixed_sizes {
            return self.admits_among_sizes(now, size);
        }
        if busy > self.buffer {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.longest = self.longest.max(busy);
        true
    }

    /// The same where packets of several sizes wait.
    #[inline(never)]
    fn admits_among_sizes(&mut self, now: Time, size: u32) -> bool {
        let waiting = self.occupancy(now);
        if !self.cold.buffer.admits(size, waiting) {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.most_waiting = self.most_waiting.max(waiting.packets + 1);
        true
    }

    /// Takes a packet in that arrives at `now`: its departure.
    #[inline]
    pub(crate) fn serve(&mut self, now: Time, size: u32) -> Time {
        let wait = self.period.end.since(now);
        if wait.is_zero() {
            return self.serve_at_once(now, size);
        }
        if size != self.size {
            self.change_size(now, size);
        }
        self.waited += wait.as_nanos();
        self.admitted += 1;
        self.period.end += self.period.transmission;
        self.period.end
    }

    /// The same where the transmitter is idle.
    #[inline]
    fn serve_at_once(&mut self, now: Time, size: u32) -> Time {
        if size != self.size {
            self.change_size(now, size);
        }
        self.admitted += 1;
        self.mixed_sizes = false;
        self.period.start = now;
        self.period.end = now + self.period.transmission;
        self.period.end
    }

    /// A run of packets of another size begins.
    #[inline(never)]
    fn change_size(&mut self, now: Time, size: u32) {
        self.bytes_before = self.bytes();
        self.busy_before = self.busy();
        self.admitted_before = self.admitted;
        self.most_waiting = self.most_waiting();
        self.longest = Duration::ZERO;
        self.mixed_sizes &= self.cold.periods.retire(now);
        if self.period.end > now {
            self.cold.periods.push(self.period, self.size);
            self.mixed_sizes = true;
            self.period.start = self.period.end;
        }
        self.period.transmission = self.transmission_of(size);
        self.size = size;
        self.buffer = drain_time(self.cold.buffer, size, self.period.transmission);
    }

    /// Packets of the present size that were admitted since it is the present one.
    fn admitted_since(&self) -> u64 {
        self.admitted - self.admitted_before
    }

    /// Bytes of all packets admitted.
    fn bytes(&self) -> u64 {
        self.bytes_before + self.admitted_since() * u64::from(self.size)
    }

    /// Transmission time of all packets admitted.
    fn busy(&self) -> Duration {
        self.busy_before + self.period.transmission.saturating_mul(self.admitted_since())
    }

    /// The most packets that have waited at once since the measurement began.
    fn most_waiting(&self) -> u32 {
        self.most_waiting.max(self.period.count(self.longest) as u32)
    }

    /// Takes a packet in that will arrive at `then` from the only link direction that feeds this one: its departure. None
    /// if that cannot be said yet, since it would have to wait, or others before it have, or if it may not be said; then it is
    /// expected later.
    #[inline]
    pub(crate) fn pass(&mut self, then: Time, size: u32, may: bool) -> Option<Time> {
        if self.behind > 0 || self.period.end > then || !may {
            self.behind += 1;
            return None;
        }
        Some(self.serve_at_once(then, size))
    }

    /// A packet arrives step by step, as it was expected to.
    #[inline]
    pub(crate) fn expect_one_less(&mut self) {
        self.behind -= u32::from(self.cut_through);
    }

    /// Puts a packet last. The time of its arrival where it is the only one: the caller is to schedule it.
    #[inline]
    pub(crate) fn append<P: Copy, A: Copy>(
        &mut self,
        departure: Time,
        (order, lost, ahead): (Order, bool, u32),
        slot: SlotId,
        store: &mut PacketStore<P, A>,
    ) -> Option<Time> {
        store.get_mut(slot).enter(departure, order, lost, ahead);
        self.pipe.push(store, slot);
        (self.pipe.len() == 1).then(|| departure + self.delay)
    }

    /// The head has arrived: takes it off, with the arrival of the packet behind it, if any.
    #[inline]
    pub(crate) fn dequeue<P: Copy, A: Copy>(
        &mut self,
        store: &PacketStore<P, A>,
    ) -> (SlotId, Option<(Time, Order)>) {
        let slot = self.pipe.pop(store);
        let next = self.pipe.first().map(|next| {
            let next = store.get(next);
            store.ask_for_next(next);
            (next.departure + self.delay, next.order())
        });
        (slot, next)
    }

    /// The packet that has arrived was lost.
    #[cold]
    pub(crate) fn note_loss(&mut self, size: u32) {
        self.cold.dropped_loss += 1;
        self.cold.bytes_lost += u64::from(size);
    }

    /// What waits. A packet whose transmission ends now has departed, and the next one waits no longer.
    ///
    /// To be asked when a packet arrives.
    fn occupancy(&mut self, now: Time) -> Occupancy {
        if !self.mixed_sizes {
            return BusyPeriods::default().waiting(now, &self.period, self.size);
        }
        self.mixed_sizes = self.cold.periods.retire(now);
        self.cold.periods.waiting(now, &self.period, self.size)
    }

    /// The time that a packet of this size takes to leave: at least a nanosecond, so that none overtakes another.
    #[inline]
    pub(crate) fn transmission_of(&self, size: u32) -> Duration {
        if size == self.size {
            return self.period.transmission;
        }
        self.cold.rate.transmission_time(Bytes::new(u64::from(size))).max(Duration::from_nanos(1))
    }

    fn counters(&self, now: Time, state: &LinkState, queue: Option<QueueCounters>) -> LinkCounters {
        LinkCounters {
            time: now,
            admitted: self.admitted - state.future,
            arrived: self.admitted - state.not_arrived,
            dropped_queue: self.cold.dropped_queue,
            dropped_early: self.cold.dropped_early,
            marked: self.cold.marked,
            dropped_loss: self.cold.dropped_loss,
            bytes_forwarded: self.bytes() - self.cold.bytes_lost - state.bytes_not_arrived,
            waited: self.waited,
            waiting_ahead: state.waiting_ahead,
            busy: self.busy() - state.future_busy,
            busy_ahead: state.free_at.since(now),
            queue,
        }
    }

    /// Statistics begin here; `queue` is what its queue has counted, if that counts for itself.
    pub(crate) fn measure_from(&mut self, now: Time, state: &LinkState, queue: Option<QueueCounters>) {
        self.most_waiting = state.waiting().packets;
        self.longest = Duration::ZERO;
        self.cold.start = self.counters(now, state, queue);
    }

    /// Statistics from the start of the measurement until now.
    pub(crate) fn stats(&self, now: Time, state: &LinkState, queue: Option<QueueCounters>) -> LinkStats {
        let end = self.counters(now, state, queue);
        self.cold.start.until(&end, self.most_waiting())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_two_cache_lines() {
        assert_eq!(size_of::<Link>(), 128);
        assert_eq!(std::mem::offset_of!(Link, buffer), 64, "what is asked of an idle one is on the first");
    }
}
