//! The choice of the next segment: the one place where a window in packets meets bytes on the wire.

use std::ops::Deref;

use ackclock_congestion::Event;
use ackclock_units::Time;

use crate::wire::{Flags, Header, Segment, Timestamps, Way};

use super::super::mechanism::ecn::Ecn;
use super::super::settings::EcnMode;
use super::super::timestamp;
use super::fast_path::Predicted;
use super::next_segment::NextSegment;
use super::prediction::Prediction;
use super::{PendingControl, Sender};
use crate::facts::TxRecord;

/// A segment that a sender transmits, by its kind. Nearly all are full segments of new data, which pass from here to the
/// network in registers.
///
/// The tag is a byte of its own: as a niche of `Way` it would be read from memory where it is known.
///
/// Exhaustive: the driver of a connection sends every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Transmission {
    /// A full segment of new data, sent by header prediction.
    Full(Header),
    /// Any other segment.
    Other(Header),
}

impl Deref for Transmission {
    type Target = Header;

    #[inline]
    fn deref(&self) -> &Header {
        let (Transmission::Full(header) | Transmission::Other(header)) = self;
        header
    }
}

impl From<Transmission> for Segment {
    fn from(transmission: Transmission) -> Segment {
        Segment::from(*transmission)
    }
}

/// Segments that an acknowledgment usually lets go at most, where the window alone holds the sender back.
const USUAL_BURST: u32 = 16;

/// The result of [`Sender::transmit_into`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Transmitted {
    /// The segments sent, as far as they are more than an acknowledgment usually lets go.
    pub segments: u32,
    /// The steps of long walks that the sender has taken since the last call.
    pub walked: u32,
    /// True if there is nothing more to send now.
    pub is_all: bool,
}

impl Transmitted {
    /// All was sent, and not much.
    const ALL: Transmitted = Transmitted { segments: 0, walked: 0, is_all: true };

    /// The result after so many other segments.
    fn after(self, segments: u32) -> Transmitted {
        Transmitted { segments: self.segments + segments, ..self }
    }
}

impl Sender {
    /// The next segment to send now, if there is one; it never carries selective acknowledgments.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Transmission> {
        let predicted = match self.prediction {
            Prediction::None => return self.next_segment(now).map(Transmission::Other),
            Prediction::Window => self.next_predicted(now),
            Prediction::Full => self.next_fully_predicted(now),
        };
        match predicted {
            Predicted::Full(segment) => Some(Transmission::Full(self.header(now, &segment))),
            Predicted::Blocked => None,
            Predicted::Other => self.next_after_prediction(now).map(Transmission::Other),
        }
    }

    /// Sends all that may go now: hands each segment to `send`, with the sender as it is then. About `most` segments go at the
    /// most, so that the work of a call does not depend on the window.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    pub fn transmit_into<S>(&mut self, now: Time, most: u32, mut send: S) -> Transmitted
    where
        S: FnMut(&Sender, Transmission),
    {
        for _ in 0..USUAL_BURST {
            if self.prediction != Prediction::Window {
                break;
            }
            match self.next_predicted(now) {
                Predicted::Full(segment) => send(self, Transmission::Full(self.header(now, &segment))),
                Predicted::Blocked => return Transmitted::ALL,
                Predicted::Other => match self.next_after_prediction(now) {
                    Some(header) => self.send_other(header, &mut send),
                    None => return Transmitted::ALL,
                },
            }
        }
        self.transmit_more(now, most, &mut send)
    }

    /// Sends what [`transmit_into`](Self::transmit_into) has not sent at once.
    #[inline]
    fn transmit_more<S>(&mut self, now: Time, most: u32, send: &mut S) -> Transmitted
    where
        S: FnMut(&Sender, Transmission),
    {
        if self.prediction == Prediction::Full && !self.marks {
            self.transmit_fully_predicted(now, most, send)
        } else {
            self.transmit_any(now, most, send)
        }
    }

    /// A sender to which header prediction applies, and that may be paced: most acknowledgments find it waiting for its next
    /// departure.
    #[inline(never)]
    fn transmit_fully_predicted<S>(&mut self, now: Time, most: u32, send: &mut S) -> Transmitted
    where
        S: FnMut(&Sender, Transmission),
    {
        for segments in 0..most {
            if self.prediction != Prediction::Full {
                return self.transmit_any(now, most, send).after(segments);
            }
            match self.next_fully_predicted(now) {
                Predicted::Full(segment) => send(self, Transmission::Full(self.header(now, &segment))),
                Predicted::Blocked => return Transmitted { segments, ..Transmitted::ALL },
                Predicted::Other => match self.next_after_prediction(now) {
                    Some(header) => self.send_other(header, send),
                    None => return Transmitted { segments, ..Transmitted::ALL },
                },
            }
        }
        Transmitted { segments: most, walked: 0, is_all: false }
    }

    /// The sender to which header prediction does not apply, or which has much to send.
    #[inline(never)]
    fn transmit_any<S>(&mut self, now: Time, most: u32, send: &mut S) -> Transmitted
    where
        S: FnMut(&Sender, Transmission),
    {
        for segments in 0..most {
            let Some(transmission) = self.poll_transmit(now) else {
                return Transmitted { segments, walked: self.queue.take_walked(), is_all: true };
            };
            let transmission =
                if self.marks { Transmission::Other(self.marked(*transmission)) } else { transmission };
            send(self, transmission);
        }
        Transmitted { segments: most, walked: self.queue.take_walked(), is_all: false }
    }

    /// Sends the segment with which a sender leaves header prediction.
    #[inline(never)]
    fn send_other<S>(&mut self, header: Header, send: &mut S)
    where
        S: FnMut(&Sender, Transmission),
    {
        send(self, Transmission::Other(header));
    }

    /// The next segment of a sender that has just left the fast path.
    #[inline(never)]
    fn next_after_prediction(&mut self, now: Time) -> Option<Header> {
        self.next_segment(now)
    }

    /// The next segment of any sender. One that has nothing more to send may be on the fast path from then on.
    #[expect(clippy::inline_always, reason = "a segment is made where it is sent")]
    #[inline(always)]
    fn next_segment(&mut self, now: Time) -> Option<Header> {
        self.prediction = Prediction::None;
        let segment = self.choose_segment(now);
        if segment.is_none() {
            self.prediction = self.predict();
        }
        segment.map(|segment| self.header(now, &segment))
    }

    #[expect(clippy::inline_always, reason = "once in each loop over the segments to send")]
    #[inline(always)]
    fn choose_segment(&mut self, now: Time) -> Option<NextSegment> {
        if !self.is_held_by_window_alone() {
            return self.next_of_any_kind(now);
        }
        let end = self.end_of_full();
        if !self.fits_window() && (self.queue.has_lost() || end.is_some()) {
            self.window_limited = true;
            return None;
        }
        match end {
            Some(end) if !self.queue.has_lost() && !self.queue.is_empty() => Some(self.send_full(now, end)),
            _ => self.next_of_any_kind(now),
        }
    }

    /// True if nothing is due but what was lost and new data, and both go as far as the window lets them.
    #[inline]
    fn is_held_by_window_alone(&self) -> bool {
        self.handshake.is_established()
            && self.window_only
            && !self.ecn.is_agreed()
            && self.pending == PendingControl::Nothing
            && !self.recovery.is_forced()
            && !self.is_judging_timeout()
            && self.timers.is_retransmission_armed()
            && !self.recovery.needs().sees_sent
    }

    #[inline(never)]
    fn next_of_any_kind(&mut self, now: Time) -> Option<NextSegment> {
        if !self.handshake.is_established() {
            return match std::mem::replace(&mut self.pending, PendingControl::Nothing) {
                PendingControl::Syn => Some(self.syn()),
                PendingControl::Reset => {
                    let sequence = self.cold_mut().reset;
                    Some(NextSegment { sequence, length: 0, flags: Flags::RST })
                }
                PendingControl::Nothing | PendingControl::Ack | PendingControl::Probe => None,
            };
        }
        self.pacer.clear();
        let sent_before = self.next;
        if self.recovery.take_probe()
            && let Some((start, end)) = self.next_probe(now)
        {
            let probe = self.data(now, start, end, start < sent_before);
            // After a probe it is the retransmission timer's turn.
            self.recovery.cancel_probe();
            return Some(probe);
        }
        if let Some((start, end)) = self.next_retransmission(now).or_else(|| self.next_new(now)) {
            return Some(self.data(now, start, end, start < sent_before));
        }
        match std::mem::replace(&mut self.pending, PendingControl::Nothing) {
            PendingControl::Ack => Some(self.bare_ack()),
            PendingControl::Probe => Some(self.window_probe()),
            PendingControl::Nothing | PendingControl::Syn | PendingControl::Reset => None,
        }
    }

    #[inline]
    pub(super) fn window_has_room(&self) -> bool {
        if !self.prediction.applies()
            && let Some(budget) = self.recovery.budget()
        {
            return budget > 0;
        }
        if !self.prediction.applies() && self.settings.smart_framing {
            return self.framing().has_room();
        }
        self.fits_window()
    }

    /// True if the window has room for another full segment, where segments are full and the window alone counts them.
    #[inline]
    pub(super) fn fits_window(&self) -> bool {
        f64::from(self.in_network()) + 1.0 <= self.cwnd.max(1.0)
    }

    fn next_retransmission(&mut self, now: Time) -> Option<(u64, u64)> {
        let forced = self.recovery.is_forced();
        self.recovery.set_forced(false);
        // While a timeout is judged, no more than the first segment is sent again.
        if self.queue.has_lost() && self.is_judging_timeout() && !forced {
            self.window_limited = true;
            return None;
        }
        if !self.queue.has_lost() {
            return None;
        }
        if forced && self.cwnd < 1.0 && self.must_wait(now) {
            self.recovery.set_forced(true);
            return None;
        }
        if !forced && !self.may_send(now) {
            return None;
        }
        let record = self.record(now);
        self.queue.resend_lost(&record)
    }

    fn next_new(&mut self, now: Time) -> Option<(u64, u64)> {
        // What was lost goes first, once there is room for it.
        if self.queue.has_lost() && !self.sends_new_first() {
            return None;
        }
        let end_of_data = self.limit.saturating_add(u64::from(self.closes));
        if self.next >= end_of_data {
            self.window_limited = false;
            self.sampler.mark_app_limited(self.queue.pipe());
            return self.next_unacknowledged(now);
        }
        let Some(end) = self.end_of_next() else {
            self.window_limited = false;
            self.wait_for_window(now);
            return self.next_unacknowledged(now);
        };
        if !self.may_send(now) {
            return None;
        }
        if self.queue.is_empty() {
            self.end_wait_for_window();
            self.restart_after_idle(now);
            self.sampler.restart(now);
        }
        self.note_new();
        Some(self.push(now, end))
    }

    /// The sequence number after the next segment of new data, if there is some for which the receive window has room.
    pub(super) fn end_of_new(&self) -> Option<u64> {
        let end_of_data = self.limit.saturating_add(u64::from(self.closes));
        if self.next < end_of_data { self.end_of_next() } else { None }
    }

    /// The sequence number after the next segment of new data; none if the receive window has no room for it.
    #[inline]
    fn end_of_next(&self) -> Option<u64> {
        let payload = (self.limit - self.next).min(self.full_segment());
        let room = (self.queue.una() + u64::from(self.peer_window)).saturating_sub(self.next);
        // The FIN goes with the last byte, or alone if the application closed after that, or if the receive window,
        // in which it takes a place as well, has none left for it.
        let is_last = self.closes && self.next + payload == self.limit;
        let fin = u64::from(is_last && payload < room);
        (payload <= room && payload + fin > 0).then(|| self.next + payload + fin)
    }

    /// New data up to `end` is sent.
    #[inline]
    fn push(&mut self, now: Time, end: u64) -> (u64, u64) {
        let bounds = (self.next, end);
        let record = self.record(now);
        self.queue.push(end, &record);
        self.next = end;
        bounds
    }

    /// A loss probe (RFC 8985, 7.3), whatever the window allows: new data if there is some, else the last segment again.
    fn next_probe(&mut self, now: Time) -> Option<(u64, u64)> {
        if self.recovery.needs().probe_timeouts {
            return self.next_timeout_probe(now);
        }
        let new = self.end_of_new();
        let samples = self.counters.rtt_samples;
        if let Some(end) = new {
            self.recovery.on_probe_sent(end, false, samples);
            return Some(self.push(now, end));
        }
        let record = self.record(now);
        let bounds = self.queue.resend_tail(&record)?;
        self.recovery.on_probe_sent(self.next, true, samples);
        Some(bounds)
    }

    /// A probe after a timeout (RFC 9002, 6.2.4): what was lost and waits, else new data, else the first segment again.
    #[cold]
    fn next_timeout_probe(&mut self, now: Time) -> Option<(u64, u64)> {
        let record = self.record(now);
        let lost = self.queue.resend_lost(&record);
        let bounds = lost.or_else(|| self.end_of_new().map(|end| self.push(now, end)));
        if !self.queue.has_lost() && self.end_of_new().is_none() {
            self.recovery.end_probes();
        }
        if bounds.is_some() {
            return bounds;
        }
        self.recovery.on_probe_sent(self.next, true, self.counters.rtt_samples);
        self.queue.resend_head(&record)
    }

    /// The record of a segment that is sent now.
    #[inline]
    pub(super) fn record(&self, now: Time) -> TxRecord {
        self.sampler.record(now, self.in_network() + 1)
    }

    /// RFC 6675, `NextSeg` rules 3 and 4: in recovery, with nothing lost and nothing new to send, room in the window is used
    /// to send again what is merely unacknowledged.
    fn next_unacknowledged(&mut self, now: Time) -> Option<(u64, u64)> {
        let applies = self.recovery.resends_unacknowledged();
        if !applies || !self.window_has_room() || self.must_wait(now) {
            return None;
        }
        let record = self.record(now);
        self.recovery.resend_unacknowledged(&mut self.queue, &record)
    }

    /// RFC 5681, 4.1: after an idle time longer than the timeout, the window starts again from the initial one.
    fn restart_after_idle(&mut self, now: Time) {
        if now.since(self.last_sent_at) > self.rtt.rto(&self.settings.rto) {
            self.integrate_cwnd(now);
            let restart_window = self.settings.initial_window;
            if self.settings.fast_start_after_idle && self.cwnd > restart_window {
                self.restart_fast(restart_window);
                return;
            }
            let decision = self.controller.on_event(&Event::IdleRestart { restart_window });
            self.apply_decision(now, &decision);
        }
    }

    /// True if window and pacing let a segment go; notes if it is the window that does not.
    fn may_send(&mut self, now: Time) -> bool {
        if self.window_has_room() {
            return !self.must_wait(now);
        }
        self.window_limited = true;
        false
    }

    /// True if pacing holds the next segment back.
    pub(super) fn must_wait(&mut self, now: Time) -> bool {
        // Below one packet the interval counts from the last departure even if that was not paced.
        let any = self.cwnd < 1.0 && self.counters.segments_sent > 0;
        let waits = self.pacer.holds_back(now, any.then_some(self.last_sent_at));
        if waits && self.cwnd < 1.0 && self.in_network() == 0 {
            // No acknowledgment is due: the timer starts with the next departure.
            self.timers.stop_retransmission();
        }
        waits
    }

    /// Builds the segment `[start, end)` and accounts for its being sent.
    fn data(&mut self, now: Time, start: u64, end: u64, again: bool) -> NextSegment {
        let mut flags = Flags::ACK;
        let mut length = end - start;
        if end > self.limit {
            flags = flags.with(Flags::FIN);
            length -= 1;
        }
        let is_data = u64::from(length > 0);
        self.counters.segments_sent += is_data;
        if !again && length > 0 {
            flags = flags.with(self.ecn.data_flags());
        }
        if again {
            self.counters.retransmissions += is_data;
            if self.settings.timestamps {
                self.eifel.on_retransmission(timestamp(now));
            }
            if length > 0 {
                self.note_again(start, end);
            }
        }
        self.recovery.on_sent();
        self.last_sent_at = now;
        self.pending = PendingControl::Nothing;
        self.note_departure(now);
        if !self.timers.is_retransmission_armed() {
            self.arm_rto(now);
        }
        let needs = self.recovery.needs();
        if needs.probe_timeouts || (!again && needs.send_times) {
            self.note_time_of_sending(now, end);
        }
        NextSegment { sequence: start, length: length as u16, flags }
    }

    fn bare_ack(&self) -> NextSegment {
        NextSegment { sequence: self.next, length: 0, flags: Flags::ACK }
    }

    /// A probe without data, below what the receiver expects, who answers with an acknowledgment (RFC 9293, 3.10.7.4). RFC 9293,
    /// 3.8.6.1, asks for an octet of new data; the form without is that of Linux (`tcp_xmit_probe_skb`).
    fn window_probe(&self) -> NextSegment {
        NextSegment { sequence: self.queue.una() - 1, length: 0, flags: Flags::ACK }
    }

    fn syn(&self) -> NextSegment {
        let flags = Ecn::syn_flags(self.settings.ecn);
        NextSegment { sequence: 0, length: self.data_in_syn(), flags }
    }

    /// The header of a segment that is sent now.
    #[inline]
    fn header(&self, now: Time, segment: &NextSegment) -> Header {
        let NextSegment { sequence, length, flags } = *segment;
        let mut timestamps = Timestamps::default();
        if self.settings.timestamps {
            timestamps = Timestamps { value: timestamp(now), echo: self.echo };
        }
        Header {
            sequence,
            acknowledgment: self.peer_next,
            timestamps,
            window: self.settings.receive_window,
            length,
            flags,
            // RFC 9768, 3.1.1: a SYN that offers accurate ECN has AE too.
            way: Way::ToReceiver.with_ae(flags.has(Flags::SYN) && self.settings.ecn == EcnMode::Accurate),
        }
    }
}
