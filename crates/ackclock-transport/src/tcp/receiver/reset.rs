//! The end of a connection by a reset (RFC 9293, 3.10.7).

use ackclock_units::Time;

use crate::wire::Header;

use super::super::mechanism::once_time::OnceTime;
use super::{Receiver, State};

impl Receiver {
    /// RFC 9293, 3.10.7.4: after a passive OPEN a reset returns to LISTEN; data of the SYN was delivered by then. On
    /// an open connection a reset counts if it has the expected sequence number. A reset with a later number within
    /// the window is answered with an acknowledgment. If the other side did send the reset, it answers with one that
    /// counts.
    pub(super) fn on_reset(&mut self, now: Time, segment: &Header) {
        match self.state {
            State::SynReceived => {
                self.state = State::Listen;
                self.resend_deadline = Time::MAX;
                self.finished_at =
                    if self.delivered_bytes() > 0 { OnceTime::from(now) } else { OnceTime::NEVER };
            }
            State::Established | State::LastAck if segment.sequence == self.next => self.end_by_reset(now),
            State::Established if segment.sequence > self.next => self.reply_due = true,
            _ => {}
        }
    }

    /// Ends the connection: data that arrives afterwards is not delivered.
    pub(in crate::tcp) fn end_by_reset(&mut self, now: Time) {
        self.finished_at.come(now);
        self.state = State::Reset;
        self.plain = false;
        self.reply_due = false;
        (self.ack_deadline, self.resend_deadline) = (Time::MAX, Time::MAX);
        self.give_up(self.held_bytes());
        self.reassembly = None;
        if let Some(options) = &mut self.options {
            options.unechoed = None;
        }
    }

    /// True if the connection was reset.
    pub(in crate::tcp) fn is_reset(&self) -> bool {
        self.state == State::Reset
    }
}
