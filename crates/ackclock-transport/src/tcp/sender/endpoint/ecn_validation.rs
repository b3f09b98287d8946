//! The validation of ECN (RFC 9000, 13.4.2) by what a sender sends, loses and hears of.

use ackclock_units::{Duration, Time};

use super::super::super::mechanism::ecn_validation::{EcnValidation, SentCapable};
use super::Endpoint;
use crate::wire::{Flags, Header, SackBlocks};

impl Endpoint {
    fn ecn_validation(&mut self) -> &mut EcnValidation {
        self.life.cold_mut().ecn_validation.get_or_insert_default()
    }

    /// Lets the state of the path decide whether packets are ECN-capable.
    fn follow_ecn_validation(&mut self, withheld: bool) {
        match (withheld, self.ecn_validation().withholds()) {
            (false, true) => self.signals.ecn_mut().withhold(),
            (true, false) => self.signals.ecn_mut().permit(),
            _ => {}
        }
    }

    /// Changes the state of the path by what has happened.
    fn change_ecn_validation<T>(&mut self, change: impl FnOnce(&mut EcnValidation) -> T) -> T {
        let validation = self.ecn_validation();
        let withheld = validation.withholds();
        let found = change(validation);
        self.follow_ecn_validation(withheld);
        found
    }

    /// The time of a test may be over when a segment is sent.
    #[cold]
    pub(super) fn look_at_ecn_test(&mut self, now: Time) {
        self.change_ecn_validation(|validation| validation.look(now));
    }

    /// Notes with which ECN field the data `[start, end)` is sent.
    #[cold]
    pub(super) fn note_ecn_field(&mut self, now: Time, (start, end): (u64, u64), flags: Flags, again: bool) {
        let settings = &self.settings;
        // RFC 9002, 6.2.1.
        let delay = if settings.segments_per_ack > 1 { settings.ack_delay } else { Duration::ZERO };
        let probe_timeout = self.clock.rtt().timeout(&settings.rto) + delay;
        self.change_ecn_validation(|validation| {
            if again {
                validation.on_sent_again(start, end);
            }
            if flags.has(Flags::ECT) {
                validation.on_sent(now, SentCapable { start, end, again, probe_timeout });
            }
        });
    }

    /// The data `[start, end)` was declared lost, and is sent again.
    #[cold]
    pub(super) fn note_ecn_lost(&mut self, start: u64, end: u64) {
        self.change_ecn_validation(|validation| validation.on_lost(start, end));
    }

    /// Validates the counts of an acknowledgment. True if they may be used.
    #[cold]
    pub(super) fn validates_ecn(&mut self, now: Time, header: &Header, sack: &SackBlocks) -> bool {
        let is_ect1 = self.window.controller().needs().l4s;
        let counters = self.life.cold().and_then(|cold| cold.bytes.arrived());
        let is_valid = self.change_ecn_validation(|validation| {
            validation.look(now);
            validation.on_ack(header.acknowledgment, sack, counters.as_ref(), is_ect1)
        });
        if !is_valid {
            self.life.cold_mut().bytes.discard();
        }
        is_valid
    }
}
