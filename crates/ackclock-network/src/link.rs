use ackclock_units::{Bytes, Duration, LinkRate, Time};

use crate::ahead::{Gone, Trail};
use crate::event_list::Order;
use crate::inbox::{Coming, Inbox};
use crate::link_stats::{Ledger, LinkStats, QueueLedger, Standing};
use crate::loss::LossProcess;
use crate::pipe::{Pipe, Slot, Store, flow_of};
use crate::queue::Discipline;
use crate::queue::arrival::{ArrivalRule, Comer};
use crate::{DropReason, Ecn, LinkConfig, LinkId, Occupancy, Queue, QueueLimit, RouteCursor};

/// A packet at the entrance of a link direction.
pub(crate) struct Entry {
    pub(crate) id: LinkId,
    pub(crate) now: Time,
    pub(crate) route: RouteCursor,
    pub(crate) size: u32,
}

/// What only a link direction that loses or marks packets asks of one.
pub(crate) struct Traits {
    pub(crate) flow: u32,
    pub(crate) data: bool,
    pub(crate) ecn: Ecn,
}

/// One direction of a link: a first-in first-out pipe of a queue, a transmitter and a propagation delay.
///
/// As service is in order, a packet's departure is known when it is admitted: `max(now, free_at)` plus its
/// transmission time. So nothing happens between admission and arrival, and only the head's arrival is an event. What
/// waits is found when somebody asks, by counting the packets that have departed since.
///
/// All of this fits two cache lines; a test holds it to that.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Link {
    /// When the transmitter falls idle.
    free_at: Time,
    /// The transmission time of packets of `size` bytes: most packets are as long as the one before.
    transmission: Duration,
    size: u32,
    /// The most packets that have waited at once since the measurement began.
    max_waiting: u32,
    /// How many packets of the pipe, from its head, had departed when last looked.
    departed: u32,
    /// Whether all it does is queue by drop-tail: it neither loses packets nor marks them.
    plain: bool,
    /// Whether it is fed by one other link direction alone, so that packets may come ahead of time (`ahead.rs`).
    fed: bool,
    /// Whether it feeds such, or those that collect.
    feeds: bool,
    /// Whether packets that come are collected until they must be let in (`inbox.rs`).
    collects: bool,
    /// Packets on the way to a link direction that is fed that come with an event of their own.
    behind: u32,
    delay: Duration,
    pipe: Pipe,
    /// The first packet of the pipe that had not departed when last looked, if there is one.
    there: Slot,
    /// Bytes of the packets that had not departed: waiting and being transmitted.
    bytes: u64,
    discipline: Discipline,
    /// Transmission time of all packets admitted.
    busy: Duration,
    /// Waiting time of all packets admitted, in packet-nanoseconds.
    waited: u64,
    /// Bytes of all packets delivered to the far end.
    bytes_forwarded: u64,
    cold: Box<Cold>,
}

/// What is touched rarely.
#[derive(Clone, Debug)]
struct Cold {
    rate: LinkRate,
    loss: Option<LossProcess>,
    /// The place of its queue among those that are asked for a packet when the transmitter falls idle.
    served: Option<u32>,
    /// What drops or marks packets before the buffer is full.
    rule: Option<ArrivalRule>,
    /// Packets that find more than so many waiting are marked, where they may be.
    mark_above: Option<u32>,
    marked: u64,
    /// Dropped by the queue, and how many of them by its rule.
    dropped_queue: u64,
    dropped_early: u64,
    dropped_loss: u64,
    /// The packets that went on ahead of events.
    trail: Trail,
    inbox: Inbox,
    start: Ledger,
}

impl Link {
    pub(crate) fn new(config: &LinkConfig, loss: Option<LossProcess>) -> Link {
        Link {
            free_at: Time::ZERO,
            transmission: Duration::ZERO,
            size: 0,
            max_waiting: 0,
            departed: 0,
            plain: loss.is_none() && config.mark_above.is_none() && config.queue == Queue::DropTail,
            fed: false,
            feeds: false,
            collects: false,
            behind: 0,
            delay: config.delay,
            pipe: Pipe::EMPTY,
            there: 0,
            bytes: 0,
            discipline: Discipline::DropTail(config.limit),
            busy: Duration::ZERO,
            waited: 0,
            bytes_forwarded: 0,
            cold: Box::new(Cold {
                rate: config.rate,
                loss,
                served: None,
                rule: None,
                mark_above: config.mark_above,
                marked: 0,
                dropped_queue: 0,
                dropped_early: 0,
                dropped_loss: 0,
                trail: Trail::default(),
                inbox: Inbox::default(),
                start: Ledger::default(),
            }),
        }
    }

    pub(crate) fn rate(&self) -> LinkRate {
        self.cold.rate
    }

    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    pub(crate) fn set_limit(&mut self, limit: QueueLimit) {
        self.discipline = Discipline::DropTail(limit);
    }

    /// Packets from the tail of the queue to the far end, and those collected in front of it.
    pub(crate) fn in_flight(&self) -> u64 {
        self.pipe.len() + self.cold.inbox.len() as u64
    }

    /// The packet that arrives next.
    pub(crate) fn head(&self) -> Option<Slot> {
        self.pipe.first()
    }

    /// Whether it is a mere pipe with a drop-tail queue: it neither loses packets nor marks them.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Its queue has this place among those that are asked when the transmitter falls idle.
    pub(crate) fn set_served(&mut self, place: u32) {
        self.cold.served = Some(place);
    }

    /// Its queue has this rule, by which it drops or marks packets before the buffer is full.
    pub(crate) fn set_rule(&mut self, rule: ArrivalRule) {
        self.cold.rule = Some(rule);
    }

    /// The place of its queue among those that are asked when the transmitter falls idle, if it is one.
    pub(crate) fn served(&self) -> Option<u32> {
        self.cold.served
    }

    /// When the transmitter falls idle.
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// It is fed by one other link direction alone.
    pub(crate) fn set_fed(&mut self) {
        self.fed = true;
    }

    /// Packets that come are collected.
    pub(crate) fn set_collects(&mut self) {
        self.collects = true;
    }

    #[inline]
    pub(crate) fn collects(&self) -> bool {
        self.collects
    }

    /// The packets on their way here, if it collects.
    #[inline]
    pub(crate) fn inbox(&mut self) -> &mut Inbox {
        &mut self.cold.inbox
    }

    /// A packet that has left another link direction is collected. When an event is to let it in, if there is none yet.
    #[inline]
    pub(crate) fn expect(&mut self, packet: Coming) -> Option<Time> {
        self.cold.inbox.expect(packet, self.delay)
    }

    /// It feeds others that need no event where they meet.
    pub(crate) fn set_feeds(&mut self) {
        self.feeds = true;
    }

    #[inline]
    pub(crate) fn is_fed(&self) -> bool {
        self.fed
    }

    #[inline]
    pub(crate) fn feeds(&self) -> bool {
        self.feeds
    }

    /// Offers a packet to a link direction that is not plain: whether it will be lost, and whether the queue marks it; or
    /// why it is not taken in.
    #[inline(never)]
    pub(crate) fn treat<P: Copy>(
        &mut self,
        entry: &Entry,
        of: &Traits,
        store: &Store<P>,
    ) -> Result<(bool, bool), DropReason> {
        let ruled = self.rule(entry, of.ecn, store);
        let admitted = ruled.is_some() && self.admits(entry.now, entry.size, store);
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
        let limit = self.cold.mark_above.filter(|_| of.ecn != Ecn::NotCapable);
        let marked = ruled || limit.is_some_and(|limit| self.occupancy(entry.now, store).packets > limit);
        self.cold.marked += u64::from(marked);
        Ok((lost, marked))
    }

    /// Whether the queue's rule marks a packet; none if it drops it.
    fn rule<P: Copy>(&mut self, entry: &Entry, ecn: Ecn, store: &Store<P>) -> Option<bool> {
        if self.cold.rule.is_none() {
            return Some(false);
        }
        let waiting = self.occupancy(entry.now, store);
        let comer = Comer { now: entry.now, size: entry.size, ecn };
        self.cold.rule.as_mut()?.admits(&comer, waiting, self.free_at)
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
    pub(crate) fn admits<P: Copy>(&mut self, now: Time, size: u32, store: &Store<P>) -> bool {
        if self.free_at <= now {
            // Everything has departed: no need to look at it piece by piece.
            self.departed = self.pipe.len() as u32;
            self.bytes = 0;
            if self.feeds {
                self.cold.trail.all_depart();
            }
            return true;
        }
        let waiting = self.occupancy(now, store);
        if !self.discipline.admits(size, waiting) {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.max_waiting = self.max_waiting.max(waiting.packets + 1);
        true
    }

    /// Takes a packet in that arrives at `now`: its departure.
    #[inline]
    pub(crate) fn serve(&mut self, now: Time, size: u32) -> Time {
        if size != self.size {
            self.size = size;
            self.transmission = self.transmission_of(size);
        }
        let start = self.free_at.max(now);
        self.waited += start.since(now).as_nanos();
        let departure = start + self.transmission;
        self.free_at = departure;
        self.busy += self.transmission;
        self.bytes += u64::from(size);
        departure
    }

    /// Takes a packet in that will arrive at `then` from the only link direction that feeds this one: its departure. None
    /// if that cannot be said yet, since it would have to wait, or others before it have; then it is expected later.
    #[inline]
    pub(crate) fn pass(&mut self, then: Time, size: u32) -> Option<Time> {
        if self.behind > 0 || self.free_at > then {
            self.behind += 1;
            return None;
        }
        Some(self.serve(then, size))
    }

    /// A packet arrives step by step, as it was expected to.
    #[inline]
    pub(crate) fn expect_one_less(&mut self) {
        self.behind -= u32::from(self.fed);
    }

    /// A packet that departs from here then is on the next link direction already.
    #[inline]
    pub(crate) fn leave(&mut self, now: Time, departure: Time, size: u32, ahead: bool) {
        self.bytes_forwarded += u64::from(size);
        if self.cold.trail.is_full() {
            // A link direction in the middle of a chain is never asked what waits.
            self.see_off(now);
        }
        self.cold.trail.push(Gone { departure, size, ahead }, now, self.delay);
    }

    /// Puts a packet last. The time of its arrival where it is the only one: the caller is to schedule it.
    #[inline]
    pub(crate) fn append<P: Copy>(
        &mut self,
        departure: Time,
        (order, lost, ahead): (Order, bool, bool),
        slot: Slot,
        store: &mut Store<P>,
    ) -> Option<Time> {
        store.get_mut(slot).enter(departure, order, lost, ahead);
        let before = self.pipe.len();
        if u64::from(self.departed) == before {
            self.there = slot;
        }
        self.pipe.push(store, slot);
        (before == 0).then(|| departure + self.delay)
    }

    /// The head has arrived: takes it off, with the arrival of the packet behind it, if any.
    #[inline]
    pub(crate) fn dequeue<P: Copy>(&mut self, store: &Store<P>) -> (Slot, Option<(Time, Order)>) {
        let slot = self.pipe.pop(store);
        let transit = store.get(slot);
        if self.departed > 0 {
            self.departed -= 1;
        } else {
            self.bytes -= u64::from(transit.size());
            self.there = Pipe::after(store, slot);
        }
        if transit.is_lost() {
            self.cold.dropped_loss += 1;
        } else {
            self.bytes_forwarded += u64::from(transit.size());
        }
        let next = self.pipe.first().map(|next| {
            let next = store.get(next);
            (next.departure + self.delay, next.order())
        });
        (slot, next)
    }

    /// What waits. A packet whose transmission ends now has departed, and the next one waits no longer.
    ///
    /// To be asked when a packet arrives, or of a link direction that nothing enters ahead of time.
    #[inline]
    fn occupancy<P: Copy>(&mut self, now: Time, store: &Store<P>) -> Occupancy {
        let packets = self.pipe.len() as u32;
        let mut first = None;
        while self.departed < packets {
            let transit = store.get(self.there);
            if transit.departure > now {
                first = Some((transit.departure, transit.size()));
                break;
            }
            self.bytes -= u64::from(transit.size());
            self.departed += 1;
            self.there = Pipe::after(store, self.there);
        }
        let mut waiting = packets - self.departed;
        if self.feeds {
            if let Some(gone) = self.see_off(now) {
                first = first.into_iter().chain([(gone.departure, gone.size)]).min();
            }
            waiting += self.cold.trail.waiting() as u32;
        }
        match first {
            // The first that has not departed is being transmitted, those behind it wait.
            Some((_, size)) => {
                Occupancy { packets: waiting - 1, bytes: Bytes::new(self.bytes - u64::from(size)) }
            }
            None => Occupancy::default(),
        }
    }

    /// Takes what has departed of the packets that went ahead off the count; the first that has not, if there is one.
    fn see_off(&mut self, now: Time) -> Option<Gone> {
        while let Some(gone) = self.cold.trail.undeparted() {
            if gone.departure > now {
                return Some(gone);
            }
            self.bytes -= u64::from(gone.size);
            self.cold.trail.depart();
        }
        None
    }

    fn transmission_of(&self, size: u32) -> Duration {
        self.cold.rate.transmission_time(Bytes::new(u64::from(size)))
    }

    /// How things stand now, packet by packet.
    pub(crate) fn standing<P: Copy>(&self, now: Time, store: &Store<P>) -> Standing {
        let mut standing = Standing::default();
        let mut slot = self.there;
        for _ in u64::from(self.departed)..self.pipe.len() {
            let transit = store.get(slot);
            let (departure, size, ahead) = (transit.departure, transit.size(), transit.is_ahead());
            standing.count(now, Gone { departure, size, ahead }, self.transmission_of(size));
            slot = Pipe::after(store, slot);
        }
        for gone in self.cold.trail.iter() {
            standing.count(now, gone, self.transmission_of(gone.size));
            if gone.departure + self.delay > now {
                standing.not_arrived(gone.size);
            }
        }
        standing
    }

    fn ledger<P: Copy>(&self, now: Time, store: &Store<P>, queue: Option<QueueLedger>) -> Ledger {
        let standing = self.standing(now, store);
        let gone = self.cold.trail.count;
        Ledger {
            time: now,
            admitted: self.pipe.admitted + gone - standing.future,
            arrived: self.pipe.arrived + gone - standing.not_arrived,
            dropped_queue: self.cold.dropped_queue,
            dropped_early: self.cold.dropped_early,
            marked: self.cold.marked,
            dropped_loss: self.cold.dropped_loss,
            bytes_forwarded: self.bytes_forwarded - standing.bytes_not_arrived,
            waited: self.waited,
            waiting_ahead: standing.waiting_ahead,
            busy: self.busy - standing.future_busy,
            busy_ahead: standing.free_at.since(now),
            queue,
        }
    }

    /// Statistics begin here; `queue` is what its queue has counted, if that counts for itself.
    pub(crate) fn measure_from<P: Copy>(&mut self, now: Time, store: &Store<P>, queue: Option<QueueLedger>) {
        self.max_waiting = self.standing(now, store).waiting().packets;
        self.cold.start = self.ledger(now, store, queue);
    }

    /// Statistics from the start of the measurement until now.
    pub(crate) fn stats<P: Copy>(
        &self,
        now: Time,
        store: &Store<P>,
        queue: Option<QueueLedger>,
    ) -> LinkStats {
        let end = self.ledger(now, store, queue);
        self.cold.start.until(&end, self.max_waiting)
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::Rate;

    use super::*;

    #[test]
    fn a_link_fits_two_cache_lines() {
        assert_eq!(size_of::<Link>(), 128);
    }

    #[test]
    fn what_went_ahead_is_forgotten_though_nobody_asks_what_waits() {
        let rate = Rate::from_bits_per_second(252_000_000);
        let mut link = Link::new(&LinkConfig::new(rate, Duration::from_millis(1)), None);
        link.set_feeds();
        for packet in 0..100_000 {
            let now = Time::from_nanos(packet * 100_000);
            let departure = link.serve(now, 1500);
            link.leave(now, departure, 1500, true);
        }
        let remembered = link.cold.trail.iter().count();
        assert!(remembered < 100, "{remembered} packets, of which ten are under way");
        assert!(link.bytes < 100 * 1500, "{} bytes that wait", link.bytes);
    }
}
