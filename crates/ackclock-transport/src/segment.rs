//! What travels: small plain values, copied from hop to hop.

use crate::acknak::Message;
use crate::tfrc;

/// The control bits of a TCP header (RFC 9293, 3.1), and what the IP header around it says of ECN.
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
    /// Of the IP header: the packet is sent as ECN-capable, ECT(0).
    pub const ECT: Flags = Flags(32);
    /// Of the IP header: the packet was marked under way, CE.
    pub const CE: Flags = Flags(64);

    /// Both sets of bits.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether all bits of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Up to four blocks of received data above the cumulative acknowledgment (RFC 2018), as byte offsets from it. A place
/// without a block holds `(0, 0)`, which none is: they all end above the acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks([(u32, u32); 4]);

impl SackBlocks {
    /// The most blocks a header has room for: 40 bytes of options, 2 + 8n each.
    pub const MAX: usize = 4;

    /// Adds a block `[start, end)` above `acknowledgment`; a fifth block, or one beyond 4 GB, is left out.
    pub fn push(&mut self, acknowledgment: u64, start: u64, end: u64) {
        let (Ok(from), Ok(to)) = (u32::try_from(start - acknowledgment), u32::try_from(end - acknowledgment))
        else {
            return;
        };
        debug_assert!(from < to);
        if let Some(free) = self.0.iter_mut().find(|block| block.1 == 0) {
            *free = (from, to);
        }
    }

    /// The blocks as absolute sequence numbers, the most recent first.
    pub fn iter(&self, acknowledgment: u64) -> impl Iterator<Item = (u64, u64)> {
        let absolute = move |offset: u32| acknowledgment + u64::from(offset);
        let blocks = self.0.into_iter().take_while(|block| block.1 > 0);
        blocks.map(move |(from, to)| (absolute(from), absolute(to)))
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0[0].1 == 0
    }
}

/// Which way a segment goes; data flows one way only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// To the receiver of the data.
    #[default]
    ToReceiver,
    /// To the sender of the data.
    ToSender,
}

/// The timestamps option (RFC 7323), in microseconds of the sender's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// The clock of who sent this segment (`TSval`).
    pub value: u32,
    /// The value echoed (`TSecr`).
    pub echo: u32,
}

/// One TCP segment. Sequence numbers are 64 bits wide and never wrap; the wire's 32 bits appear in captures only.
///
/// What all segments have comes first, and which way it goes before all, for that is where [`Payload`] says what it is:
/// an abstract packet, or what most acknowledgements say, lies on one cache line with how it travels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Segment {
    /// Which way it goes.
    pub way: Way,
    /// Control bits.
    pub flags: Flags,
    /// Payload bytes.
    pub length: u16,
    /// The receive window in bytes.
    pub window: u32,
    /// The first byte's sequence number.
    pub sequence: u64,
    /// The next byte expected from the other side.
    pub acknowledgment: u64,
    /// Timestamps; both zero where the option is not in use.
    pub timestamps: Timestamps,
    /// Selective acknowledgments.
    pub sack: SackBlocks,
}

impl Segment {
    /// The sequence number after this segment: SYN and FIN take one each.
    pub fn end(&self) -> u64 {
        self.sequence
            + u64::from(self.length)
            + u64::from(self.flags.has(Flags::SYN))
            + u64::from(self.flags.has(Flags::FIN))
    }
}

/// What a packet carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Payload {
    /// A TCP segment, either way.
    Tcp(Segment),
    /// A message of the ACK/NAK transport; its kind says which way it goes.
    AckNak(Message),
    /// A data packet of TFRC.
    TfrcData(tfrc::Data),
    /// What a TFRC receiver reports.
    TfrcFeedback(tfrc::Feedback),
    /// A UDP datagram, numbered by its source from zero.
    Udp {
        /// The datagram's number.
        number: u64,
    },
}

impl Payload {
    /// Whether its packet is sent as ECN-capable.
    #[inline]
    pub fn is_ecn_capable(&self) -> bool {
        match self {
            Payload::Tcp(segment) => segment.flags.has(Flags::ECT),
            _ => false,
        }
    }

    /// Whether it goes from the receiver of the data back to the sender.
    pub fn is_backward(&self) -> bool {
        match self {
            Payload::Tcp(segment) => segment.way == Way::ToSender,
            Payload::AckNak(message) => message.kind.is_backward(),
            Payload::TfrcFeedback(_) => true,
            Payload::TfrcData(_) | Payload::Udp { .. } => false,
        }
    }

    /// Its packet was marked under way: who gets it is to know.
    #[cold]
    pub fn note_mark(&mut self) {
        if let Payload::Tcp(segment) = self {
            segment.flags = segment.flags.with(Flags::CE);
        }
    }
}
