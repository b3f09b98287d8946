//! The transmitter and the pipe behind it: departure times, and packets that enter and leave.

use ackclock_units::{Bytes, Duration, Time};

use super::Link;
use super::busy_periods::buffer_time;
use crate::packet::slot::SlotId;
use crate::packet::store::PacketStore;

impl Link {
    /// The wait of a packet that arrives at `now`, if it is admitted: zero if the transmitter is idle.
    #[inline]
    pub(crate) fn wait(&self, now: Time) -> Duration {
        self.period.end.since(now)
    }

    /// Enqueues an admitted packet that arrives at `now`, and returns its departure.
    #[inline]
    pub(crate) fn serve(&mut self, now: Time, size: u32) -> Time {
        let wait = self.wait(now);
        if wait.is_zero() { self.serve_at_once(now, size) } else { self.serve_after(wait, now, size) }
    }

    /// [`Link::serve`] for a transmitter that is busy for the time of a `wait`.
    #[inline]
    pub(crate) fn serve_after(&mut self, wait: Duration, now: Time, size: u32) -> Time {
        if size != self.size {
            self.change_size(now, size);
        }
        self.add_waited(wait);
        self.admitted += 1;
        self.period.end += self.period.transmission;
        self.period.end
    }

    /// True if a packet that would wait this long is certainly admitted, because the waiting packets have its size.
    /// Then [`serve_at_once`](Self::serve_at_once) or [`serve_usual`](Self::serve_usual) serves it.
    /// [`admits_after`](Self::admits_after) decides on all other packets.
    #[inline]
    pub(crate) fn takes_usual(&self, wait: Duration, size: u32) -> bool {
        size == self.size && (wait.is_zero() || !self.mixed_sizes && wait <= self.buffer_time)
    }

    /// True if a packet is served by [`serve_at_once`](Self::serve_at_once), and of the size of the packets before it.
    #[inline]
    pub(crate) fn takes_at_once(&self, now: Time, size: u32) -> bool {
        size == self.size && self.wait(now).is_zero()
    }

    /// [`Link::serve_after`] for a packet that [is usual](Self::takes_usual).
    #[inline]
    pub(crate) fn serve_usual(&mut self, wait: Duration, now: Time, size: u32) -> Time {
        self.longest_wait = self.longest_wait.max(wait);
        self.serve_after(wait, now, size)
    }

    /// Adds to the waiting time of all packets admitted, which may exceed 64 bits of nanoseconds.
    #[inline]
    pub(super) fn add_waited(&mut self, wait: Duration) {
        let (sum, carry) = self.waited.overflowing_add(wait.as_nanos());
        self.waited = sum;
        if carry {
            self.cold.waited_carries += 1;
        }
    }

    /// [`Link::serve`] for an idle transmitter.
    #[inline]
    pub(crate) fn serve_at_once(&mut self, now: Time, size: u32) -> Time {
        if size != self.size {
            self.change_size(now, size);
        }
        self.admitted += 1;
        self.mixed_sizes = false;
        self.period.start = now;
        self.period.end = now + self.period.transmission;
        self.period.end
    }

    /// Begins a busy period of packets of another size.
    #[inline(never)]
    fn change_size(&mut self, now: Time, size: u32) {
        self.bytes_before = self.bytes();
        self.busy_before = self.busy();
        self.admitted_before = self.admitted;
        self.max_waiting = self.max_waiting();
        self.longest_wait = Duration::ZERO;
        if self.period.end > now {
            self.cold.periods.retire(now);
            self.cold.periods.push(self.period, self.period.packets(), self.size);
            self.mixed_sizes = true;
            self.period.start = self.period.end;
        } else {
            // All have ended. They are retired before the next is added.
            self.mixed_sizes = false;
        }
        self.period.transmission = self.transmission_of(size);
        self.size = size;
        self.buffer_time = buffer_time(self.cold.buffer, size, self.period.transmission);
    }

    /// The transmission time of a packet of this size: at least a nanosecond, so that no packet overtakes another.
    #[inline]
    pub(crate) fn transmission_of(&self, size: u32) -> Duration {
        if size == self.size {
            return self.period.transmission;
        }
        self.cold.rate.transmission_time(Bytes::new(u64::from(size))).max(Duration::from_nanos(1))
    }

    /// Appends a packet to the pipe. Returns the time of its arrival if it is the only one: the caller schedules it.
    #[inline]
    pub(crate) fn append<P: Copy, A: Copy>(
        &mut self,
        departure: Time,
        (lost, cut_through_hops): (bool, u32),
        slot: SlotId,
        store: &mut PacketStore<P, A>,
    ) -> Option<Time> {
        store.header_mut(slot).enter(departure, lost, cut_through_hops);
        self.pipe.push(store, slot);
        (self.pipe.len() == 1).then(|| departure + self.delay)
    }

    /// Removes the head, which has arrived. Returns it with the arrival of the packet behind it, if there is one.
    #[inline]
    pub(crate) fn dequeue<P: Copy, A: Copy>(&mut self, store: &PacketStore<P, A>) -> (SlotId, Option<Time>) {
        let slot = self.pipe.pop(store);
        let next = self.pipe.first().map(|next| {
            let next = store.header(next);
            store.prefetch_next(next);
            next.departure + self.delay
        });
        (slot, next)
    }
}
