//! What the sender sends next: this is the one place where a window in packets meets bytes on the wire.

use ackclock_congestion::Event;
use ackclock_units::Time;

use crate::wire::{Flags, Header, Timestamps};

use super::super::mechanism::retransmission_queue::TxRecord;
use super::super::recovery::{Phase, Recovery};
use super::super::settings::EcnMode;
use super::super::timestamp;
use super::{Eifel, PendingControl, Sender, State};

/// New segments that duplicate ACKs outside recovery may send (RFC 3042).
const LIMITED_TRANSMIT_SEGMENTS: i32 = 2;

impl Sender {
    /// The next segment to send now, if there is one; it never carries selective acknowledgments.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Header> {
        self.steady = false;
        if !self.is_held_by_window_alone() {
            return self.next_of_any_kind(now);
        }
        let end = self.end_of_full();
        if !self.window_has_room() && (self.queue.has_lost() || end.is_some()) {
            self.window_limited = true;
            return None;
        }
        match end {
            Some(end) if !self.queue.has_lost() && !self.queue.is_empty() => Some(self.next_full(now, end)),
            _ => self.next_of_any_kind(now),
        }
    }

    /// Whether nothing is due but what was lost and new data, and both go as far as the window lets them.
    #[inline]
    fn is_held_by_window_alone(&self) -> bool {
        self.state == State::Established
            && self.window_only
            && !self.ecn.agreed
            && self.pending == PendingControl::Nothing
            && !self.loss.force_resend
            && self.rto_deadline < Time::MAX
            && self.recovery.reduction_bound().is_none()
    }

    #[inline(never)]
    fn next_of_any_kind(&mut self, now: Time) -> Option<Header> {
        match self.state {
            State::Idle | State::Failed => return None,
            State::SynSent => return self.is_settled(PendingControl::Syn).then(|| self.syn(now)),
            State::Established => {}
        }
        self.paced_until = Time::MAX;
        let sent_before = self.next;
        if std::mem::take(&mut self.loss.rack.probe_due)
            && let Some((start, end)) = self.next_probe(now)
        {
            let probe = self.data(now, start, end, start < sent_before);
            // After a probe it is the retransmission timer's turn.
            self.loss.rack.cancel_probe();
            return Some(probe);
        }
        if let Some((start, end)) = self.next_retransmission(now).or_else(|| self.next_new(now)) {
            return Some(self.data(now, start, end, start < sent_before));
        }
        self.is_settled(PendingControl::Ack).then(|| self.bare_ack(now))
    }

    /// Whether `what` is due; it is not any more.
    fn is_settled(&mut self, what: PendingControl) -> bool {
        let is_due = self.pending == what;
        self.pending = PendingControl::Nothing;
        is_due
    }

    /// Segments in the network, as far as the recovery in use can tell.
    #[inline]
    pub(crate) fn in_network(&self) -> u32 {
        if self.steady {
            // There are no duplicates to tell of departures.
            return if self.settings.limited_transmit { self.queue.pipe() } else { self.queue.outstanding() };
        }
        let inflation = match self.loss.phase {
            Phase::Open if !self.settings.limited_transmit => return self.queue.outstanding(),
            Phase::Open => self.loss.inflation.min(LIMITED_TRANSMIT_SEGMENTS),
            Phase::Fast | Phase::Restart => self.loss.inflation,
        };
        self.queue.pipe().saturating_add_signed(-inflation)
    }

    #[inline]
    pub(crate) fn window_has_room(&self) -> bool {
        if !self.steady && self.loss.phase == Phase::Fast && self.recovery.reduction_bound().is_some() {
            return self.loss.prr.has_room();
        }
        f64::from(self.in_network()) + 1.0 <= self.cwnd.max(1.0)
    }

    fn next_retransmission(&mut self, now: Time) -> Option<(u64, u64)> {
        let forced = std::mem::take(&mut self.loss.force_resend);
        if !self.queue.has_lost() {
            return None;
        }
        if forced && self.cwnd < 1.0 && self.must_wait(now) {
            self.loss.force_resend = true;
            return None;
        }
        if !forced && !self.may_send(now) {
            return None;
        }
        let stamp = self.stamp(now);
        self.queue.resend_lost(&stamp)
    }

    fn next_new(&mut self, now: Time) -> Option<(u64, u64)> {
        // What was lost goes first, once there is room for it.
        if self.queue.has_lost() {
            return None;
        }
        let end_of_data = self.limit.saturating_add(u64::from(self.closes));
        if self.next >= end_of_data {
            self.window_limited = false;
            self.sampler.mark_app_limited(self.queue.pipe());
            return self.next_unasked(now);
        }
        let Some(end) = self.end_of_next() else {
            self.window_limited = false;
            return self.next_unasked(now);
        };
        if !self.may_send(now) {
            return None;
        }
        if self.queue.is_empty() {
            self.restart_after_idle(now);
            self.sampler.restart(now);
        }
        Some(self.push(now, end))
    }

    /// The sequence number after the next segment of new data; none if the receive window has no room for it.
    fn end_of_next(&self) -> Option<u64> {
        let payload = (self.limit - self.next).min(u64::from(self.settings.mss));
        let room = (self.queue.una() + self.peer_window).saturating_sub(self.next);
        // The FIN goes with the last byte, or alone if the application closed after that, or if the receive window,
        // in which it takes a place as well, has none left for it.
        let is_last = self.closes && self.next + payload == self.limit;
        let fin = u64::from(is_last && payload < room);
        (payload <= room && payload + fin > 0).then(|| self.next + payload + fin)
    }

    /// New data up to `end` is sent.
    #[inline]
    pub(crate) fn push(&mut self, now: Time, end: u64) -> (u64, u64) {
        let bounds = (self.next, end);
        let stamp = self.stamp(now);
        self.queue.push(end, &stamp);
        self.next = end;
        bounds
    }

    /// A loss probe (RFC 8985, 7.3), whatever the window says: new data if there is some, else the last segment again.
    fn next_probe(&mut self, now: Time) -> Option<(u64, u64)> {
        let end_of_data = self.limit.saturating_add(u64::from(self.closes));
        let new = if self.next < end_of_data { self.end_of_next() } else { None };
        let samples = self.counters.rtt_samples;
        if let Some(end) = new {
            self.loss.rack.note_probe(end, false, samples);
            return Some(self.push(now, end));
        }
        let stamp = self.stamp(now);
        let bounds = self.queue.resend_tail(&stamp)?;
        self.loss.rack.note_probe(self.next, true, samples);
        Some(bounds)
    }

    /// What the segment that is sent now remembers.
    #[inline]
    fn stamp(&self, now: Time) -> TxRecord {
        self.sampler.stamp(now, self.in_network() + 1)
    }

    /// RFC 6675, `NextSeg` rules 3 and 4: in SACK recovery, with nothing lost and nothing new to send, room in the
    /// window is used to send again what is merely unacknowledged; the very last segment too, but once only.
    fn next_unasked(&mut self, now: Time) -> Option<(u64, u64)> {
        // RACK does not go with it (RFC 8985, 9.2).
        let applies = self.recovery.uses_sack() && self.recovery != Recovery::Rack;
        let applies = applies && self.loss.phase == Phase::Fast;
        if !applies || !self.window_has_room() || self.must_wait(now) {
            return None;
        }
        let stamp = self.stamp(now);
        let bounds = self.queue.resend_unsacked(&stamp);
        if bounds.is_some() || self.queue.una() <= self.loss.rescue_above {
            return bounds;
        }
        self.queue.resend_last(self.loss.recover, &stamp)
    }

    /// RFC 5681, 4.1: after an idle time longer than the timeout, the window starts again from the initial one.
    fn restart_after_idle(&mut self, now: Time) {
        if now.since(self.last_sent_at) > self.rtt.rto(&self.settings.rto) {
            self.integrate_cwnd(now);
            let restart_window = self.settings.initial_window;
            let decision = self.controller.on_event(&Event::IdleRestart { restart_window });
            self.apply_decision(now, decision);
        }
    }

    /// Whether window and pacing let a segment go; notes if it is the window that does not.
    fn may_send(&mut self, now: Time) -> bool {
        if self.window_has_room() {
            return !self.must_wait(now);
        }
        self.window_limited = true;
        false
    }

    /// Whether pacing holds the next segment back; asks to be woken if so. The rate may have changed since the last
    /// departure, so the time of the next is computed when it is asked for.
    fn must_wait(&mut self, now: Time) -> bool {
        let Some(rate) = self.pacing else { return false };
        // Below one packet it counts from the last departure even if that was not paced.
        let any = self.cwnd < 1.0 && self.counters.segments_sent > 0;
        let from = if any { Some(self.last_sent_at) } else { self.paced_from };
        let Some(from) = from else { return false };
        let due = from + rate.interval();
        let waits = now < due;
        if waits {
            self.paced_until = due;
            if self.cwnd < 1.0 && self.in_network() == 0 {
                // No acknowledgment is due: the timer starts with the next departure.
                self.rto_deadline = Time::MAX;
            }
        }
        waits
    }

    /// Builds the segment `[start, end)` and accounts for its being sent.
    fn data(&mut self, now: Time, start: u64, end: u64, again: bool) -> Header {
        let mut flags = Flags::ACK;
        let mut length = end - start;
        if end > self.limit {
            flags = flags.with(Flags::FIN);
            length -= 1;
        }
        let is_data = u64::from(length > 0);
        self.counters.segments_sent += is_data;
        // RFC 3168, 6.1.5 and 6.1.2: retransmissions are not ECN-capable, and do not tell of a reduction.
        if self.ecn.agreed && !again && length > 0 {
            flags = flags.with(Flags::ECT);
            if std::mem::take(&mut self.ecn.cwr_pending) {
                flags = flags.with(Flags::CWR);
            }
        }
        if again {
            self.counters.retransmissions += is_data;
            if self.settings.timestamps && self.eifel == Eifel::Armed {
                self.eifel = Eifel::Sent(timestamp(now));
            }
        }
        if self.loss.phase == Phase::Fast {
            self.loss.prr.on_sent();
        }
        self.last_sent_at = now;
        self.pending = PendingControl::Nothing;
        if let Some(rate) = self.pacing {
            // A retransmission that did not wait leaves those after it where they were.
            let due = self.paced_from.map_or(now, |from| from + rate.interval());
            self.paced_from = Some(now.max(due));
        }
        if self.rto_deadline == Time::MAX {
            self.arm_rto(now);
        }
        if self.recovery == Recovery::Rack && !again {
            self.schedule_probe(now);
        }
        Header { sequence: start, length: length as u16, flags, ..self.header(now) }
    }

    fn bare_ack(&self, now: Time) -> Header {
        Header { sequence: self.next, flags: Flags::ACK, ..self.header(now) }
    }

    fn syn(&self, now: Time) -> Header {
        let flags = match self.settings.ecn {
            EcnMode::Off => Flags::SYN,
            EcnMode::Classic => Flags::SYN.with(Flags::ECE).with(Flags::CWR),
            // RFC 8257, 3.6: a SYN is to be treated like what follows it.
            EcnMode::Accurate => Flags::SYN.with(Flags::ECE).with(Flags::CWR).with(Flags::ECT),
        };
        Header { flags, acknowledgment: 0, ..self.header(now) }
    }

    #[inline]
    pub(crate) fn header(&self, now: Time) -> Header {
        let mut header = Header {
            acknowledgment: self.peer_next,
            window: self.settings.receive_window,
            ..Header::default()
        };
        if self.settings.timestamps {
            header.timestamps = Timestamps { value: timestamp(now), echo: self.echo };
        }
        header
    }
}
