//! The acknowledgement that nearly every one is: of new data, while nothing is lost, marked or out of order. It changes
//! little, and that is done here at once ("header prediction": Jacobson, RFC 1323, and 4.4BSD since). What follows is what
//! `acknowledge.rs` and `transmit.rs` do in that case, to the last digit, without their questions.

use ackclock_units::Time;

use crate::segment::{Flags, Segment};

use super::acknowledge::Learned;
use super::recovery::{Phase, Recovery};
use super::sender::{Due, Eifel, Sender, State};

/// The most segments covered that are looked at one by one before anything is done.
const MOST: u32 = 4;

impl Sender {
    /// Whether no loss is known or suspected, and the recovery has nothing to do with an acknowledgement of new data but
    /// to forget duplicates.
    #[inline]
    fn is_calm(&self) -> bool {
        self.state == State::Established
            && self.recovery != Recovery::Rack
            && self.loss.phase == Phase::Open
            && self.eifel == Eifel::Off
            && self.credited == 0
            && self.loss.checks_left == 0
    }

    /// Takes an acknowledgement of the expected kind; false, with nothing done, where it is of another.
    #[inline]
    pub(crate) fn take_expected(&mut self, now: Time, segment: &Segment) -> bool {
        if !self.is_calm() || segment.flags != Flags::ACK || !segment.sack.is_empty() {
            return false;
        }
        let Some((covered, newest)) = self.flight.acknowledge_plain(segment.acknowledgment, MOST) else {
            return false;
        };
        self.integrate_cwnd(now);
        self.peer_window = u64::from(segment.window);
        self.echo = segment.timestamps.value;
        self.loss.duplicates = 0;
        self.loss.departed = 0;
        let rtt = self.rtt_of_advance(now, segment, Some(newest.sent_at), covered);
        let rate = self.delivery.update(now, covered, Some(&newest));
        self.restart_timer(now);
        let may_grow = self.window_limited && self.delivery.round >= self.growth_from_round;
        self.inform_controller(
            now,
            &Learned { delivered: covered, rtt, rate, may_grow, ..Learned::default() },
        );
        self.note_finish(now);
        true
    }

    /// Gives `send` all there is to send now, which is what [`poll_transmit`](Self::poll_transmit) gives one by one, and
    /// says when to call [`on_timer`](Self::on_timer), as [`next_wake`](Self::next_wake).
    #[expect(
        clippy::inline_always,
        reason = "called from two places, of which one is the path of nearly every packet"
    )]
    #[inline(always)]
    pub fn transmit(&mut self, now: Time, mut send: impl FnMut(Segment)) -> Time {
        // Sending full segments changes nothing about it.
        if self.sends_only_new() {
            while let Some(end) = self.end_of_full() {
                if !self.window_has_room() {
                    self.window_limited = true;
                    return self.rto_deadline.min(self.application_wake);
                }
                send(self.next_full(now, end));
            }
        }
        while let Some(segment) = self.poll_transmit(now) {
            send(segment);
        }
        self.next_wake()
    }

    /// Whether only new data can be due, and nothing but the window holds it back.
    #[inline]
    fn sends_only_new(&self) -> bool {
        self.is_calm()
            && self.window_only
            && self.due == Due::Nothing
            && !self.loss.force_resend
            && !self.flight.has_lost()
            && !self.flight.is_empty()
            && !self.ecn.agreed
    }

    /// Sends a full segment of new data that is neither the first after silence nor the last.
    #[inline]
    fn next_full(&mut self, now: Time, end: u64) -> Segment {
        let (start, end) = self.push(now, end);
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        Segment { sequence: start, length: (end - start) as u16, flags: Flags::ACK, ..self.header(now) }
    }

    /// Where a full segment of new data would end, if the application and the receiver have more than that.
    #[inline]
    fn end_of_full(&self) -> Option<u64> {
        let end = self.next + u64::from(self.settings.mss);
        (end < self.limit && end <= self.flight.una() + self.peer_window).then_some(end)
    }
}
