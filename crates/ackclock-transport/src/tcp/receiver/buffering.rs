//! The receive buffer of a receiver, if it has one that can fill.

use ackclock_units::Time;

use crate::wire::Header;

use super::super::mechanism::receive_buffer::ReceiveBuffer;
use super::super::mechanism::transactions::ConnectionCount;
use super::{Receiver, State};

impl Receiver {
    fn buffer(&self) -> Option<&ReceiveBuffer> {
        self.options.as_ref()?.buffer.as_ref()
    }

    /// Sets the time of the next window update.
    #[inline]
    pub(super) fn schedule_update(&mut self, now: Time) {
        if self.state == State::Established
            && let Some(buffer) = self.buffer()
        {
            self.resend_deadline = buffer.update_at(now, self.next, self.most_window());
        }
    }

    /// True if a segment lies within the window (RFC 9293, 3.10.7.4, table 6).
    pub(super) fn accepts(&self, segment: &Header) -> bool {
        self.buffer().is_none_or(|buffer| buffer.accepts(segment, self.next))
    }

    /// Puts data into the buffer that arrived in order; `expected` was the next byte.
    #[inline]
    pub(super) fn put_into_buffer(&mut self, now: Time, segment: &Header, expected: u64) {
        let next = self.next;
        if let Some(buffer) = self.options.as_mut().and_then(|options| options.buffer.as_mut()) {
            buffer.on_data(now, segment, expected, next);
        }
    }

    /// The data of a SYN with a valid cookie is delivered at once (RFC 7413, 4.2.2); every SYN with data
    /// has such a cookie. The data of a SYN whose connection count is above the cached one is delivered at
    /// once, too (RFC 1644, 2.1).
    pub(super) fn take_syn_data(&mut self, now: Time, segment: &Header) {
        let transaction = self.options.as_ref().and_then(|options| options.transaction.as_ref());
        let is_accepted = transaction.map_or(self.settings.fast_open, ConnectionCount::passes);
        if is_accepted && segment.length > 0 {
            let expected = self.next;
            self.next = segment.end();
            self.delivered_segments += 1;
            self.put_into_buffer(now, segment, expected);
        }
    }

    /// The largest window that may be advertised, whatever room the buffer has. While data is missing its right edge stays, for a
    /// sender counts no acknowledgment with another window as a duplicate (RFC 5681, 2).
    fn most_window(&self) -> u64 {
        let control = self.options.as_ref().and_then(|options| options.control.as_ref());
        control.map_or(u64::MAX, |control| if self.is_in_order() { control.window() } else { 0 })
    }

    /// The window that this acknowledgment advertises now.
    pub(in crate::tcp) fn window(&mut self, now: Time, acknowledgment: u64) -> u32 {
        let (next, most) = (self.next, self.most_window());
        let Some(options) = self.options.as_deref_mut() else { return self.settings.receive_window };
        let Some(buffer) = &mut options.buffer else { return self.settings.receive_window };
        let edge = buffer.advertise(now, next, most);
        if let Some(control) = &mut options.control {
            control.on_ack_sent(now, next, edge);
        }
        let window = edge.saturating_sub(acknowledgment);
        self.schedule_update(now);
        u32::try_from(window).unwrap_or(u32::MAX)
    }
}
