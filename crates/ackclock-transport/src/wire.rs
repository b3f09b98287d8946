//! Packets and segments: small plain values, copied from hop to hop.

use std::ops::{Deref, DerefMut};

use ackclock_units::{Duration, Time};

use crate::acknak::Message;

/// The control bits of a TCP header (RFC 9293, 3.1), and the ECN bits of the IP header around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(1);
    /// The acknowledgment field is significant.
    pub const ACK: Flags = Flags(2);
    /// No more data from the sender.
    pub const FIN: Flags = Flags(4);
    /// Congestion was echoed; with [`Self::CWR`] on a SYN, or alone on a SYN-ACK: ECN is understood (RFC 3168, 6.1).
    pub const ECE: Flags = Flags(8);
    /// The congestion window was reduced.
    pub const CWR: Flags = Flags(16);
    /// In the IP header: the packet arrives as ECT(0), or is sent as ECN-capable. A flow whose packets carry ECT(1) says so for all
    /// of them.
    pub const ECT: Flags = Flags(32);
    /// In the IP header: the packet arrives as ECT(1). Together with [`Self::ECT`] it is [`Self::CE`], as on the wire.
    pub const ECT1: Flags = Flags(64);
    /// In the IP header: the packet was marked on its way, CE.
    pub const CE: Flags = Flags(32 | 64);
    /// Reset the connection.
    pub const RST: Flags = Flags(128);

    /// Both sets of bits.
    #[inline]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The bits that are not set in `other`.
    #[inline]
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// True if all bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The ECN field of the IP header alone; no flag for a packet that is not ECN-capable.
    #[inline]
    pub const fn ecn_field(self) -> Flags {
        Flags(self.0 & Flags::CE.0)
    }
}

/// Up to four blocks of received data above the cumulative acknowledgment (RFC 2018), as byte offsets from it. A place
/// without a block holds `(0, 0)`. No block is equal to that, since all end above the acknowledgment.
///
/// The first block may report data that arrived again (RFC 2883): a block within the second, or one below the
/// acknowledgment, whose offsets count downwards from the byte after it, so that its start is above its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks([(u32, u32); 4]);

impl SackBlocks {
    /// No blocks.
    pub const NONE: SackBlocks = SackBlocks([(0, 0); 4]);

    /// The most blocks for which a header has room: n blocks take 2 + 8n of 40 bytes of options.
    pub const MAX: usize = 4;

    /// The first four of some blocks `[start, end)` above `acknowledgment`; one beyond 4 GB is left out.
    pub fn of(acknowledgment: u64, blocks: impl Iterator<Item = (u64, u64)>) -> SackBlocks {
        let mut all = SackBlocks::NONE;
        let mut count = 0;
        for (start, end) in blocks {
            debug_assert!(start < end);
            if count < SackBlocks::MAX
                && let Ok(end) = u32::try_from(end - acknowledgment)
            {
                all.0[count] = ((start - acknowledgment) as u32, end);
                count += 1;
            }
        }
        all
    }

    /// A report of data that arrived again, `[start, end)`, before the first three of some blocks. Data above the
    /// acknowledgment lies within the first of them (RFC 2883, 4.1.3).
    pub fn with_duplicate(
        acknowledgment: u64,
        (start, end): (u64, u64),
        blocks: impl Iterator<Item = (u64, u64)>,
    ) -> SackBlocks {
        if start >= acknowledgment {
            return SackBlocks::of(acknowledgment, std::iter::once((start, end)).chain(blocks));
        }
        let below = |sequence: u64| u32::try_from(acknowledgment + 1 - sequence);
        let (Ok(from), Ok(to)) = (below(start), below(end)) else {
            return SackBlocks::of(acknowledgment, blocks);
        };
        let SackBlocks([first, second, third, _]) = SackBlocks::of(acknowledgment, blocks);
        SackBlocks([(from, to), first, second, third])
    }

    /// The data reported to have arrived again, as absolute sequence numbers (RFC 2883, 4).
    pub fn duplicate(&self, acknowledgment: u64) -> Option<(u64, u64)> {
        let [first, second, ..] = self.0;
        let is_within = second.0 <= first.0 && first.1 <= second.1 && second.1 > 0;
        (first.0 > first.1 || is_within).then(|| absolute(acknowledgment, first))
    }

    /// The blocks but the first.
    #[must_use]
    pub fn without_first(&self) -> SackBlocks {
        let [_, second, third, fourth] = self.0;
        SackBlocks([second, third, fourth, (0, 0)])
    }

    /// The blocks that were not among `known` of the same acknowledgment, as absolute sequence numbers. None may report
    /// a duplicate. The latest change comes first, so an earlier block keeps its place or moves one place back.
    #[inline]
    pub fn news(&self, acknowledgment: u64, known: &SackBlocks) -> impl Iterator<Item = (u64, u64)> {
        let is_new = |place: &usize| {
            self.0[*place] != known.0[*place] && (*place == 0 || self.0[*place] != known.0[place - 1])
        };
        let places = (0..SackBlocks::MAX).take_while(|place| self.0[*place].1 > 0).filter(is_new);
        let absolute = move |offset: u32| acknowledgment + u64::from(offset);
        places.map(move |place| (absolute(self.0[place].0), absolute(self.0[place].1)))
    }

    /// The blocks as absolute sequence numbers, the most recent first.
    pub fn iter(&self, acknowledgment: u64) -> impl Iterator<Item = (u64, u64)> {
        let blocks = self.0.into_iter().take_while(|block| block.1 > 0);
        blocks.map(move |block| absolute(acknowledgment, block))
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.0.iter().take_while(|block| block.1 > 0).count()
    }

    /// At most this many of the blocks, the most recent.
    #[must_use]
    pub fn first(&self, most: usize) -> SackBlocks {
        let mut kept = *self;
        kept.0.iter_mut().skip(most).for_each(|block| *block = (0, 0));
        kept
    }

    /// True if there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0].1 == 0
    }
}

/// The sequence numbers of a block.
fn absolute(acknowledgment: u64, (start, end): (u32, u32)) -> (u64, u64) {
    let [above_start, above_end] = [start, end].map(|offset| acknowledgment + u64::from(offset));
    let [below_start, below_end] =
        [start, end].map(|offset| (acknowledgment + 1).wrapping_sub(u64::from(offset)));
    if start > end { (below_start, below_end) } else { (above_start, above_end) }
}

/// The direction of a segment, combined with three bits that a few segments have: the flag AE (RFC 9768, 3.1), for
/// which [`Flags`] has no room, the mark in the IP header of packets that routers drop first, and the mark of segments
/// of a slow start.
///
/// Exhaustive: a segment goes one way or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// To the receiver of the data, or to the end that was opened.
    #[default]
    ToReceiver,
    /// To the sender of the data, or to the end that opened.
    ToSender,
    /// To the receiver, with AE.
    ToReceiverWithAe,
    /// To the sender, with AE.
    ToSenderWithAe,
    /// To the receiver, in a packet marked to be dropped first.
    ToReceiverDropFirst,
    /// To the receiver, in a segment marked as one of a slow start.
    ToReceiverInSlowStart,
}

impl Way {
    /// True if it goes to the sender of the data.
    #[inline]
    pub const fn is_to_sender(self) -> bool {
        matches!(self, Way::ToSender | Way::ToSenderWithAe)
    }

    /// True if the flag AE is set.
    #[inline]
    pub const fn has_ae(self) -> bool {
        matches!(self, Way::ToReceiverWithAe | Way::ToSenderWithAe)
    }

    /// The same way with the flag AE, or without.
    #[must_use]
    #[inline]
    pub const fn with_ae(self, ae: bool) -> Way {
        match (self.is_to_sender(), ae) {
            (false, false) => Way::ToReceiver,
            (false, true) => Way::ToReceiverWithAe,
            (true, false) => Way::ToSender,
            (true, true) => Way::ToSenderWithAe,
        }
    }
}

/// The timestamps option (RFC 7323), in microseconds of the sender's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// The clock of the segment's sender (`TSval`).
    pub value: u32,
    /// The value echoed (`TSecr`).
    pub echo: u32,
}

/// A TCP header without selective acknowledgments. Sequence numbers are 64 bits wide and never wrap; the wire's 32 bits
/// appear in captures only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The first byte's sequence number.
    pub sequence: u64,
    /// The next byte expected from the other side.
    pub acknowledgment: u64,
    /// Timestamps; both zero if the option is not in use.
    pub timestamps: Timestamps,
    /// The receive window in bytes.
    pub window: u32,
    /// Payload bytes.
    pub length: u16,
    /// Control bits.
    pub flags: Flags,
    /// Which way it goes.
    pub way: Way,
}

impl Header {
    /// The field ACE: the flags AE, CWR and ECE as a number (RFC 9768, 3.1.1).
    #[inline]
    pub fn ace(&self) -> u8 {
        4 * u8::from(self.way.has_ae())
            + 2 * u8::from(self.flags.has(Flags::CWR))
            + u8::from(self.flags.has(Flags::ECE))
    }

    /// The same header with another field ACE.
    #[must_use]
    #[inline]
    pub fn with_ace(self, ace: u8) -> Header {
        let set = |flags: Flags, bit: u8, flag: Flags| if ace & bit > 0 { flags.with(flag) } else { flags };
        let flags = self.flags.without(Flags::CWR.with(Flags::ECE));
        let flags = set(set(flags, 2, Flags::CWR), 1, Flags::ECE);
        Header { flags, way: self.way.with_ae(ace & 4 > 0), ..self }
    }

    /// True if its packet is sent as ECN-capable.
    #[inline]
    pub const fn is_ecn_capable(&self) -> bool {
        self.flags.has(Flags::ECT)
    }

    /// The sequence number after this segment: SYN and FIN take one each.
    #[inline]
    pub fn end(&self) -> u64 {
        self.sequence
            + u64::from(self.length)
            + u64::from(self.flags.has(Flags::SYN))
            + u64::from(self.flags.has(Flags::FIN))
    }
}

/// One TCP segment. It dereferences to its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The fields of every segment.
    pub header: Header,
    /// Selective acknowledgments.
    pub sack: SackBlocks,
}

impl From<Header> for Segment {
    #[inline]
    fn from(header: Header) -> Segment {
        Segment { header, sack: SackBlocks::default() }
    }
}

impl Deref for Segment {
    type Target = Header;

    #[inline]
    fn deref(&self) -> &Header {
        &self.header
    }
}

impl DerefMut for Segment {
    #[inline]
    fn deref_mut(&mut self) -> &mut Header {
        &mut self.header
    }
}

/// The payload of a packet: 32 bytes, half a cache line. Larger contents are stored separately.
///
/// Exhaustive: a driver delivers every one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Payload {
    /// A TCP segment, either way. Selective acknowledgments, if there are any, are stored separately.
    Tcp(Header),
    /// A message of the ACK/NAK transport; its kind determines its direction.
    AckNak(Message),
    /// A data packet of TFRC: [`tfrc::Data`](crate::tfrc::Data).
    TfrcData {
        /// Its number, of which there are four billion.
        sequence: u32,
        /// When it was sent.
        timestamp: Time,
        /// The sender's estimate of the round-trip time.
        rtt: Duration,
        /// Payload bytes.
        length: u16,
    },
    /// The report of a TFRC receiver: [`tfrc::Feedback`](crate::tfrc::Feedback), with the rates stored separately.
    TfrcFeedback {
        /// The time at which the last received data packet was sent.
        timestamp: Time,
        /// The time since its arrival.
        delay: Duration,
    },
    /// A packet of a UDP source.
    Udp {
        /// Its number, from zero.
        number: u64,
        /// The bytes its source sent before it.
        offset: u64,
    },
    /// The acknowledgment of a datagram whose sender is a client of the Congestion Manager.
    UdpAck {
        /// Its number.
        number: u64,
    },
    /// A datagram of another stack, whose bytes are stored separately.
    Datagram {
        /// Its number among the datagrams of its flow, both ways.
        number: u64,
        /// Which way it goes.
        way: Way,
        /// ECT and CE.
        flags: Flags,
    },
    /// A packet of media: [`media::Packet`](crate::media::Packet).
    Media {
        /// Its number, of which there are four billion.
        sequence: u32,
        /// The number of its frame.
        frame: u32,
        /// Its place in the frame.
        place: u16,
        /// The packets of the frame.
        packets: u16,
        /// When the frame was captured.
        captured: Time,
        /// Payload bytes.
        length: u16,
        /// CE.
        flags: Flags,
    },
    /// A report of a receiver of media, whose contents are stored separately.
    MediaFeedback {
        /// Its number among those of its call.
        number: u32,
    },
}

/// The congestion header of XCP (draft-falk-xcp-spec-03, section 2), in seconds and bytes per second. Its fields have
/// 32 bits as in the draft, but are real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CongestionHeader {
    /// The sender's estimate of the round-trip time (RTT); zero while it has none, and in packets without data.
    pub rtt: f32,
    /// The time between two packets of the flow (X).
    pub spacing: f32,
    /// The change of the throughput that the packet asks for (`Delta_Throughput`), which routers lower. Infinite to ask
    /// for as much as possible.
    pub delta_throughput: f32,
    /// The sum of the changes that arrived and were not returned before (`Reverse_Feedback`). Infinite if no router
    /// lowered them, or if there were none.
    pub reverse_feedback: f32,
}

/// The `AccECN` option of a segment (RFC 9768, 3.2.3): the receiver's counters of payload bytes by codepoint, with 24 bits each, in
/// their order. Those at the end may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteCounters {
    /// Bytes that arrived as ECT(0), or as ECT(1): EE0B, EE1B.
    pub capable: u32,
    /// True if these are of ECT(1).
    pub is_ect1: bool,
    /// Bytes that arrived marked: ECEB.
    pub marked: Option<u32>,
    /// Bytes that arrived with the other ECN-capable codepoint: EE1B, EE0B.
    pub other: Option<u32>,
}

impl ByteCounters {
    /// The counters are modulo this number: DIVOPT.
    pub const MODULUS: u32 = 1 << 24;
}

/// The extension that few packets carry in addition to their [`Payload`].
///
/// Exhaustive: a driver delivers every one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extension {
    /// A segment's selective acknowledgments.
    Sack(SackBlocks),
    /// The rates of TFRC's feedback.
    Rates {
        /// In bytes per second.
        receive_rate: f64,
        /// Of loss events.
        loss_event_rate: f64,
    },
    /// The byte counters of a segment and its selective acknowledgments.
    Counted(ByteCounters, SackBlocks),
    /// The congestion header of a segment of a flow with explicit feedback, and its selective acknowledgments.
    Explicit(CongestionHeader, SackBlocks),
    /// The time at which the packet was sent, for a driver that records delays. It is not on the wire, and no endpoint reads it.
    SentAt(Time),
}

impl Payload {
    /// True if it goes from the receiver of the data back to the sender.
    #[inline]
    pub fn is_backward(&self) -> bool {
        match self {
            Payload::Tcp(header) => header.way.is_to_sender(),
            Payload::AckNak(message) => message.kind.is_backward(),
            Payload::Datagram { way, .. } => way.is_to_sender(),
            Payload::TfrcFeedback { .. } | Payload::UdpAck { .. } | Payload::MediaFeedback { .. } => true,
            Payload::TfrcData { .. } | Payload::Udp { .. } | Payload::Media { .. } => false,
        }
    }

    /// Notes the ECN field with which the packet arrives, so that its receiver learns it: no flag, [`Flags::ECT`],
    /// [`Flags::ECT1`] or [`Flags::CE`].
    #[cold]
    pub fn note_field(&mut self, field: Flags) {
        match self {
            Payload::Tcp(Header { flags, .. })
            | Payload::Datagram { flags, .. }
            | Payload::Media { flags, .. } => {
                *flags = flags.without(Flags::CE).with(field);
            }
            _ => {}
        }
    }
}
