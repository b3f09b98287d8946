//! UDP (RFC 768): numbered datagrams, without connection, acknowledgment or timer; and clients of a
//! Congestion Manager that use UDP.

mod managed;
mod rate_callback;

use ackclock_units::Time;

pub use managed::ManagedSender;
pub use rate_callback::{RateCallback, RateThresholds};

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Its number, from zero.
    pub number: u64,
}

/// A UDP sender: its application [writes](Self::write) datagrams, and its driver polls
/// [`poll_transmit`](Self::poll_transmit).
#[derive(Clone, Copy, Debug, Default)]
pub struct Sender {
    sent: u64,
    waiting: u64,
}

impl Sender {
    /// The application writes this many more datagrams, which leave at once.
    pub fn write(&mut self, datagrams: u64) {
        self.waiting += datagrams;
    }

    /// The next datagram to send, if one waits.
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Datagram> {
        self.waiting = self.waiting.checked_sub(1)?;
        let number = self.sent;
        self.sent += 1;
        Some(Datagram { number })
    }

    /// Datagrams sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }
}

/// A UDP receiver, which never replies.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    delivered: u64,
    delivered_at: Time,
    /// A bit for each number that has arrived, where copies arrive too.
    arrived: Option<Vec<u64>>,
}

impl Receiver {
    /// A receiver at the end of a path that makes copies of datagrams, of which each is delivered once. It takes a bit of memory
    /// for each datagram that is sent.
    pub fn of_copies() -> Receiver {
        Receiver { arrived: Some(Vec::new()), ..Receiver::default() }
    }

    /// A datagram arrives; false if it has arrived before.
    pub fn on_segment(&mut self, now: Time, datagram: &Datagram) -> bool {
        if self.arrived.as_mut().is_some_and(|arrived| !insert(arrived, datagram.number)) {
            return false;
        }
        self.delivered += 1;
        self.delivered_at = now;
        true
    }

    /// The bits of the highest numbers that have arrived, near those of the next.
    pub(crate) fn latest(&self) -> Option<&u64> {
        self.arrived.as_ref()?.last()
    }

    /// Datagrams received, each counted once.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The arrival of the latest datagram; time zero before the first.
    pub fn delivered_at(&self) -> Time {
        self.delivered_at
    }
}

/// Adds a number to a set of bits; false if it is there.
fn insert(bits: &mut Vec<u64>, number: u64) -> bool {
    let (word, bit) = ((number / 64) as usize, 1 << (number % 64));
    if bits.len() <= word {
        bits.resize(word + 1, 0);
    }
    let is_new = bits[word] & bit == 0;
    bits[word] |= bit;
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_leave_once_and_in_order() {
        let (mut sender, mut receiver) = (Sender::default(), Receiver::default());
        sender.write(2);
        for (number, now) in [(0, Time::from_nanos(5)), (1, Time::from_nanos(6))] {
            let datagram = sender.poll_transmit(now).expect("one waits");
            assert_eq!(datagram, Datagram { number });
            receiver.on_segment(now, &datagram);
        }
        assert_eq!(sender.poll_transmit(Time::from_nanos(7)), None);
        sender.write(1);
        assert_eq!(sender.poll_transmit(Time::from_nanos(8)), Some(Datagram { number: 2 }));
        assert_eq!((sender.sent(), receiver.delivered()), (3, 2));
        assert_eq!(receiver.delivered_at(), Time::from_nanos(6));
    }

    /// Copies arrive at once, later and in any order.
    #[test]
    fn a_copy_is_not_delivered() {
        let mut receiver = Receiver::of_copies();
        let mut arrive = |number, nanos| receiver.on_segment(Time::from_nanos(nanos), &Datagram { number });
        let numbers = [0, 0, 200, 64, 63, 200, 0, 64, 199];
        let new: Vec<bool> =
            numbers.into_iter().zip(1..).map(|(number, nanos)| arrive(number, nanos)).collect();
        assert_eq!(new, [true, false, true, true, true, false, false, false, true]);
        assert_eq!((receiver.delivered(), receiver.delivered_at()), (5, Time::from_nanos(9)));
    }
}
