//! Header prediction (Jacobson; RFC 1323, appendix A): nearly every acknowledgment is of new data, while nothing is lost
//! or out of order, and nearly every segment sent is a full one of new data. Both change little, and that is done here at
//! once, with the results of `ack.rs` and `transmit.rs` in that case.
//!
//! Most of the conditions are evaluated once, when all has been sent that could be: from then on header prediction
//! applies, until anything but a predicted acknowledgment arrives. It is compiled twice, for senders that the window alone
//! holds back, which nearly all are, and for those that take samples, pace, negotiated ECN or judge losses by the times of
//! sending.

use ackclock_units::Time;

use crate::wire::{Flags, Header};

use super::ack::AckFacts;
use super::next_segment::NextSegment;
use super::prediction::Prediction;
use super::{PendingControl, Sender};
use crate::facts::TxRecord;

/// The most segments of one acknowledgment that are examined one by one before anything is done.
const MOST: u32 = 4;

/// The next segment of a sender to which header prediction applies.
pub(super) enum Predicted {
    /// A full segment of new data, after which header prediction applies still.
    Full(NextSegment),
    /// The window lets no more go, or pacing none yet.
    Blocked,
    /// The next is not a full segment, or the first after silence: header prediction has ended.
    Other,
}

impl Sender {
    /// True if no loss is known or suspected, and an acknowledgment of new data only ends the recovery's count of
    /// duplicates.
    #[inline]
    fn is_predictable(&self) -> bool {
        !self.queue.has_sacked()
            && !self.queue.has_lost()
            && self.recovery.is_at_rest()
            && self.handshake.is_established()
            && self.eifel.is_off()
            && !self.queue.has_sent_again()
            && self.may_predict
            && !self.ecn.is_accurate()
    }

    /// Header prediction as it applies now that everything is sent that may be: where besides no duplicates are counted,
    /// and nothing can be due but new data. Predicted acknowledgments leave it so until the transfer is over.
    #[inline]
    pub(super) fn predict(&self) -> Prediction {
        if self.is_predictable() { self.predict_at_rest() } else { Prediction::None }
    }

    #[inline(never)]
    fn predict_at_rest(&self) -> Prediction {
        let applies = self.recovery.is_undisturbed()
            && !self.recovery.needs().full_rtt_gain
            && self.pending == PendingControl::Nothing
            && !self.finished_at.has_come();
        let by_window = self.window_only && !self.recovery.needs().send_times && !self.ecn.is_agreed();
        match (applies, by_window) {
            (false, _) => Prediction::None,
            (true, true) => Prediction::Window,
            (true, false) => Prediction::Full,
        }
    }

    /// [`on_predicted`](Self::on_predicted) for any sender.
    #[inline(never)]
    pub(super) fn on_fully_predicted(&mut self, now: Time, header: &Header) -> bool {
        (self.prediction.applies() || self.is_predictable())
            && self.on_predicted(now, header, Prediction::Full)
    }

    /// Takes a predicted acknowledgment; false, with nothing done, where it is another.
    #[expect(clippy::inline_always, reason = "once for each kind of prediction")]
    #[inline(always)]
    pub(super) fn on_predicted(&mut self, now: Time, header: &Header, prediction: Prediction) -> bool {
        if header.flags != Flags::ACK {
            return false;
        }
        let is_full = prediction == Prediction::Full;
        // An acknowledgment of one segment covers none of those that duplicates stood for.
        let most = if self.dupack_credit > 0 { 1 } else { MOST };
        let Some((covered, newest)) = self.queue.acknowledge_plain(header.acknowledgment, most, is_full)
        else {
            return false;
        };
        if self.dupack_credit > 0 {
            self.dupack_credit = self.dupack_credit.min(self.queue.outstanding());
        }
        if is_full {
            self.recovery.on_predicted(now, newest.sent_at(), header.acknowledgment);
        }
        self.integrate_cwnd(now);
        self.peer_window = header.window;
        self.echo = header.timestamps.value;
        let rtt = Some(self.take_rtt_among(self.rtt_of(now, header, newest.sent_at()), covered, true));
        let rate = self.sampler.update(now, covered, Some(&newest), is_full && !self.window_only);
        self.restart_rto(now);
        if is_full && self.recovery.needs().send_times {
            self.schedule_probe(now);
        }
        let suspended = self.suspension.applies(self.sampler.round());
        let window_limited = self.window_limited;
        let facts = AckFacts {
            in_flight: f64::from(self.in_network()),
            delivered: f64::from(covered),
            rtt,
            rate,
            suspended,
            window_limited,
            ..AckFacts::default()
        };
        let decision = self.inform_controller(now, &AckFacts { acks: 1, advanced: true, ..facts });
        if is_full {
            self.apply_decision(now, &decision);
        } else {
            self.cwnd = decision.cwnd;
        }
        self.note_finish(now);
        true
    }

    /// The next segment where the window alone holds the sender back.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub(super) fn next_predicted(&mut self, now: Time) -> Predicted {
        let end = if self.queue.is_empty() { None } else { self.end_of_full() };
        let Some(end) = end else {
            self.prediction = Prediction::None;
            return Predicted::Other;
        };
        if !self.fits_window() {
            self.window_limited = true;
            return Predicted::Blocked;
        }
        Predicted::Full(self.send_full(now, end))
    }

    /// The next segment of any other sender to which header prediction applies.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub(super) fn next_fully_predicted(&mut self, now: Time) -> Predicted {
        let end = if self.queue.is_empty() { None } else { self.end_of_full() };
        let Some(end) = end.filter(|_| self.cwnd >= 1.0) else {
            self.prediction = Prediction::None;
            return Predicted::Other;
        };
        if self.is_blocked(now) {
            return Predicted::Blocked;
        }
        let record = self.record(now);
        let segment = self.push_full(now, end, &record);
        self.note_departure(now);
        if self.recovery.needs().send_times {
            self.note_time_of_sending(now, end);
        }
        Predicted::Full(NextSegment { flags: segment.flags.with(self.ecn.data_flags()), ..segment })
    }

    /// True if the window or pacing holds back the next full segment.
    #[inline]
    fn is_blocked(&mut self, now: Time) -> bool {
        self.pacer.clear();
        if !self.fits_window() {
            self.window_limited = true;
            return true;
        }
        self.pacer.holds_back(now, None)
    }

    /// Sends a full segment of new data that is neither the first after silence nor the last, where the window alone holds
    /// the sender back.
    #[inline]
    pub(super) fn send_full(&mut self, now: Time, end: u64) -> NextSegment {
        let record = self.sampler.plain_record(now);
        self.push_full(now, end, &record)
    }

    #[inline]
    fn push_full(&mut self, now: Time, end: u64, record: &TxRecord) -> NextSegment {
        let sequence = self.next;
        self.queue.push(end, record);
        self.next = end;
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        NextSegment { sequence, length: (end - sequence) as u16, flags: Flags::ACK }
    }

    /// The end of a full segment of new data, if the application and the receiver have more than that.
    #[inline]
    pub(super) fn end_of_full(&self) -> Option<u64> {
        let end = self.next + u64::from(self.settings.mss);
        (end < self.limit && end <= self.queue.una() + u64::from(self.peer_window)).then_some(end)
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
        assert!(offset_of!(Sender, prediction) < Sender::NEEDED.end);
    }
}
