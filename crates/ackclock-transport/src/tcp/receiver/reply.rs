//! The segments that a receiver sends: acknowledgments, its SYN and its FIN, and selective acknowledgments.

use std::ops::Deref;

use ackclock_units::Time;

use crate::wire::{ByteCounters, Flags, Header, SackBlocks, Segment, Timestamps, Way};

use super::super::mechanism::accurate_ecn::handshake_ace;
use super::super::mechanism::byte_counters::BytesReceived;
use super::super::mechanism::quick_acks::QuickAcks;
use super::super::settings::EcnMode;
use super::super::timestamp;
use super::{Echo, Receiver, State};

/// Answers to a SYN that offer ECN, of those that the timer sends again (RFC 9768, 3.2.3.2.2): the first.
const SYN_ACKS_WITH_ECN: u32 = 2;

/// An acknowledgment that echoes congestion.
const ECHOING: Flags = Flags::ACK.with(Flags::ECE);

/// A segment that a receiver sends. Nearly all are pure acknowledgments, which pass from here to the network in registers.
///
/// The tag is a separate byte: as a niche of `Way` it would be read from memory even when it is known.
///
/// Exhaustive: the driver of a connection sends every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reply {
    /// An acknowledgment of data in order with nothing missing, and no news of congestion. No other segment is due after it,
    /// and no timer runs.
    Pure(Header),
    /// Any other segment, with the blocks held out of order.
    Other(Segment),
}

impl From<Reply> for Segment {
    #[inline]
    fn from(reply: Reply) -> Segment {
        match reply {
            Reply::Pure(header) => Segment::from(header),
            Reply::Other(segment) => segment,
        }
    }
}

impl Deref for Reply {
    type Target = Header;

    #[inline]
    fn deref(&self) -> &Header {
        match self {
            Reply::Pure(header) => header,
            Reply::Other(segment) => segment,
        }
    }
}

/// The parts of an acknowledgment that depend on more than the data that has arrived.
struct Parts {
    sequence: u64,
    flags: Flags,
    /// Data that arrived again, to be reported.
    duplicate: Option<(u64, u64)>,
    window: u32,
}

impl Receiver {
    /// The next segment to send. There is one acknowledgment, or two if the echo of congestion changes.
    #[expect(clippy::inline_always, reason = "an acknowledgment is made where it is sent")]
    #[inline(always)]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Reply> {
        if !self.reply_due {
            return None;
        }
        if self.plain {
            self.note_reply();
            let window = self.settings.receive_window;
            return Some(Reply::Pure(self.header(now, 1, self.next, Flags::ACK, window)));
        }
        Some(Reply::Other(self.reply(now)))
    }

    /// An acknowledgment of a connection that is half open.
    pub(in crate::tcp) fn reply_while_half_open(&mut self, now: Time) -> Segment {
        let window = self.window(now, self.next);
        Segment::from(self.header(now, 1, self.next, Flags::ACK, window))
    }

    /// The acknowledgment of all data that has arrived, sent at once.
    #[inline(never)]
    pub(in crate::tcp) fn reply(&mut self, now: Time) -> Segment {
        let is_usual = self.state == State::Established && self.has_plain_options();
        if !is_usual && let Some(first) = self.reply_before(now) {
            return Segment::from(self.with_marks(first));
        }
        if self.reply_due || self.unacknowledged > 0 {
            self.quick_mut().into_iter().for_each(QuickAcks::on_ack);
        }
        self.note_reply();
        let Parts { sequence, flags, duplicate, window } = if is_usual {
            let flags = if self.echo_of_marks == Echo::Ece { ECHOING } else { Flags::ACK };
            Parts { sequence: 1, flags, duplicate: None, window: self.settings.receive_window }
        } else {
            self.parts(now)
        };
        let mut header = self.header(now, sequence, self.next, flags, window);
        if self.settings.ecn == EcnMode::Accurate {
            header = self.with_marks(header);
        }
        let reports = self.sack && (!self.is_in_order() || duplicate.is_some());
        let sack = if reports { self.sack_blocks(duplicate) } else { SackBlocks::NONE };
        if let Some(bytes) = self.bytes_mut() {
            bytes.note_report(duplicate.map(|(start, _)| start));
        }
        Segment { header, sack }
    }

    /// The counters of bytes by codepoint, if acknowledgments have them.
    #[inline]
    pub(super) fn bytes_mut(&mut self) -> Option<&mut BytesReceived> {
        self.options.as_mut()?.bytes.as_mut()
    }

    /// True if acknowledgments report arrived data alone, and one of them is due at most.
    #[inline]
    pub(super) fn has_plain_options(&self) -> bool {
        self.options.as_ref().is_none_or(|options| options.is_plain())
    }

    /// The `AccECN` option of the latest segment, if it has one.
    #[inline]
    pub fn take_byte_counters(&mut self) -> Option<ByteCounters> {
        self.bytes_mut()?.take()
    }

    /// Adds the counter of marks to a header, if acknowledgments have one (RFC 9768). An answer to a SYN has the ECN field of the
    /// latest SYN in its place.
    fn with_marks(&mut self, header: Header) -> Header {
        let is_counted = self.settings.ecn == EcnMode::Accurate && self.echo_of_marks != Echo::Mute;
        if !is_counted || header.flags.has(Flags::RST) {
            return header;
        }
        if header.flags.has(Flags::SYN) {
            return self.with_field_of_syn(header);
        }
        if let Some(bytes) = self.bytes_mut() {
            bytes.on_ack();
        }
        let capable = if self.settings.ecn_control_packets { Flags::ECT } else { Flags::default() };
        Header { flags: header.flags.with(capable), ..header }.with_ace(self.marks.on_ack())
    }

    /// RFC 9768, 3.1.2, table 2: the flags say with which ECN field the latest SYN came. 3.2.3.2.2: when the second answer has got no
    /// acknowledgment either, those after it have no ECN.
    #[cold]
    fn with_field_of_syn(&mut self, header: Header) -> Header {
        let gives_up = self.settings.ecn_fallback && self.resends >= SYN_ACKS_WITH_ECN;
        let options = self.options.get_or_insert_default();
        options.handshake.is_without_ecn |= gives_up;
        if let Some(bytes) = &mut options.bytes {
            bytes.on_syn_ack();
        }
        if gives_up { header } else { header.with_ace(handshake_ace(options.handshake.field)) }
    }

    /// An acknowledgment to be sent before that of all data: one of the data that came before the echo of congestion
    /// changed, or one of a receiver that splits its acknowledgments.
    #[inline(never)]
    fn reply_before(&mut self, now: Time) -> Option<Header> {
        let unechoed = self.options.as_mut().and_then(|options| options.unechoed.take());
        if let Some(acknowledgment) = unechoed {
            let flags = if self.echo_of_marks == Echo::Ece { Flags::ACK } else { ECHOING };
            let window = self.window(now, acknowledgment);
            return Some(self.header(now, 1, acknowledgment, flags, window));
        }
        if self.state != State::Established {
            return None;
        }
        let options = self.options.as_mut()?;
        let before = options.misbehaviour.acknowledgment_before(self.last_ack, self.next)?;
        // Another is due at once.
        self.reply_due = true;
        self.last_ack = self.last_ack.max(before.min(self.next));
        let window = self.window(now, before);
        Some(self.header(now, 1, before, Flags::ACK, window))
    }

    /// The parts of an acknowledgment by the state of the connection and its options.
    #[inline(never)]
    fn parts(&mut self, now: Time) -> Parts {
        let (sequence, mut flags) = match self.state {
            State::SynReceived => (0, Flags::ACK.with(self.syn_flags())),
            State::LastAck => (1, Flags::ACK.with(Flags::FIN)),
            State::Closed => (2, Flags::ACK),
            State::Listen | State::Established => (1, Flags::ACK),
            State::Reset => (self.options.as_ref().map_or(0, |options| options.reset_at), Flags::RST),
        };
        if self.echo_of_marks == Echo::Ece {
            flags = flags.with(Flags::ECE);
        }
        let duplicate = self.options.as_mut().and_then(|options| options.duplicate.take());
        Parts { sequence, flags, duplicate, window: self.window(now, self.next) }
    }

    /// Notes that all data that has arrived is acknowledged now.
    #[inline]
    fn note_reply(&mut self) {
        self.reply_due = false;
        self.last_ack = self.next;
        self.unacknowledged = 0;
        self.ack_deadline = Time::MAX;
    }

    /// The header of a segment that is sent now.
    #[inline]
    fn header(&self, now: Time, sequence: u64, acknowledgment: u64, flags: Flags, window: u32) -> Header {
        let mut timestamps = Timestamps::default();
        if self.settings.timestamps {
            timestamps = Timestamps { value: timestamp(now), echo: self.echo.unwrap_or(0) };
        }
        Header { sequence, acknowledgment, timestamps, window, length: 0, flags, way: Way::ToSender }
    }

    /// RFC 3168, 6.1.1: a SYN-ACK states that ECN is understood. RFC 8257, 3.6: it is treated like data.
    fn syn_flags(&self) -> Flags {
        match self.settings.ecn {
            _ if self.echo_of_marks == Echo::Mute => Flags::SYN,
            EcnMode::DataCentre => Flags::SYN.with(Flags::ECE).with(Flags::ECT),
            EcnMode::Accurate => Flags::SYN,
            EcnMode::Classic | EcnMode::Off => Flags::SYN.with(Flags::ECE),
        }
    }

    /// The blocks to report, preceded by the data that arrived again.
    #[inline]
    fn sack_blocks(&mut self, duplicate: Option<(u64, u64)>) -> SackBlocks {
        // Timestamps leave room for only three blocks.
        let timestamps = self.settings.timestamps;
        let room = SackBlocks::MAX - usize::from(timestamps);
        let blocks = match (&self.reassembly, duplicate) {
            (Some(reassembly), _) => reassembly.sack_blocks(self.next, room, duplicate),
            (None, Some(duplicate)) => SackBlocks::with_duplicate(self.next, duplicate, std::iter::empty()),
            (None, None) => SackBlocks::NONE,
        };
        match self.bytes_mut() {
            Some(bytes) => bytes.fit(blocks, timestamps),
            None => blocks,
        }
    }
}
