//! The deadlines of a sender that belong to no other mechanism.

use ackclock_units::{Duration, Time};

/// Deadlines; [`Time::MAX`] while a timer is off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers {
    /// The retransmission timer (RFC 6298); during the handshake it is the SYN's timer.
    retransmission: Time,
    /// The application's start or stop.
    application: Time,
}

impl Timers {
    /// All timers off, except for the application's start.
    pub fn starting_at(start: Time) -> Timers {
        Timers { retransmission: Time::MAX, application: start }
    }

    /// The deadline of the retransmission timer.
    #[inline]
    pub fn retransmission(&self) -> Time {
        self.retransmission
    }

    #[inline]
    pub fn is_retransmission_armed(&self) -> bool {
        self.retransmission < Time::MAX
    }

    #[inline]
    pub fn arm_retransmission(&mut self, now: Time, timeout: Duration) {
        self.retransmission = now + timeout;
    }

    #[inline]
    pub fn stop_retransmission(&mut self) {
        self.retransmission = Time::MAX;
    }

    /// The application's next start or stop.
    pub fn application(&self) -> Time {
        self.application
    }

    pub fn set_application(&mut self, at: Time) {
        self.application = at;
    }

    /// The earliest deadline.
    #[inline]
    pub fn next(&self) -> Time {
        self.retransmission.min(self.application)
    }
}
