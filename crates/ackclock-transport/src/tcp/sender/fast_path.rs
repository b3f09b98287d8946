//! Header prediction (Jacobson; RFC 1323, appendix A): nearly every acknowledgment is of new data, while nothing is lost,
//! marked or out of order, and nearly every segment sent is a full one of new data. Both change little, and that is done
//! here at once, with the results of `ack.rs` and `transmit.rs` in that case.
//!
//! Most of the conditions are evaluated once, when all has been sent that could be: from then on the sender is on the fast
//! path, until anything but a predicted acknowledgment arrives.

use ackclock_units::Time;

use crate::wire::{Flags, Header};

use super::ack::AckFacts;
use super::next_segment::NextSegment;
use super::{PendingControl, Sender};

/// The most segments of one acknowledgment that are examined one by one before anything is done.
const MOST: u32 = 4;

/// The next segment of a sender on the fast path.
pub(super) enum Predicted {
    /// A full segment of new data, after which the sender is on the fast path still.
    Full(NextSegment),
    /// The window lets no more go.
    Blocked,
    /// The next is not a full segment, or the first after silence: the sender has left the fast path.
    Other,
}

impl Sender {
    /// Whether no loss is known or suspected, and an acknowledgment of new data only ends the recovery's count of
    /// duplicates.
    #[inline]
    fn is_predictable(&self) -> bool {
        self.handshake.is_established()
            && self.recovery.is_at_rest()
            && self.eifel.is_off()
            && self.dupack_credit == 0
            && !self.queue.has_sacked()
    }

    /// Whether besides no duplicates are counted, nothing can be due but new data, windows alone hold it back, and no
    /// samples are taken. Predicted acknowledgments leave it so until the transfer is over.
    pub(super) fn stays_on_fast_path(&self) -> bool {
        self.is_predictable()
            && self.recovery.is_undisturbed()
            && !self.recovery.needs().full_rtt_gain
            && self.window_only
            && self.pending == PendingControl::Nothing
            && !self.queue.has_lost()
            && !self.ecn.is_agreed()
            && self.finished_at.is_none()
    }

    /// Takes a predicted acknowledgment; false, with nothing done, where it is another.
    #[inline]
    pub(super) fn on_predicted(&mut self, now: Time, header: &Header) -> bool {
        if header.flags != Flags::ACK || !(self.on_fast_path || self.is_predictable()) {
            return false;
        }
        let Some((covered, newest)) = self.queue.acknowledge_plain(header.acknowledgment, MOST) else {
            return false;
        };
        if !self.on_fast_path {
            self.recovery.forget_duplicates();
        }
        self.integrate_cwnd(now);
        self.peer_window = u64::from(header.window);
        self.echo = header.timestamps.value;
        let rtt = Some(self.take_rtt_among(self.rtt_of(now, header, newest.sent_at()), covered, true));
        let rate = self.sampler.update(now, covered, Some(&newest));
        self.restart_rto(now);
        let suspended = self.sampler.round() < self.growth_from_round;
        let window_limited = self.window_limited;
        let facts =
            AckFacts { delivered: covered, rtt, rate, suspended, window_limited, ..AckFacts::default() };
        self.inform_controller(now, &AckFacts { acks: 1, advanced: true, ..facts });
        self.note_finish(now);
        true
    }

    /// The next segment of a sender on the fast path.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub(super) fn next_predicted(&mut self, now: Time) -> Predicted {
        let end = if self.queue.is_empty() { None } else { self.end_of_full() };
        let Some(end) = end else {
            self.on_fast_path = false;
            return Predicted::Other;
        };
        if !self.window_has_room() {
            self.window_limited = true;
            return Predicted::Blocked;
        }
        Predicted::Full(self.send_full(now, end))
    }

    /// Sends a full segment of new data that is neither the first after silence nor the last.
    #[inline]
    pub(super) fn send_full(&mut self, now: Time, end: u64) -> NextSegment {
        let sequence = self.next;
        self.queue.push(end, &self.sampler.plain_record(now));
        self.next = end;
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        NextSegment { sequence, length: (end - sequence) as u16, flags: Flags::ACK }
    }

    /// The end of a full segment of new data, if the application and the receiver have more than that.
    #[inline]
    pub(super) fn end_of_full(&self) -> Option<u64> {
        let end = self.next + u64::from(self.settings.mss);
        (end < self.limit && end <= self.queue.una() + self.peer_window).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use std::ops::Range;

    use super::*;

    /// From the first field that header prediction touches to the last.
    #[test]
    fn header_prediction_touches_five_cache_lines() {
        let Range { start, end } = Sender::NEEDED;
        assert!(start == 64 && end <= 6 * 64, "from {start} to {end}");
        assert!(offset_of!(Sender, finished_at) >= Sender::NEEDED.end);
        assert!(offset_of!(Sender, on_fast_path) < Sender::NEEDED.end);
    }
}
