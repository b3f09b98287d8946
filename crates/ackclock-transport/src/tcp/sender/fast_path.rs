//! The acknowledgment that nearly every one is: of new data, while nothing is lost, marked or out of order. It changes
//! little, and that is done here at once ("header prediction": Jacobson, RFC 1323, and 4.4BSD since). What follows is what
//! `ack.rs` and `transmit.rs` do in that case, to the last digit, without their questions.
//!
//! Most of the questions are answered once, when all has been sent that could be: the sender is steady then, until
//! something else than an expected acknowledgment comes.

use ackclock_units::Time;

use crate::wire::{Flags, Header};

use super::super::mechanism::retransmission_queue::TxRecord;
use super::super::recovery::{Phase, Recovery};
use super::ack::AckFacts;
use super::{Eifel, PendingControl, Sender, State};

/// The most segments covered that are looked at one by one before anything is done.
const MOST: u32 = 4;

impl Sender {
    /// Whether no loss is known or suspected, and the recovery has nothing to do with an acknowledgment of new data but
    /// to forget duplicates.
    #[inline]
    fn is_calm(&self) -> bool {
        self.state == State::Established
            && self.recovery != Recovery::Rack
            && self.loss.phase == Phase::Open
            && self.eifel == Eifel::Off
            && self.dupack_credit == 0
            && self.loss.checks_left == 0
            && !self.queue.has_sacked()
    }

    /// Whether besides there are no duplicates to forget, nothing can be due but new data, nothing but windows holds it
    /// back, and no samples are taken. Acknowledgments of the expected kind leave it so until the transfer is over.
    fn can_be_steady(&self) -> bool {
        self.is_calm()
            && self.recovery != Recovery::Vegas
            && self.window_only
            && self.pending == PendingControl::Nothing
            && self.loss.duplicates == 0
            && self.loss.inflation == 0
            && !self.loss.force_resend
            && !self.queue.has_lost()
            && !self.ecn.agreed
            && self.finished_at.is_none()
    }

    /// Takes an acknowledgment of the expected kind; false, with nothing done, where it is of another.
    #[inline]
    pub(crate) fn take_expected(&mut self, now: Time, header: &Header) -> bool {
        if header.flags != Flags::ACK || !(self.steady || self.is_calm()) {
            return false;
        }
        let Some((covered, newest)) = self.queue.acknowledge_plain(header.acknowledgment, MOST) else {
            return false;
        };
        if !self.steady {
            self.loss.duplicates = 0;
            self.loss.inflation = 0;
        }
        self.integrate_cwnd(now);
        self.peer_window = u64::from(header.window);
        self.echo = header.timestamps.value;
        let rtt = Some(self.take_rtt(self.rtt_of(now, header, newest.sent_at), covered));
        let rate = self.sampler.update(now, covered, Some(&newest));
        self.restart_timer(now);
        let suspended = self.sampler.round < self.growth_from_round;
        let window_limited = self.window_limited;
        let learned =
            AckFacts { delivered: covered, rtt, rate, suspended, window_limited, ..AckFacts::default() };
        self.inform_controller(now, &AckFacts { acks: 1, advanced: true, ..learned });
        self.note_finish(now);
        true
    }

    /// The header of the next segment that a steady sender sends, as [`poll_transmit`](Self::poll_transmit) would give it:
    /// a full one, which leaves it steady. None where the window lets no more go, or where something else is due.
    #[expect(clippy::inline_always, reason = "a segment is to be made where it is sent")]
    #[inline(always)]
    pub fn transmit_steadily(&mut self, now: Time) -> Option<Header> {
        if !self.steady || self.queue.is_empty() {
            self.steady = false;
            return None;
        }
        let Some(end) = self.end_of_full() else {
            self.steady = false;
            return None;
        };
        if !self.window_has_room() {
            self.window_limited = true;
            return None;
        }
        Some(self.next_full(now, end))
    }

    /// Whether nothing can be due but what [`transmit_steadily`](Self::transmit_steadily) gives.
    #[inline]
    pub fn is_steady(&self) -> bool {
        self.steady
    }

    /// [`next_wake`](Self::next_wake) of a steady sender.
    #[inline]
    pub fn next_wake_steadily(&self) -> Time {
        self.rto_deadline.min(self.application_wake)
    }

    /// To be called when [`poll_transmit`](Self::poll_transmit) has given all there is.
    pub fn settle(&mut self) {
        self.steady = self.can_be_steady();
    }

    /// Sends a full segment of new data that is neither the first after silence nor the last.
    #[inline]
    pub(crate) fn next_full(&mut self, now: Time, end: u64) -> Header {
        let start = self.next;
        self.queue.push(
            end,
            &TxRecord { sent_at: now, delivered: self.sampler.delivered as u32, ..TxRecord::default() },
        );
        self.next = end;
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        Header { sequence: start, length: (end - start) as u16, flags: Flags::ACK, ..self.header(now) }
    }

    /// Where a full segment of new data would end, if the application and the receiver have more than that.
    #[inline]
    pub(crate) fn end_of_full(&self) -> Option<u64> {
        let end = self.next + u64::from(self.settings.mss);
        (end < self.limit && end <= self.queue.una() + self.peer_window).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::ops::Range;

    use super::*;

    /// From the first that `take_expected` and `transmit_steadily` touch to the last.
    #[test]
    fn what_is_touched_usually_is_five_cache_lines() {
        let Range { start, end } = Sender::NEEDED;
        assert!(start == 64 && end <= 6 * 64, "from {start} to {end}");
        assert!(offset_of!(Sender, finished_at) >= Sender::NEEDED.end);
        assert!(offset_of!(Sender, steady) < Sender::NEEDED.end);
    }
}
