use ackclock_units::{Bytes, Duration, LinkRate, Time};

use crate::event_list::{Class, EventList, Order};
use crate::link_stats::{Ledger, LinkStats};
use crate::loss::LossProcess;
use crate::pipe::{Pipe, Slot, Store};
use crate::queue::Discipline;
use crate::{Ecn, LinkConfig, LinkId, Occupancy, QueueLimit};

/// A packet at the entrance of a link direction.
pub(crate) struct Entry {
    pub(crate) id: LinkId,
    pub(crate) now: Time,
    pub(crate) size: u32,
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
    /// Whether all it does is queue: it neither loses packets nor marks them.
    plain: bool,
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
    /// Packets that find more than so many waiting are marked, where they may be.
    mark_above: Option<u32>,
    marked: u64,
    dropped_queue: u64,
    dropped_loss: u64,
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
            plain: loss.is_none() && config.mark_above.is_none(),
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
                mark_above: config.mark_above,
                marked: 0,
                dropped_queue: 0,
                dropped_loss: 0,
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

    /// Packets from the tail of the queue to the far end.
    pub(crate) fn in_flight(&self) -> u64 {
        self.pipe.len()
    }

    /// The packet that arrives next.
    pub(crate) fn head(&self) -> Option<Slot> {
        self.pipe.first()
    }

    /// Offers a packet; false if it was refused. Only a packet that is taken in needs a slot.
    #[inline]
    pub(crate) fn offer<P: Copy>(
        &mut self,
        entry: &Entry,
        store: &mut Store<P>,
        events: &mut EventList,
        slot: impl FnOnce(&mut Store<P>) -> Slot,
    ) -> bool {
        let admitted = self.admits(entry.now, entry.size, store);
        let (lost, marked) = if self.plain { (false, false) } else { self.treat(entry, admitted, store) };
        if admitted {
            let slot = slot(store);
            if marked {
                store.get_mut(slot).mark();
            }
            let order = events.next_order(Class::Link, entry.id.0);
            if let Some(arrival) = self.enqueue(entry, order, lost, slot, store) {
                events.insert_link(arrival, order);
            }
        }
        admitted
    }

    /// Whether a packet of this size may enter now; a packet refused is counted.
    #[inline]
    fn admits<P: Copy>(&mut self, now: Time, size: u32, store: &Store<P>) -> bool {
        if self.free_at <= now {
            // Everything has departed: no need to look at it piece by piece.
            self.departed = self.pipe.len() as u32;
            self.bytes = 0;
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

    /// Whether the link will lose the packet just offered, and whether the queue marks it.
    #[cold]
    fn treat<P: Copy>(&mut self, entry: &Entry, admitted: bool, store: &Store<P>) -> (bool, bool) {
        let process = self.cold.loss.as_mut();
        let lost = process.is_some_and(|process| process.loses(entry.flow, entry.data, admitted));
        let limit = self.cold.mark_above.filter(|_| admitted && entry.ecn != Ecn::NotCapable);
        let marked = limit.is_some_and(|limit| self.occupancy(entry.now, store).packets > limit);
        self.cold.marked += u64::from(marked);
        (lost, marked)
    }

    /// Takes a packet in. The time of its arrival where it is the only one: the caller is to schedule it.
    #[expect(clippy::inline_always, reason = "on the way of every packet; left to itself it becomes a call")]
    #[inline(always)]
    fn enqueue<P: Copy>(
        &mut self,
        entry: &Entry,
        order: Order,
        lost: bool,
        slot: Slot,
        store: &mut Store<P>,
    ) -> Option<Time> {
        if entry.size != self.size {
            self.size = entry.size;
            self.transmission = self.cold.rate.transmission_time(Bytes::new(u64::from(entry.size)));
        }
        let start = self.free_at.max(entry.now);
        self.waited += start.since(entry.now).as_nanos();
        let departure = start + self.transmission;
        self.free_at = departure;
        self.busy += self.transmission;
        self.bytes += u64::from(entry.size);
        store.get_mut(slot).enter(departure, order, lost);
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
    #[inline]
    pub(crate) fn occupancy<P: Copy>(&mut self, now: Time, store: &Store<P>) -> Occupancy {
        let packets = self.pipe.len() as u32;
        while self.departed < packets {
            let transit = store.get(self.there);
            let size = u64::from(transit.size());
            if transit.departure > now {
                // The first that has not departed is being transmitted, those behind it wait.
                return Occupancy {
                    packets: packets - self.departed - 1,
                    bytes: Bytes::new(self.bytes - size),
                };
            }
            self.bytes -= size;
            self.departed += 1;
            self.there = Pipe::after(store, self.there);
        }
        Occupancy::default()
    }

    /// The waiting time still ahead of the packets that wait, in packet-nanoseconds.
    fn waiting_ahead<P: Copy>(&mut self, now: Time, store: &Store<P>) -> u64 {
        let waiting = self.occupancy(now, store).packets;
        let mut slot = self.there;
        let mut ahead = 0;
        // Each waits for the departure of the one before it.
        for _ in 0..waiting {
            ahead += store.get(slot).departure.since(now).as_nanos();
            slot = Pipe::after(store, slot);
        }
        ahead
    }

    fn ledger<P: Copy>(&mut self, now: Time, store: &Store<P>) -> Ledger {
        Ledger {
            time: now,
            admitted: self.pipe.admitted,
            arrived: self.pipe.arrived,
            dropped_queue: self.cold.dropped_queue,
            marked: self.cold.marked,
            dropped_loss: self.cold.dropped_loss,
            bytes_forwarded: self.bytes_forwarded,
            waited: self.waited,
            waiting_ahead: self.waiting_ahead(now, store),
            busy: self.busy,
            busy_ahead: self.free_at.since(now),
        }
    }

    /// Statistics begin here.
    pub(crate) fn measure_from<P: Copy>(&mut self, now: Time, store: &Store<P>) {
        self.max_waiting = self.occupancy(now, store).packets;
        self.cold.start = self.ledger(now, store);
    }

    /// Statistics from the start of the measurement until now.
    pub(crate) fn stats<P: Copy>(&mut self, now: Time, store: &Store<P>) -> LinkStats {
        let end = self.ledger(now, store);
        self.cold.start.until(&end, self.max_waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_two_cache_lines() {
        assert_eq!(size_of::<Link>(), 128);
    }
}
