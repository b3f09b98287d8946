//! Events on which the quick acknowledgments of a receiver depend.

use ackclock_units::{Duration, Time};

use super::super::mechanism::quick_acks::QuickAcks;
use super::Receiver;

impl Receiver {
    /// The state of quick acknowledgments, if there are any.
    #[inline]
    pub(super) fn quick_mut(&mut self) -> Option<&mut QuickAcks> {
        self.options.as_mut()?.quick.as_mut()
    }

    /// The SYN-ACK is acknowledged, and is not to be sent again. One that was sent once measures a round trip (Karn's rule).
    pub(super) fn note_handshake(&mut self, now: Time) {
        let quick = self.options.as_mut().and_then(|options| options.quick.as_mut());
        if let Some(quick) = quick.filter(|_| self.resends == 0) {
            // It was sent `syn_timeout` before it would be sent again.
            let round_trip = (now + self.settings.syn_timeout).since(self.resend_deadline);
            quick.take_round_trip(round_trip, &self.settings);
        }
    }

    /// Data up to `end` arrives again.
    pub(super) fn note_quick_duplicate(&mut self, end: u64) {
        let is_old = end < self.last_ack && self.unacknowledged == 0;
        if let Some(quick) = self.quick_mut() {
            quick.on_duplicate(is_old);
        }
    }

    /// The timer of a delayed acknowledgment expires.
    pub(super) fn note_vain_delay(&mut self) {
        if let Some(quick) = self.quick_mut() {
            quick.on_timer();
        }
    }

    /// This end sends data.
    pub(in crate::tcp) fn note_sent_data(&mut self, now: Time) {
        let delay = self.settings.ack_delay;
        if let Some(quick) = self.quick_mut() {
            quick.on_sent(now, delay);
        }
    }

    /// Data arrives at an end whose retransmission timeout this is.
    pub(in crate::tcp) fn note_timeout(&mut self, timeout: impl FnOnce() -> Duration) {
        if let Some(quick) = self.quick_mut() {
            quick.take_timeout(timeout());
        }
    }
}
