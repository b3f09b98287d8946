//! The choice of the next segment: the one place where a window in packets meets bytes on the wire.

use ackclock_congestion::Event;
use ackclock_units::Time;

use super::super::super::mechanism::ecn::Ecn;
use super::super::super::mechanism::fast_start::FastStart;
use super::super::super::mechanism::slow_start_acks::is_in_slow_start;
use super::super::super::mechanism::smart_framing::Framing;
use super::super::super::settings::EcnMode;
use super::super::super::timestamp;
use super::super::life::PendingControl;
use super::super::stream::NextSegment;
use super::Endpoint;
use crate::facts::TxRecord;
use crate::wire::{Flags, Header, Timestamps, Way};

impl Endpoint {
    /// The next segment of any sender.
    #[expect(clippy::inline_always, reason = "once in each loop over the segments to send")]
    #[inline(always)]
    pub fn choose_segment(&mut self, now: Time) -> Option<NextSegment> {
        if !self.is_held_by_window_alone() {
            return self.next_of_any_kind(now);
        }
        let queue = self.loss.queue();
        let end = self.stream.end_of_full(self.settings.mss, queue.una());
        if !self.fits_window() && (queue.has_lost() || end.is_some()) {
            self.stop(true);
            return None;
        }
        match end {
            Some(end) if !queue.has_lost() && !queue.is_empty() => Some(self.send_full(now, end)),
            _ => self.next_of_any_kind(now),
        }
    }

    /// True if only lost segments and new data are due, and only the window limits them.
    #[inline]
    fn is_held_by_window_alone(&self) -> bool {
        self.life.is_established()
            && self.window.decides_alone()
            && !self.signals.ecn().is_agreed()
            && self.life.pending() == PendingControl::Nothing
            && !self.loss.recovery().is_forced()
            && !self.signals.is_judging_timeout()
            && self.clock.timers().is_retransmission_armed()
            && !self.loss.recovery().needs().sees_sent
    }

    #[inline(never)]
    fn next_of_any_kind(&mut self, now: Time) -> Option<NextSegment> {
        if !self.life.is_established() {
            return match self.life.take_pending() {
                PendingControl::Syn => Some(self.syn()),
                PendingControl::Reset => {
                    let sequence = self.life.cold_mut().reset;
                    Some(NextSegment { sequence, length: 0, flags: Flags::RST })
                }
                PendingControl::Nothing | PendingControl::Ack | PendingControl::Probe => None,
            };
        }
        self.pacing.clear();
        let sent_before = self.stream.next();
        if self.loss.take_probe()
            && let Some((start, end)) = self.next_probe(now)
        {
            let probe = self.data(now, start, end, start < sent_before);
            // After a probe the retransmission timer runs.
            self.loss.cancel_probe();
            return Some(probe);
        }
        if let Some((start, end)) = self.next_retransmission(now).or_else(|| self.next_new(now)) {
            return Some(self.data(now, start, end, start < sent_before));
        }
        match self.life.take_pending() {
            PendingControl::Ack => Some(self.bare_ack()),
            PendingControl::Probe => Some(self.window_probe()),
            PendingControl::Nothing | PendingControl::Syn | PendingControl::Reset => None,
        }
    }

    // What the window allows.

    #[inline]
    fn window_has_room(&mut self) -> bool {
        if let Some(budget) = self.loss.budget() {
            return budget > 0;
        }
        if self.settings.smart_framing {
            return self.framing().has_room();
        }
        self.fits_window()
    }

    /// True if the window has room for another full segment, when segments are full and only the window counts them.
    #[inline]
    fn fits_window(&self) -> bool {
        self.window.fits(self.loss.in_network())
    }

    /// True if the window and pacing release a segment. Notes whether the window holds it back.
    #[inline]
    fn may_send(&mut self, now: Time) -> bool {
        if self.window_has_room() {
            return !self.must_wait(now);
        }
        self.stop(true);
        false
    }

    /// True if pacing holds the next segment back.
    #[inline]
    fn must_wait(&mut self, now: Time) -> bool {
        // With a window below one packet, the interval counts from the last departure even if that was not paced.
        let below_one = self.window.cwnd() < 1.0;
        let any = below_one && self.stream.segments_sent() > 0;
        let waits = self.pacing.holds_back(now, any.then_some(self.stream.last_sent_at()));
        if waits {
            self.pause();
        }
        if waits && below_one && self.loss.in_network() == 0 {
            // No acknowledgment is due: the timer starts with the next departure.
            self.clock.stop_rto();
        }
        waits
    }

    /// The present division of the window, if small windows are divided (TCP-SF).
    fn framing(&self) -> Framing {
        let segments = self.loss.in_network();
        let (mss, cwnd, bytes) = (self.settings.mss, self.window.cwnd(), self.bytes_of(segments));
        Framing { mss, cwnd, segments, bytes }
    }

    /// The payload of the next segment, if the application has that much data.
    #[inline]
    fn full_segment(&self) -> u64 {
        if self.settings.smart_framing { self.framed_segment() } else { u64::from(self.settings.mss) }
    }

    #[inline(never)]
    fn framed_segment(&self) -> u64 {
        self.framing().payload()
    }

    // What goes next.

    fn next_retransmission(&mut self, now: Time) -> Option<(u64, u64)> {
        let forced = self.loss.take_forced();
        // While a timeout is judged, only the first segment is sent again.
        if self.loss.queue().has_lost() && self.signals.is_judging_timeout() && !forced {
            self.stop(true);
            return None;
        }
        if !self.loss.queue().has_lost() {
            return None;
        }
        if forced && self.window.cwnd() < 1.0 && self.must_wait(now) {
            self.loss.keep_forced();
            return None;
        }
        if !forced && !self.may_send(now) {
            return None;
        }
        self.resend_lost(now)
    }

    /// Sends the first lost segment again.
    fn resend_lost(&mut self, now: Time) -> Option<(u64, u64)> {
        let record = self.record(now);
        let bounds = self.loss.resend_lost(&record)?;
        if self.settings.ecn_validation {
            self.note_ecn_lost(bounds.0, bounds.1);
        }
        if self.settings.validates_windows() {
            self.life.cold_mut().validation.on_sent_again(bounds.0, bounds.1);
        }
        Some(bounds)
    }

    fn next_new(&mut self, now: Time) -> Option<(u64, u64)> {
        // Lost segments are sent first, once there is room.
        if self.loss.queue().has_lost() && !self.signals.sends_new_first() {
            return None;
        }
        if self.stream.next() >= self.stream.end(self.life.closes()) {
            self.stop(false);
            self.rounds.mark_app_limited(self.loss.queue().pipe());
            return self.next_unacknowledged(now);
        }
        if self.settings.validates_windows() {
            self.look_at_phase(now);
        }
        let Some(end) = self.end_of_next() else {
            self.stop(false);
            self.wait_for_window(now);
            return self.next_unacknowledged(now);
        };
        if !self.may_send(now) {
            return None;
        }
        if self.loss.queue().is_empty() {
            self.end_wait_for_window();
            self.restart_after_idle(now);
            self.rounds.restart(now);
        }
        self.signals.note_new();
        Some(self.push(now, end))
    }

    /// The sequence number after the next segment of new data, if there is one and the receive window has room for it.
    pub(super) fn end_of_new(&self) -> Option<u64> {
        let has_new = self.stream.next() < self.stream.end(self.life.closes());
        if has_new { self.end_of_next() } else { None }
    }

    #[inline]
    fn end_of_next(&self) -> Option<u64> {
        self.stream.end_of_next(self.full_segment(), self.loss.queue().una(), self.life.closes())
    }

    /// Sends new data up to `end`.
    #[inline]
    fn push(&mut self, now: Time, end: u64) -> (u64, u64) {
        let record = self.record(now);
        self.loss.push(end, &record);
        self.stream.advance(end)
    }

    /// A loss probe (RFC 8985, 7.3), whatever the window allows: new data if there is any, otherwise the last segment
    /// again.
    fn next_probe(&mut self, now: Time) -> Option<(u64, u64)> {
        if self.loss.recovery().needs().probe_timeouts {
            return self.next_timeout_probe(now);
        }
        let samples = self.clock.samples();
        if let Some(end) = self.end_of_new() {
            self.loss.on_probe_sent(end, false, samples);
            return Some(self.push(now, end));
        }
        let record = self.record(now);
        let bounds = self.loss.resend_tail(&record)?;
        self.loss.on_probe_sent(self.stream.next(), true, samples);
        Some(bounds)
    }

    /// A probe after a timeout (RFC 9002, 6.2.4): a lost segment that waits, otherwise new data, otherwise the first
    /// segment again.
    #[cold]
    fn next_timeout_probe(&mut self, now: Time) -> Option<(u64, u64)> {
        let record = self.record(now);
        let lost = self.resend_lost(now);
        let bounds = lost.or_else(|| self.end_of_new().map(|end| self.push(now, end)));
        if !self.loss.queue().has_lost() && self.end_of_new().is_none() {
            self.loss.end_probes();
        }
        if bounds.is_some() {
            return bounds;
        }
        self.loss.on_probe_sent(self.stream.next(), true, self.clock.samples());
        self.loss.resend_head(&record)
    }

    /// The record of a segment that is sent now.
    #[inline]
    fn record(&self, now: Time) -> TxRecord {
        self.rounds.record(now, self.loss.in_network())
    }

    /// RFC 6675, `NextSeg` rules 3 and 4: in recovery, with nothing lost and nothing new to send, room in the window is
    /// used to send segments again that are merely unacknowledged.
    fn next_unacknowledged(&mut self, now: Time) -> Option<(u64, u64)> {
        let applies = self.loss.recovery().resends_unacknowledged();
        if !applies || !self.window_has_room() || self.must_wait(now) {
            return None;
        }
        let record = self.record(now);
        self.loss.resend_unacknowledged(&record)
    }

    /// RFC 5681, 4.1: after an idle time longer than the timeout, the window restarts at the initial one. RFC 7661, 4.4, preserves it.
    fn restart_after_idle(&mut self, now: Time) {
        let is_idle = now.since(self.stream.last_sent_at()) > self.clock.rto(&self.settings.rto);
        if is_idle && self.settings.restart_after_idle && !self.settings.validates_windows() {
            self.integrate_cwnd(now);
            let restart_window = self.settings.initial_window;
            if self.settings.fast_start_after_idle && self.window.cwnd() > restart_window {
                self.restart_fast(restart_window);
                return;
            }
            let decision = self.window.on_event(&Event::IdleRestart { restart_window });
            self.apply_decision(now, &decision);
        }
    }

    /// After an idle time the connection's own latest window is used on trial. It falls back to the restart of RFC
    /// 5681, 4.1.
    #[cold]
    fn restart_fast(&mut self, restart_window: f64) {
        let mut fallback = self.window.controller_copy();
        fallback.on_event(&Event::IdleRestart { restart_window });
        let room = u64::from(self.stream.peer_window());
        let packets = self.window.cwnd() as u64;
        let end = self.stream.next() + (packets * u64::from(self.settings.mss)).min(room);
        self.life.cold_mut().fast_start = Some(FastStart::new(end, fallback));
    }

    // What is sent.

    /// Builds the segment `[start, end)` and accounts for its transmission.
    fn data(&mut self, now: Time, start: u64, end: u64, again: bool) -> NextSegment {
        let mut flags = Flags::ACK;
        let mut length = end - start;
        if end > self.stream.limit() {
            flags = flags.with(Flags::FIN);
            length -= 1;
        }
        let is_data = length > 0;
        if self.settings.ecn_validation {
            self.look_at_ecn_test(now);
        }
        if !again && is_data {
            flags = flags.with(self.signals.ecn_mut().data_flags());
        } else {
            flags = flags.with(self.control_flags());
        }
        if self.settings.ecn_validation && is_data {
            self.note_ecn_field(now, (start, start + length), flags, again);
        }
        if again {
            self.signals.note_again(self.settings.timestamps.then(|| timestamp(now)));
            if is_data {
                self.signals.note_data_again(start, end, self.loss.queue().una());
            }
        }
        self.loss.on_sent(is_data, again);
        self.stream.on_sent(now, is_data);
        self.life.set_pending(PendingControl::Nothing);
        self.pacing.note_departure(now, self.stream.segments_sent());
        if !self.clock.timers().is_retransmission_armed() {
            self.arm_rto(now);
        }
        let needs = self.loss.recovery().needs();
        if needs.probe_timeouts || (!again && needs.send_times) {
            self.note_time_of_sending(now, end);
        }
        NextSegment { sequence: start, length: length as u16, flags }
    }

    /// Sends a full segment of new data that is neither the first after a silence nor the last, when only the window
    /// holds the sender back.
    #[inline]
    pub fn send_full(&mut self, now: Time, end: u64) -> NextSegment {
        let record = self.rounds.plain_record(now);
        self.push_full(now, end, &record)
    }

    /// As [`send_full`](Self::send_full), when not only the window may hold the sender back.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub fn send_full_of_any(&mut self, now: Time, end: u64, in_network: u32) -> NextSegment {
        let record = self.rounds.record(now, in_network);
        let segment = self.push_full(now, end, &record);
        self.pacing.note_departure(now, self.stream.segments_sent());
        if self.loss.recovery().needs().send_times {
            self.note_time_of_sending(now, end);
        }
        NextSegment { flags: segment.flags.with(self.signals.ecn_mut().data_flags()), ..segment }
    }

    #[inline]
    fn push_full(&mut self, now: Time, end: u64, record: &TxRecord) -> NextSegment {
        self.loss.push(end, record);
        let (sequence, end) = self.stream.advance(end);
        self.stream.on_sent(now, true);
        NextSegment { sequence, length: (end - sequence) as u16, flags: Flags::ACK }
    }

    /// The ECN field of segments that are no new data.
    #[inline]
    fn control_flags(&self) -> Flags {
        let may = self.settings.ecn_control_packets;
        if may { self.signals.ecn().control_flags() } else { Flags::default() }
    }

    fn bare_ack(&self) -> NextSegment {
        let flags = Flags::ACK.with(self.control_flags());
        NextSegment { sequence: self.stream.next(), length: 0, flags }
    }

    /// A probe without data, with a sequence number below what the receiver expects. The receiver answers it with an
    /// acknowledgment (RFC 9293, 3.10.7.4). RFC 9293, 3.8.6.1, wants an octet of new data; Linux sends this form
    /// without data (`tcp_xmit_probe_skb`).
    fn window_probe(&self) -> NextSegment {
        let flags = Flags::ACK.with(self.control_flags());
        NextSegment { sequence: self.loss.queue().una() - 1, length: 0, flags }
    }

    fn syn(&self) -> NextSegment {
        let offers = Ecn::is_offered(&self.settings, self.life.handshake().syns());
        let flags = if offers { Ecn::syn_flags(self.settings.ecn) } else { Flags::SYN };
        NextSegment { sequence: 0, length: self.life.data_in_syn(), flags }
    }

    /// The header of a segment that is sent now.
    #[inline]
    pub fn header(&self, now: Time, segment: &NextSegment) -> Header {
        let NextSegment { sequence, length, flags } = *segment;
        let mut timestamps = Timestamps::default();
        if self.settings.timestamps {
            timestamps = Timestamps { value: timestamp(now), echo: self.stream.echo() };
        }
        Header {
            sequence,
            acknowledgment: self.life.peer_next(),
            timestamps,
            window: self.settings.receive_window,
            length,
            flags,
            // RFC 9768, 3.1.1: a SYN that offers accurate ECN has AE too.
            way: Way::ToReceiver
                .with_ae(flags.has(Flags::SYN.with(Flags::ECE)) && self.settings.ecn == EcnMode::Accurate),
        }
    }

    /// The header of a segment that is sent now. It is marked to be dropped first if it belongs to a window on trial,
    /// or as a segment of slow start if the receiver needs to know that.
    pub fn marked(&mut self, header: Header) -> Header {
        let fast_start = self.life.cold_if_any().and_then(|cold| cold.fast_start.as_mut());
        let way = if fast_start.is_some_and(|fast_start| fast_start.marks(&header)) {
            Way::ToReceiverDropFirst
        } else if self.settings.delay_acks_after_slow_start
            && header.length > 0
            && is_in_slow_start(self.window.cwnd(), self.window.controller().ssthresh())
        {
            Way::ToReceiverInSlowStart
        } else {
            header.way
        };
        Header { way, ..header }
    }
}
