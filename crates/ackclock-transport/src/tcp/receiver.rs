//! The receiving endpoint: its state, the reassembly of data, and its timers. The segments it sends are in
//! `receiver/reply.rs`.

mod arrived;
mod buffering;
mod control;
mod ecn;
mod explicit;
mod misbehaviour;
mod options;
mod quick_acks;
mod reassembly;
mod reply;
mod reset;

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use ackclock_units::Time;

use crate::wire::{Flags, Header, Way};

use super::is_not_before;
use super::mechanism::accurate_ecn::MarksReceived;
use super::mechanism::once_time::OnceTime;
use super::mechanism::rtt::RttEstimator;
use super::mechanism::transactions::ConnectionCount;
use super::settings::{EcnMode, Settings};

use self::options::Options;
use self::reassembly::Reassembly;
pub use self::reply::Reply;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Listen,
    /// A SYN-ACK was sent and is not acknowledged.
    SynReceived,
    Established,
    /// The receiver's FIN was sent and is not acknowledged.
    LastAck,
    Closed,
    /// Reset, by either side.
    Reset,
}

/// The congestion echo in acknowledgments: [`Self::Ece`] until the sender has reduced its window (RFC 3168, 6.1.3), or,
/// with DCTCP's echo, while packets arrive marked (RFC 8257's `DCTCP.CE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Echo {
    /// ECN was not agreed on.
    Mute,
    Clear,
    Ece,
}

/// The receiver of a one-way transfer (RFC 9293): it takes data in order, acknowledges it, and closes when the
/// sender does.
///
/// If the application reads at once, the advertised window is always the whole buffer and never closes. An application
/// that reads slowly leaves data in the buffer, which is in `options`.
///
/// The fields are ordered as in memory: those that the next data in order touches come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    /// True if the connection is open, holds no data out of order and has no congestion to echo.
    plain: bool,
    reply_due: bool,
    state: State,
    echo_of_marks: Echo,
    /// In-order segments not acknowledged yet.
    unacknowledged: u32,
    settings: Arc<Settings>,
    /// The next byte expected (RCV.NXT).
    next: u64,
    ack_deadline: Time,
    /// The time at which the SYN-ACK or FIN is sent again; on an open connection, the time of the next window update.
    resend_deadline: Time,
    /// The latest acknowledgment sent (RFC 7323's `Last.ACK.sent`), and the timestamp to echo (`TS.Recent`).
    last_ack: u64,
    echo: Option<u32>,
    /// Segments with data that arrived for the first time.
    delivered_segments: u64,
    /// The data out of order, once there was any.
    reassembly: Option<Box<Reassembly>>,
    /// The state of mechanisms that few receivers use.
    options: Option<Box<Options>>,
    resends: u32,
    /// The marks, if acknowledgments count them (RFC 9768).
    marks: MarksReceived,
    /// True if SACK was agreed on (both ends of a simulated connection have the same variant).
    sack: bool,
    fin_at: u64,
    finished_at: OnceTime,
}

impl Receiver {
    /// A receiver waiting for a SYN, or for data if the connection has no handshake.
    pub fn new(settings: Arc<Settings>, sack: bool) -> Receiver {
        let (state, next) = if settings.handshake { (State::Listen, 0) } else { (State::Established, 1) };
        let agreed = !settings.handshake && settings.ecn != EcnMode::Off;
        let options = Options::of(&settings, sack);
        Receiver {
            plain: state == State::Established
                && !agreed
                && options.as_ref().is_none_or(|options| options.is_plain()),
            settings,
            state,
            sack,
            next,
            reassembly: None,
            unacknowledged: 0,
            reply_due: false,
            ack_deadline: Time::MAX,
            resend_deadline: Time::MAX,
            options,
            resends: 0,
            fin_at: u64::MAX,
            echo_of_marks: if agreed { Echo::Clear } else { Echo::Mute },
            marks: MarksReceived::default(),
            echo: None,
            last_ack: next,
            delivered_segments: 0,
            finished_at: OnceTime::NEVER,
        }
    }

    /// Makes the connection a transaction with this count (RFC 1644). To be called before the SYN.
    pub fn transact(&mut self, count: ConnectionCount) {
        self.options.get_or_insert_default().transaction = Some(count);
    }

    /// Resets the receiver, which waits for a new connection.
    pub fn reopen(&mut self) {
        *self = Receiver::new(Arc::clone(&self.settings), self.sack);
    }

    /// The bytes that the next data in order needs, to be prefetched before it arrives.
    pub const NEEDED: Range<usize> = 0..offset_of!(Receiver, reassembly);

    /// The steps of long walks through what is held out of order, since the last call.
    pub fn take_walked(&mut self) -> u32 {
        self.reassembly.as_mut().map_or(0, |reassembly| reassembly.take_walked())
    }

    /// The memory beyond those bytes that data out of order needs, to be prefetched; empty if all data is in order.
    #[inline]
    pub fn memory_beyond(&self) -> Range<*const u8> {
        match &self.reassembly {
            Some(reassembly) if !self.plain => {
                let start = std::ptr::from_ref(&**reassembly);
                start.cast()..start.wrapping_add(1).cast()
            }
            _ => std::ptr::null()..std::ptr::null(),
        }
    }

    /// Takes a segment that arrived.
    #[expect(clippy::inline_always, reason = "nearly every segment is data in order")]
    #[inline(always)]
    pub fn on_segment(&mut self, now: Time, segment: &Header) {
        if self.is_expected(segment) {
            self.keep_echo(segment);
            self.delivered_segments += 1;
            self.next = segment.sequence + u64::from(segment.length);
            self.acknowledge_later(now);
        } else if self.is_ahead(segment) {
            self.plain = false;
            self.keep_echo(segment);
            self.hold(segment.sequence, segment.end(), true);
            // A duplicate ACK at once (RFC 5681, 4.2).
            self.reply_due = true;
        } else {
            self.on_other_segment(now, segment);
        }
    }

    /// True if this is the usual segment: the next data, with nothing missing and no mark.
    #[inline]
    fn is_expected(&self, segment: &Header) -> bool {
        let flags = segment.flags.without(Flags::ECT);
        self.plain && segment.sequence == self.next && flags == Flags::ACK && segment.length > 0
    }

    /// True if this is data out of order on an open connection without a mark.
    #[inline]
    fn is_ahead(&self, segment: &Header) -> bool {
        let is_usual = self.echo_of_marks == Echo::Mute
            && self.settings.optimistic_acks == 0
            && self
                .options
                .as_ref()
                .is_none_or(|options| options.buffer.is_none() && options.arrived_at.is_none());
        let is_open = self.state == State::Established && is_usual;
        is_open && segment.flags == Flags::ACK && segment.length > 0 && segment.sequence > self.next
    }

    /// Takes any segment.
    #[inline(never)]
    fn on_other_segment(&mut self, now: Time, segment: &Header) {
        if self.is_watched() {
            self.take_watched(now, segment);
        } else {
            self.take(now, segment);
        }
        self.plain = self.state == State::Established
            && self.has_nothing_to_echo()
            && self.has_plain_options()
            && self.is_in_order();
        self.schedule_update(now);
    }

    fn take(&mut self, now: Time, segment: &Header) {
        if segment.flags.has(Flags::RST) {
            return self.on_reset(now, segment);
        }
        if self.state == State::Reset {
            // RFC 9293, 3.10.7.1: the reset has the sequence number that is expected.
            self.options.get_or_insert_default().reset_at = segment.acknowledgment;
            self.reply_due = true;
            return;
        }
        if segment.flags.has(Flags::SYN) {
            return self.on_syn(now, segment);
        }
        match self.state {
            State::Listen => return,
            State::SynReceived => self.establish(now),
            State::LastAck if segment.acknowledgment > 1 => {
                self.state = State::Closed;
                self.resend_deadline = Time::MAX;
            }
            _ => {}
        }
        self.keep_echo(segment);
        let is_acceptable = self.accepts(segment);
        if self.settings.ecn == EcnMode::Accurate && is_acceptable {
            self.count_packet(segment);
        }
        if !is_acceptable {
            // RFC 9293, 3.10.7.4: an acknowledgment in reply, with the window.
            self.reply_due = true;
        } else if segment.end() > segment.sequence {
            self.take_data(now, segment);
        }
    }

    /// True if a segment is due.
    pub(super) fn has_reply(&self) -> bool {
        self.reply_due
    }

    /// True if a SYN was answered, and the answer is not acknowledged.
    pub(super) fn is_half_open(&self) -> bool {
        self.state == State::SynReceived
    }

    /// Keeps a segment that came out of order.
    #[inline]
    fn hold(&mut self, start: u64, end: u64, is_data: bool) {
        let reassembly = self.reassembly.get_or_insert_default();
        if reassembly.hold_last(start, end) {
            self.delivered_segments += u64::from(is_data);
            return;
        }
        let is_again = is_data && reassembly.contains(start, end);
        let parts = reassembly.hold(start, end);
        self.delivered_segments += if is_data { parts } else { 0 };
        if is_again {
            self.note_duplicate(start, end);
        }
    }

    /// True if no data is held out of order.
    #[inline]
    fn is_in_order(&self) -> bool {
        self.reassembly.as_ref().is_none_or(|reassembly| reassembly.is_empty())
    }

    /// Data arrived again.
    fn note_duplicate(&mut self, start: u64, end: u64) {
        if let Some(options) = self.options.as_mut().filter(|_| self.settings.dsack) {
            options.duplicate = Some((start, end));
            if let Some(bytes) = &mut options.bytes {
                bytes.on_duplicate(start);
            }
        }
    }

    /// True if the connection is open.
    pub(super) fn is_established(&self) -> bool {
        self.state == State::Established
    }

    /// The next byte expected (RCV.NXT).
    pub(super) fn expected(&self) -> u64 {
        self.next
    }

    /// When [`on_timer`](Self::on_timer) wants to be called; [`Time::MAX`] for never.
    #[inline]
    pub fn next_wake(&self) -> Time {
        self.ack_deadline.min(self.resend_deadline)
    }

    /// Lets time pass: a delayed acknowledgment is due, or the SYN-ACK or FIN is sent again.
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.ack_deadline {
            self.reply_due = true;
            self.note_vain_delay();
        }
        if now >= self.resend_deadline && self.state == State::Established {
            self.resend_deadline = Time::MAX;
            self.reply_due = true;
        } else if now >= self.resend_deadline {
            self.resends += 1;
            if self.resends < self.settings.syn_attempts {
                self.reply_due = true;
                self.arm_resend(now);
            } else {
                // A half-open connection is not forgotten without a reset that would tell the other side. It may be
                // open at the other end, and the receiver still takes its data.
                self.resend_deadline = Time::MAX;
                if self.state == State::LastAck {
                    self.state = State::Closed;
                }
            }
        }
    }

    /// Data segments received, each counted once; those out of order are delivered to the application later.
    pub fn delivered_segments(&self) -> u64 {
        self.delivered_segments
    }

    /// Payload bytes delivered in order to the application.
    pub fn delivered_bytes(&self) -> u64 {
        // The SYN took sequence number 0, the FIN the one at `fin_at`.
        self.next.saturating_sub(1) - u64::from(self.next > self.fin_at)
    }

    /// The time at which the last byte before the FIN was delivered, or the connection was reset.
    pub fn finished_at(&self) -> Option<Time> {
        self.finished_at.get()
    }

    /// Takes a SYN. A repeated SYN gets the same answer again (RFC 9293, 3.10.7).
    fn on_syn(&mut self, now: Time, segment: &Header) {
        if self.state == State::Listen && self.settings.delay_syn_ack {
            self.acknowledge_later(now);
        } else {
            self.reply_due = true;
        }
        if self.state == State::Listen {
            self.state = State::SynReceived;
            // The data of a SYN before, which a reset has followed.
            self.give_up(self.delivered_bytes());
            self.next = 1;
            // RFC 9768, 3.1.2: any flags but those of classic ECN ask for accurate ECN.
            let offers = match self.settings.ecn {
                EcnMode::Off => false,
                EcnMode::Accurate => !matches!(segment.ace(), 0 | 3),
                EcnMode::Classic | EcnMode::DataCentre => segment.ace() == 3,
            };
            if offers {
                self.echo_of_marks = Echo::Clear;
            }
            self.take_syn_data(now, segment);
            self.arm_resend(self.reply_at(now));
        }
        if self.state == State::SynReceived {
            self.echo = Some(segment.timestamps.value);
            if self.settings.ecn == EcnMode::Accurate && self.echo_of_marks != Echo::Mute {
                let handshake = &mut self.options.get_or_insert_default().handshake;
                handshake.field = segment.flags.ecn_field();
                handshake.is_without_ecn |= segment.ace() == 0;
                self.marks.on_handshake(handshake.field, false);
            }
        }
    }

    /// RFC 7323, 4.3: the timestamp to echo comes from the earliest segment that the next acknowledgment
    /// covers, so that a round-trip time includes the delay of the acknowledgment; a segment out of order
    /// does not count.
    #[inline]
    fn keep_echo(&mut self, segment: &Header) {
        if !self.settings.timestamps {
            return;
        }
        let value = segment.timestamps.value;
        if segment.sequence <= self.last_ack && self.echo.is_none_or(|echo| is_not_before(value, echo)) {
            self.echo = Some(value);
        }
    }

    fn establish(&mut self, now: Time) {
        if let Some(count) = self.options.as_ref().and_then(|options| options.transaction.as_ref()) {
            count.validate();
        }
        self.note_handshake(now);
        self.state = State::Established;
        self.resends = 0;
        self.resend_deadline = Time::MAX;
    }

    fn on_data(&mut self, now: Time, segment: &Header) {
        if segment.flags.has(Flags::FIN) {
            self.fin_at = segment.end() - 1;
        }
        let (start, end) = (segment.sequence, segment.end());
        // RFC 3168, 6.1.5: marks on data received before do not count.
        let is_new = segment.length > 0 && end > self.next;
        if self.echo_of_marks != Echo::Mute && is_new && self.settings.ecn != EcnMode::Accurate {
            self.note_mark(segment);
        }
        if start > self.next && self.settings.optimistic_acks > 0 {
            // An optimistic receiver conceals the loss.
            self.options.get_or_insert_default().concealed += start - self.next;
            self.next = start;
        }
        if start > self.next {
            // Out of order: a duplicate ACK at once (RFC 5681, 4.2).
            self.hold(start, end, segment.length > 0);
            self.reply_due = true;
        } else if end > self.next {
            self.delivered_segments += u64::from(segment.length > 0);
            let expected = self.next;
            self.next = end;
            let is_quick = segment.length > 0 && self.quick_mut().is_some_and(|quick| quick.on_data(now));
            if self.is_in_order() {
                self.acknowledge_later(now);
                self.reply_due |= segment.way == Way::ToReceiverInSlowStart || is_quick;
            } else {
                self.fill_gap();
            }
            self.put_into_buffer(now, segment, expected);
            if self.next > self.fin_at {
                self.close(now);
            }
        } else {
            // Received before: the sender did not get the ACK, or was mistaken.
            if segment.length > 0 {
                self.note_duplicate(start, end);
                self.note_quick_duplicate(end);
            }
            self.reply_due = true;
        }
    }

    /// A segment filled all or part of a gap: the data behind it is in order now, and an ACK is sent at once.
    fn fill_gap(&mut self) {
        if let Some(reassembly) = &mut self.reassembly {
            self.next = reassembly.take(self.next);
        }
        self.reply_due = true;
    }

    #[inline]
    fn acknowledge_later(&mut self, now: Time) {
        self.unacknowledged += 1;
        if self.unacknowledged >= self.settings.segments_per_ack {
            self.reply_due = true;
        } else if self.ack_deadline == Time::MAX {
            self.ack_deadline = now + self.settings.ack_delay;
        }
    }

    /// All data and the FIN have arrived: the receiver's own FIN is sent with the acknowledgment, at once unless
    /// acknowledgments of FINs are delayed.
    fn close(&mut self, now: Time) {
        if !self.finished_at.has_come() {
            self.finished_at = OnceTime::from(now);
            self.state = State::LastAck;
            self.reply_due |= !self.settings.delay_fin_ack;
            self.arm_resend(self.reply_at(now));
        }
    }

    /// The time at which the reply to a segment that has just arrived is sent.
    fn reply_at(&self, now: Time) -> Time {
        if self.reply_due { now } else { self.ack_deadline }
    }

    fn arm_resend(&mut self, now: Time) {
        let mut timeout = self.settings.syn_timeout;
        if self.state == State::LastAck {
            timeout = RttEstimator::new(&self.settings.rto).rto(&self.settings.rto);
        }
        self.resend_deadline = now + timeout.saturating_mul(1 << self.resends.min(30));
    }
}

#[cfg(test)]
mod tests;
