use ackclock_units::{Bytes, Duration, Rate, Time};

use crate::event_list::Order;
use crate::link_stats::{Ledger, LinkStats};
use crate::loss::LossProcess;
use crate::pipe::{Pipe, Transit};
use crate::queue::Discipline;
use crate::{LinkConfig, Occupancy, Packet, QueueLimit};

/// One direction of a link: a first-in first-out pipe of a queue, a transmitter and a propagation delay.
///
/// As service is in order, a packet's departure is known when it is admitted: `max(now, free_at)` plus its
/// transmission time. So nothing happens between admission and arrival, and only the head's arrival is an event. What
/// waits is found when somebody asks, by counting the packets that have departed since.
///
/// All of this fits two cache lines; a test holds it to that.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Link<P> {
    /// When the transmitter falls idle.
    free_at: Time,
    /// The transmission time of packets of `size` bytes: most packets are as long as the one before.
    transmission: Duration,
    size: u32,
    /// The most packets that have waited at once since the measurement began.
    max_waiting: u32,
    /// How many packets of the pipe, from its head, had departed when last looked.
    departed: u32,
    /// Whether there is a loss process.
    lossy: bool,
    delay: Duration,
    pipe: Pipe<P>,
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
    rate: Rate,
    loss: Option<LossProcess>,
    dropped_queue: u64,
    dropped_loss: u64,
    start: Ledger,
}

impl<P: Copy> Link<P> {
    pub(crate) fn new(config: &LinkConfig, loss: Option<LossProcess>) -> Link<P> {
        Link {
            free_at: Time::ZERO,
            transmission: Duration::ZERO,
            size: 0,
            max_waiting: 0,
            departed: 0,
            lossy: loss.is_some(),
            delay: config.delay,
            pipe: Pipe::new(),
            bytes: 0,
            discipline: Discipline::DropTail(config.limit),
            busy: Duration::ZERO,
            waited: 0,
            bytes_forwarded: 0,
            cold: Box::new(Cold {
                rate: config.rate,
                loss,
                dropped_queue: 0,
                dropped_loss: 0,
                start: Ledger::default(),
            }),
        }
    }

    pub(crate) fn rate(&self) -> Rate {
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
    pub(crate) fn head(&self) -> Option<&Packet<P>> {
        (!self.pipe.is_empty()).then(|| &self.pipe.get(self.pipe.head).packet)
    }

    /// Whether a packet of this size may enter now; a packet refused is counted.
    #[inline]
    pub(crate) fn admits(&mut self, now: Time, size: u32) -> bool {
        if self.free_at <= now {
            // Everything has departed: no need to look at it piece by piece.
            self.departed = self.pipe.len() as u32;
            self.bytes = 0;
            return true;
        }
        let waiting = self.occupancy(now);
        if !self.discipline.admits(size, waiting) {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.max_waiting = self.max_waiting.max(waiting.packets + 1);
        true
    }

    /// Whether the link will lose the packet just offered.
    #[inline]
    pub(crate) fn loses(&mut self, packet: &Packet<P>, admitted: bool) -> bool {
        self.lossy && self.cold.loss.as_mut().is_some_and(|loss| loss.loses(packet, admitted))
    }

    /// Takes a packet in that [`Link::admits`] let pass. The time of its arrival where it is the only one: the caller
    /// is to schedule it.
    #[inline]
    pub(crate) fn enqueue(&mut self, now: Time, order: Order, lost: bool, packet: Packet<P>) -> Option<Time> {
        if packet.size != self.size {
            self.size = packet.size;
            self.transmission = self.cold.rate.transmission_time(Bytes::new(u64::from(packet.size)));
        }
        if self.free_at > now {
            self.waited += self.free_at.since(now).as_nanos();
        }
        let departure = self.free_at.max(now) + self.transmission;
        self.free_at = departure;
        self.busy += self.transmission;
        self.bytes += u64::from(packet.size);
        let first = self.pipe.is_empty();
        self.pipe.push(Transit::new(departure, order, lost, packet));
        first.then(|| departure + self.delay)
    }

    /// The head has arrived: takes it off, with the arrival of the packet behind it, if any.
    #[inline]
    pub(crate) fn dequeue(&mut self) -> (Transit<P>, Option<(Time, Order)>) {
        let transit = self.pipe.pop();
        if self.departed > 0 {
            self.departed -= 1;
        } else {
            self.bytes -= u64::from(transit.packet.size);
        }
        if transit.is_lost() {
            self.cold.dropped_loss += 1;
        } else {
            self.bytes_forwarded += u64::from(transit.packet.size);
        }
        let next = (!self.pipe.is_empty()).then(|| {
            let next = self.pipe.get(self.pipe.head);
            (next.departure + self.delay, next.order())
        });
        (transit, next)
    }

    /// What waits. A packet whose transmission ends now has departed, and the next one waits no longer.
    pub(crate) fn occupancy(&mut self, now: Time) -> Occupancy {
        let packets = self.pipe.len() as u32;
        while self.departed < packets {
            let transit = self.pipe.get(self.first_there());
            if transit.departure > now {
                // The first that has not departed is being transmitted, those behind it wait.
                return Occupancy {
                    packets: packets - self.departed - 1,
                    bytes: Bytes::new(self.bytes - u64::from(transit.packet.size)),
                };
            }
            self.bytes -= u64::from(transit.packet.size);
            self.departed += 1;
        }
        Occupancy::default()
    }

    /// The place of the first packet that had not departed when last looked.
    #[inline]
    fn first_there(&self) -> u64 {
        self.pipe.head + u64::from(self.departed)
    }

    /// The waiting time still ahead of the packets that wait, in packet-nanoseconds.
    fn waiting_ahead(&mut self, now: Time) -> u64 {
        self.occupancy(now);
        // Each waits for the departure of the one before it.
        let waiting = self.first_there() + 1..self.pipe.tail;
        waiting.map(|place| self.pipe.get(place - 1).departure.since(now).as_nanos()).sum()
    }

    fn ledger(&mut self, now: Time) -> Ledger {
        Ledger {
            time: now,
            admitted: self.pipe.tail,
            arrived: self.pipe.head,
            dropped_queue: self.cold.dropped_queue,
            dropped_loss: self.cold.dropped_loss,
            bytes_forwarded: self.bytes_forwarded,
            waited: self.waited,
            waiting_ahead: self.waiting_ahead(now),
            busy: self.busy,
            busy_ahead: self.free_at.since(now),
        }
    }

    /// Statistics begin here.
    pub(crate) fn measure_from(&mut self, now: Time) {
        self.max_waiting = self.occupancy(now).packets;
        self.cold.start = self.ledger(now);
    }

    /// Statistics from the start of the measurement until now.
    pub(crate) fn stats(&mut self, now: Time) -> LinkStats {
        let end = self.ledger(now);
        self.cold.start.until(&end, self.max_waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_two_cache_lines() {
        assert_eq!(size_of::<Link<[u64; 7]>>(), 128);
    }
}
