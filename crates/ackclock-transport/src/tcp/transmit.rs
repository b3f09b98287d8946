//! What the sender sends next: this is the one place where a window in packets meets bytes on the wire.

use ackclock_units::Time;

use crate::segment::{Flags, Segment, Timestamps};

use super::recovery::Phase;
use super::sender::{Sender, State};
use super::timestamp;

/// New segments that duplicate ACKs outside recovery may send (RFC 3042).
const LIMITED_TRANSMIT_SEGMENTS: u32 = 2;

impl Sender {
    /// The next segment to send now, if there is one.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        match self.state {
            State::Idle | State::Failed => return None,
            State::SynSent => return std::mem::take(&mut self.syn_due).then(|| self.syn(now)),
            State::Established => {}
        }
        self.is_paced = false;
        let bounds = self.next_retransmission(now).or_else(|| self.next_new(now));
        if let Some((start, end)) = bounds {
            return Some(self.data(now, start, end));
        }
        std::mem::take(&mut self.ack_due).then(|| self.bare_ack(now))
    }

    /// Segments in the network, as far as the recovery in use can tell.
    pub(crate) fn in_network(&self) -> u32 {
        let departed = match self.loss.phase {
            Phase::Open if !self.settings.limited_transmit => return self.flight.outstanding(),
            Phase::Open => self.loss.departed.min(LIMITED_TRANSMIT_SEGMENTS),
            Phase::Fast | Phase::Restart => self.loss.departed,
        };
        self.flight.pipe().saturating_sub(departed)
    }

    fn window_has_room(&self) -> bool {
        f64::from(self.in_network()) + 1.0 <= self.cwnd.max(1.0)
    }

    fn next_retransmission(&mut self, now: Time) -> Option<(u64, u64)> {
        if !self.flight.has_lost() {
            self.loss.force_resend = false;
            return None;
        }
        let forced = std::mem::take(&mut self.loss.force_resend);
        if !forced && (!self.window_has_room() || self.must_wait(now)) {
            return None;
        }
        let stamp = self.delivery.stamp(now);
        let bounds = self.flight.resend_lost(stamp);
        self.count_retransmission(now, bounds)
    }

    fn next_new(&mut self, now: Time) -> Option<(u64, u64)> {
        let end_of_data = self.limit.saturating_add(u64::from(self.settings.handshake));
        if self.next >= end_of_data {
            if !self.flight.has_lost() {
                self.window_limited = false;
                self.delivery.mark_app_limited(self.flight.pipe());
            }
            return self.next_unasked(now);
        }
        let payload = (self.limit - self.next).min(u64::from(self.settings.mss));
        if self.next + payload > self.flight.una() + self.peer_window {
            self.window_limited = false;
            return self.next_unasked(now);
        }
        if self.flight.is_empty() {
            self.restart_after_idle(now);
        }
        if !self.window_has_room() {
            self.window_limited = true;
            return None;
        }
        if self.must_wait(now) {
            return None;
        }
        // The FIN goes with the last byte, or alone if the application closed after that.
        let fin = u64::from(self.settings.handshake && self.next + payload == self.limit);
        let bounds = (self.next, self.next + payload + fin);
        self.push_new(now, bounds.1);
        Some(bounds)
    }

    /// RFC 6675, `NextSeg` rules 3 and 4: in SACK recovery, with nothing lost and nothing new to send, room in the
    /// window is used to send again what is merely unacknowledged.
    fn next_unasked(&mut self, now: Time) -> Option<(u64, u64)> {
        let applies = self.recovery.uses_sack() && self.loss.phase == Phase::Fast && !self.flight.has_lost();
        if !applies || !self.window_has_room() || self.must_wait(now) {
            return None;
        }
        let stamp = self.delivery.stamp(now);
        let mut bounds = self.flight.resend_unsacked(stamp);
        if bounds.is_none() && !self.loss.once_used {
            self.loss.once_used = true;
            bounds = self.flight.resend_last(stamp);
        }
        self.count_retransmission(now, bounds)
    }

    fn count_retransmission(&mut self, now: Time, bounds: Option<(u64, u64)>) -> Option<(u64, u64)> {
        bounds?;
        self.counters.retransmissions += 1;
        if self.settings.timestamps && self.retransmitted_at.is_none() {
            self.retransmitted_at = Some(timestamp(now));
        }
        bounds
    }

    fn push_new(&mut self, now: Time, end: u64) {
        if self.flight.is_empty() {
            self.delivery.restart(now);
        }
        self.flight.push(end, self.delivery.stamp(now));
        self.next = end;
    }

    /// RFC 5681, 4.1: after an idle time longer than the timeout, the window starts again from the initial one.
    fn restart_after_idle(&mut self, now: Time) {
        if now.since(self.last_sent_at) > self.rtt.rto(&self.settings.rto) {
            self.integrate_cwnd(now);
            self.controller.on_idle_restart(self.settings.initial_window);
            self.consult_controller();
        }
    }

    /// Whether pacing holds the next segment back; asks to be woken if so.
    fn must_wait(&mut self, now: Time) -> bool {
        self.is_paced = self.pacing.is_some() && now < self.paced_until;
        self.is_paced
    }

    /// Builds the segment `[start, end)` and accounts for its being sent.
    fn data(&mut self, now: Time, start: u64, end: u64) -> Segment {
        self.counters.segments_sent += 1;
        self.last_sent_at = now;
        self.ack_due = false;
        if let Some(rate) = self.pacing {
            self.paced_until = now.max(self.paced_until) + rate.interval();
        }
        if self.rto_deadline == Time::MAX {
            self.arm_rto(now);
        }
        let mut flags = Flags::ACK;
        let mut length = end - start;
        if end > self.limit {
            flags = flags.with(Flags::FIN);
            length -= 1;
        }
        Segment { sequence: start, length: length as u16, flags, ..self.header(now) }
    }

    fn bare_ack(&self, now: Time) -> Segment {
        Segment { sequence: self.next, flags: Flags::ACK, ..self.header(now) }
    }

    fn syn(&self, now: Time) -> Segment {
        Segment { flags: Flags::SYN, acknowledgment: 0, ..self.header(now) }
    }

    fn header(&self, now: Time) -> Segment {
        let mut header =
            Segment { acknowledgment: self.acknowledgment(), window: self.settings.receive_window, ..Segment::default() };
        if self.settings.timestamps {
            header.timestamps = Timestamps { value: timestamp(now), echo: self.echo };
        }
        header
    }

    /// The other side sends a SYN and, when all is received, a FIN: one sequence number each.
    fn acknowledgment(&self) -> u64 {
        1 + u64::from(self.fin_received)
    }
}
