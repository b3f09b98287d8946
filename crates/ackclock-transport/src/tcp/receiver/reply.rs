//! The segments that a receiver sends: acknowledgments, its SYN and its FIN, and selective acknowledgments.

use std::ops::Deref;

use ackclock_units::Time;

use crate::wire::{ByteCounters, Flags, Header, SackBlocks, Segment, Timestamps, Way};

use super::super::settings::EcnMode;
use super::super::timestamp;
use super::{Echo, Receiver, State};

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
        let is_usual = self.state == State::Established && self.reports_nothing_else();
        if !is_usual && let Some(first) = self.reply_before(now) {
            return Segment::from(self.with_marks(first));
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
        Segment { header, sack }
    }

    /// True if the acknowledgment only reports arrived data and echoes marks, and is the only one due.
    #[inline]
    fn reports_nothing_else(&self) -> bool {
        self.options.as_ref().is_none_or(|options| options.is_plain() && options.unechoed.is_none())
    }

    /// The `AccECN` option of the latest segment, if it has one.
    #[inline]
    pub fn take_byte_counters(&mut self) -> Option<ByteCounters> {
        self.options.as_mut()?.bytes.as_mut()?.take()
    }

    /// The same header with the counter of marks, if acknowledgments have one (RFC 9768).
    fn with_marks(&mut self, header: Header) -> Header {
        let is_counted = self.settings.ecn == EcnMode::Accurate && self.echo_of_marks != Echo::Mute;
        let has_field = !header.flags.has(Flags::SYN) && !header.flags.has(Flags::RST);
        if !is_counted || !has_field {
            return header;
        }
        if let Some(bytes) = self.options.as_mut().and_then(|options| options.bytes.as_mut()) {
            bytes.on_ack();
        }
        header.with_ace(self.marks.on_ack())
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
            // RFC 9768, 3.1.2, table 2: the SYN came as not ECN-capable.
            EcnMode::Accurate => Flags::SYN.with(Flags::CWR),
            EcnMode::Classic | EcnMode::Off => Flags::SYN.with(Flags::ECE),
        }
    }

    /// The blocks to report, preceded by the data that arrived again.
    #[inline]
    fn sack_blocks(&self, duplicate: Option<(u64, u64)>) -> SackBlocks {
        // Timestamps leave room for only three blocks, and the AccECN option takes the room of one more: 40 bytes hold
        // 12, 8 and 18.
        let has_option = self.options.as_ref().is_some_and(|options| options.has_byte_counters());
        let room = SackBlocks::MAX - usize::from(self.settings.timestamps) - usize::from(has_option);
        match (&self.reassembly, duplicate) {
            (Some(reassembly), _) => reassembly.sack_blocks(self.next, room, duplicate),
            (None, Some(duplicate)) => SackBlocks::with_duplicate(self.next, duplicate, std::iter::empty()),
            (None, None) => SackBlocks::NONE,
        }
    }
}
