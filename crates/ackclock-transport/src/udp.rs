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
#[derive(Clone, Copy, Debug, Default)]
pub struct Receiver {
    delivered: u64,
    delivered_at: Time,
}

impl Receiver {
    /// A datagram arrives.
    pub fn on_segment(&mut self, now: Time, _datagram: &Datagram) {
        self.delivered += 1;
        self.delivered_at = now;
    }

    /// Datagrams received.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// The arrival of the latest datagram; time zero before the first.
    pub fn delivered_at(&self) -> Time {
        self.delivered_at
    }
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
}
