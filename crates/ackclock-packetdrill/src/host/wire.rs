//! Segments of scripts and those of simulated connections: one as the other.

use std::fmt;

use ackclock_transport::{ByteCounters, Flags, Header, SackBlocks, Segment, Way};
use ackclock_units::Time;

use crate::script::{EcnField, Packet, TcpOption};

/// A segment that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub at: Time,
    pub header: Header,
    pub wire: Wire,
}

/// The fields of a segment on the wire, in the words of a script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wire {
    pub flags: String,
    pub ecn: EcnField,
    pub options: Vec<TcpOption>,
}

/// The letters of flags and their bits, in the order of scripts.
const LETTERS: &[(char, Flags)] =
    &[('S', Flags::SYN), ('F', Flags::FIN), ('R', Flags::RST), ('E', Flags::ECE), ('W', Flags::CWR)];

/// The flags of a header as letters.
pub(super) fn letters(header: &Header) -> String {
    let set = LETTERS.iter().filter(|(_, flag)| header.flags.has(*flag)).map(|(letter, _)| *letter);
    let ae = header.way.has_ae().then_some('A');
    // A reset that answers a segment has no acknowledgment; everything but a SYN of a client has one.
    let is_bare = header.flags.has(Flags::SYN) && !header.flags.has(Flags::ACK);
    let ack = (header.flags.has(Flags::ACK) && !is_bare).then_some('.');
    set.chain(ae).chain(ack).collect()
}

/// The answer of a host without a connection to a segment (RFC 9293, 3.10.7.1).
pub(super) fn reset(at: Time, packet: &Packet) -> Option<Live> {
    if packet.flags.contains('R') {
        return None;
    }
    let takes = |letter| u64::from(packet.flags.contains(letter));
    let end = packet.start + packet.length + takes('S') + takes('F');
    let (flags, sequence, acknowledgment) = match packet.ack {
        Some(ack) => ("R", ack, 0),
        None => ("R.", 0, end),
    };
    let header = Header { sequence, acknowledgment, flags: Flags::RST, ..Header::default() };
    let wire = Wire { flags: flags.to_owned(), ecn: EcnField::NotCapable, options: Vec::new() };
    Some(Live { at, header, wire })
}

/// The header of a segment of a script that goes this `way`.
pub(super) fn header(packet: &Packet, way: Way) -> Header {
    let mut flags = Flags::default();
    for (letter, flag) in LETTERS {
        if packet.flags.contains(*letter) {
            flags = flags.with(*flag);
        }
    }
    if packet.flags.contains('.') {
        flags = flags.with(Flags::ACK);
    }
    flags = match packet.ecn {
        Some(EcnField::Capable0) => flags.with(Flags::ECT),
        Some(EcnField::Capable1) => flags.with(Flags::ECT1),
        Some(EcnField::Marked) => flags.with(Flags::CE),
        Some(EcnField::NotCapable) | None => flags,
    };
    Header {
        sequence: packet.start,
        acknowledgment: packet.ack.unwrap_or(0),
        length: packet.length.min(u64::from(u16::MAX)) as u16,
        flags,
        way: way.with_ae(packet.flags.contains('A')),
        ..Header::default()
    }
}

/// Selective acknowledgments of a script, with a report of duplicate data first if it has one.
pub(super) fn blocks(acknowledgment: u64, blocks: &[(u64, u64)]) -> SackBlocks {
    let is_whole = |block: &(u64, u64)| block.0 < block.1;
    let Some(first) = blocks.first().copied().filter(is_whole) else { return SackBlocks::NONE };
    let others = blocks[1..].iter().copied().filter(|block| is_whole(block) && block.0 >= acknowledgment);
    if first.1 <= acknowledgment {
        return SackBlocks::with_duplicate(acknowledgment, first, others);
    }
    let first = (first.0.max(acknowledgment), first.1);
    SackBlocks::of(acknowledgment, std::iter::once(first).chain(others))
}

/// The names of the counters of an option in its two orders (RFC 9768, table 5).
const ORDERS: [[&str; 3]; 2] = [["e0b", "ceb", "e1b"], ["e1b", "ceb", "e0b"]];

/// The byte counters of an option, by name; none of an option without a counter.
pub(super) fn counters(named: &[(String, u32)]) -> Option<ByteCounters> {
    let of = |name: &str| named.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
    let is_ect1 = named.first().is_some_and(|(name, _)| name == ORDERS[1][0]);
    let [capable, marked, other] = ORDERS[usize::from(is_ect1)].map(of);
    Some(ByteCounters { capable: capable?, is_ect1, marked, other })
}

/// The option with these counters.
pub(super) fn option_of(bytes: &ByteCounters) -> TcpOption {
    let names = ORDERS[usize::from(bytes.is_ect1)];
    let fields = [Some(bytes.capable), bytes.marked, bytes.other];
    let pairs = names.iter().zip(fields).filter_map(|(name, field)| Some(((*name).to_owned(), field?)));
    TcpOption::Counters(pairs.collect())
}

/// The options of a segment that is no SYN.
pub(super) fn options(segment: &Segment, timestamps: bool, bytes: Option<ByteCounters>) -> Vec<TcpOption> {
    let mut found = Vec::new();
    if timestamps {
        found.push(TcpOption::Timestamps(segment.timestamps.value, segment.timestamps.echo));
    }
    found.extend(bytes.as_ref().map(option_of));
    if !segment.sack.is_empty() {
        found.push(TcpOption::Sack(segment.sack.iter(segment.acknowledgment).collect()));
    }
    found
}

impl fmt::Display for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Live { header, wire, .. } = self;
        let end = header.sequence + u64::from(header.length);
        write!(f, "> {} {}:{end}({})", wire.flags, header.sequence, header.length)?;
        if wire.flags.contains('.') {
            write!(f, " ack {}", header.acknowledgment)?;
        }
        for option in &wire.options {
            match option {
                TcpOption::Sack(blocks) => {
                    let blocks = blocks.iter().map(|(start, end)| format!(" {start}:{end}"));
                    write!(f, " <sack{}>", blocks.collect::<String>())?;
                }
                TcpOption::Timestamps(value, echo) => write!(f, " <TS val {value} ecr {echo}>")?,
                TcpOption::Counters(counters) => {
                    let counters = counters.iter().map(|(name, count)| format!(" {name} {count}"));
                    write!(f, " <ECN{}>", counters.collect::<String>())?;
                }
                TcpOption::Mss(mss) => write!(f, " <mss {mss}>")?,
                TcpOption::SackPermitted => f.write_str(" <sackOK>")?,
                TcpOption::WindowScale(shift) => write!(f, " <wscale {shift}>")?,
            }
        }
        Ok(())
    }
}
