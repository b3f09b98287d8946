//! Virtual clocks: when the next packet may leave at a rate.

use ackclock_units::{Bytes, Rate, Time};

/// The shaper of all tins, in deficit mode: a packet that leaves puts off the next by its time at the rate. It has no
/// burst: only what the transmitter was late for is made up.
#[derive(Clone, Debug)]
pub(super) struct Shaper {
    rate: Rate,
    /// The time from which the next packet may leave (`time_next_packet`).
    next: Time,
    /// The time of the next packet at two thirds of the rate, if no drops are charged. Packets leave from it on, even if `next` is
    /// later because of many drops (`failsafe_next_packet`).
    failsafe: Time,
}

impl Shaper {
    pub(super) fn new(rate: Rate) -> Shaper {
        Shaper { rate, next: Time::ZERO, failsafe: Time::ZERO }
    }

    /// A packet arrives when none waits: the time before is not made up.
    pub(super) fn begin(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.failsafe) = (now, now);
        }
    }

    /// The time from which a packet may leave.
    pub(super) fn opens_at(&self) -> Time {
        self.next.min(self.failsafe)
    }

    /// Charges a packet that leaves, or is dropped in ingress mode.
    pub(super) fn charge(&mut self, bytes: u32, is_dropped: bool) {
        let time = self.rate.transmission_time(Bytes::new(u64::from(bytes)));
        self.next += time;
        if !is_dropped {
            self.failsafe += time.mul_f64(1.5);
        }
    }
}

/// The clock by which a tin knows whether it is within its share of the bandwidth. It holds nothing back.
#[derive(Clone, Debug)]
pub(super) struct TinClock {
    rate: Rate,
    next: Time,
}

impl TinClock {
    pub(super) fn new(rate: Rate) -> TinClock {
        TinClock { rate, next: Time::ZERO }
    }

    /// A packet arrives when none waits in the tin.
    pub(super) fn begin(&mut self, now: Time) {
        self.next = self.next.max(now);
    }

    /// The time from which another packet is within the share.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Charges a packet. A tin that is beyond its share owes no more than this packet.
    pub(super) fn charge(&mut self, now: Time, bytes: u32) {
        let time = self.rate.transmission_time(Bytes::new(u64::from(bytes)));
        self.next = if self.next < now { self.next + time } else { self.next.max(now + time) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::testing::at;

    /// 1000 bytes take a millisecond at 8 Mbit/s.
    fn shaper() -> Shaper {
        Shaper::new(Rate::from_bits_per_second(8_000_000))
    }

    /// A transmitter that comes late by two packets finds both due; one that comes to an empty queue finds one.
    #[test]
    fn only_lateness_is_made_up() {
        let mut shaper = shaper();
        shaper.begin(at(5_000));
        (0..3).for_each(|_| shaper.charge(1000, false));
        assert_eq!(shaper.opens_at(), at(8_000));
        shaper.begin(at(20_000));
        shaper.charge(1000, false);
        assert_eq!(shaper.opens_at(), at(21_000));
    }

    /// Of dropped packets alone none stops the others for longer than the failsafe.
    #[test]
    fn drops_put_off_no_longer_than_the_failsafe() {
        let mut shaper = shaper();
        shaper.charge(1000, false);
        (0..100).for_each(|_| shaper.charge(1000, true));
        assert_eq!(shaper.opens_at(), at(1_500));
    }

    #[test]
    fn a_tin_beyond_its_share_owes_one_packet() {
        let mut clock = TinClock::new(Rate::from_bits_per_second(8_000_000));
        (0..10).for_each(|_| clock.charge(at(0), 1000));
        assert_eq!(clock.next(), at(1_000));
        // Behind its schedule it keeps what it has not used.
        clock.charge(at(10_000), 1000);
        assert_eq!(clock.next(), at(2_000));
        clock.begin(at(10_000));
        assert_eq!(clock.next(), at(10_000));
    }
}
