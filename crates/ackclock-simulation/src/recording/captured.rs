//! From simulated packets to a capture file, with the TCP headers that a real wire would have
//! carried.

use std::collections::BTreeMap;

use ackclock_network::{Graph, LinkId};
use ackclock_transport::{Extension, Flags, Header, Payload};
use ackclock_units::Time;

use crate::facts::Packet;
use crate::facts::flow_infos::{FlowInfos, SynOptions};
use crate::recording::capture::{self, Capture, CapturedPacket, CapturedTcp, FastOpen};

/// Bytes of a UDP datagram's headers on a real wire: IPv4 and UDP.
const UDP_HEADERS: u32 = 28;

/// A packet seen at the far end of a captured link direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapturedArrival {
    pub time: Time,
    pub link: LinkId,
    pub packet: Packet,
    /// The number of its connection among those of its flow.
    pub connection: u32,
    pub extension: Option<Extension>,
}

/// Microseconds in a tick of the timestamps in a file: a millisecond, as of Linux.
const TICK: u64 = 1000;

/// Numbers without a pattern from some that have one: `SplitMix64`'s last step (Steele, Lea and Flood 2014).
fn mixed(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The packets that passed one link direction as a pcapng file, of all that were captured.
pub(crate) fn file_of(
    link: LinkId,
    captures: &[CapturedArrival],
    graph: &Graph,
    flows: &FlowInfos,
) -> Vec<u8> {
    let numbered = (0..).zip(graph.node_names().iter().map(String::as_str));
    let mut file = Capture::new(Vec::new(), &graph.link_name(link), numbered).expect("memory takes all");
    let mut fast_opens = FastOpens::default();
    for arrival in captures {
        let fast_open = fast_opens.option_of(arrival, flows);
        if arrival.link == link {
            write(&mut file, arrival, flows, fast_open);
        }
    }
    file.finish()
}

/// The number of the conversation of a packet: those of the first connections are the numbers of their flows.
fn conversation(arrival: &CapturedArrival, flows: &FlowInfos) -> u64 {
    u64::from(arrival.packet.flow) + u64::from(arrival.connection) * flows.len() as u64
}

/// The connections with Fast Open whose SYN was seen, by their conversations.
#[derive(Default)]
struct FastOpens(BTreeMap<u64, SeenSyn>);

#[derive(Default)]
struct SeenSyn {
    /// The first had data.
    had_data: bool,
    /// Where a SYN was seen.
    links: Vec<LinkId>,
}

impl FastOpens {
    /// The Fast Open option of a SYN (RFC 7413, 4.2): data come with a cookie, and a first SYN without data asks for
    /// one, which the answer grants. A repeated SYN has none.
    fn option_of(&mut self, arrival: &CapturedArrival, flows: &FlowInfos) -> Option<FastOpen> {
        let packet = &arrival.packet;
        let Payload::Tcp(segment) = &packet.payload else { return None };
        let options = flows.common(packet.flow as usize).syn_options?;
        if !options.fast_open || !segment.flags.has(Flags::SYN) {
            return None;
        }
        let ends = flows.get(packet.flow as usize);
        let pair = (ends.source.index() as u64) << 32 | ends.destination.index() as u64;
        let cookie = FastOpen::Cookie(mixed(pair).to_be_bytes());
        let seen = self.0.entry(conversation(arrival, flows)).or_default();
        if segment.way.is_to_sender() {
            return (!seen.had_data).then_some(cookie);
        }
        let is_first = !seen.links.contains(&arrival.link);
        seen.had_data |= segment.length > 0;
        seen.links.push(arrival.link);
        match segment.length {
            0 => (is_first && !seen.had_data).then_some(FastOpen::Request),
            _ => Some(cookie),
        }
    }
}

fn write(
    file: &mut Capture<Vec<u8>>,
    arrival: &CapturedArrival,
    flows: &FlowInfos,
    fast_open: Option<FastOpen>,
) {
    let packet = &arrival.packet;
    let flow = flows.get(packet.flow as usize);
    let (mut source, mut destination) = (flow.source.index() as u32, flow.destination.index() as u32);
    let backward = packet.payload.is_backward();
    if backward {
        std::mem::swap(&mut source, &mut destination);
    }
    let conversation = conversation(arrival, flows);
    let mut sack = Vec::new();
    let mut begins = Vec::new();
    let (payload, tcp) = match (&packet.payload, flows.common(packet.flow as usize).syn_options) {
        (Payload::Tcp(segment), Some(syn_options)) => {
            let numbers = InitialNumbers::of(conversation, backward);
            let mut byte_counters = None;
            if let Some(
                Extension::Sack(blocks) | Extension::Explicit(_, blocks) | Extension::Counted(_, blocks),
            ) = arrival.extension
            {
                let theirs = |(from, to)| (from + numbers.theirs, to + numbers.theirs);
                sack.extend(blocks.iter(segment.acknowledgment).map(theirs));
            }
            if let Some(Extension::Counted(counters, _)) = arrival.extension {
                byte_counters = Some(counters);
            }
            let plain = header(arrival.time, segment, syn_options, numbers);
            let tcp = CapturedTcp { sack: &sack, byte_counters, fast_open, ..plain };
            (u32::from(segment.length), Some(tcp))
        }
        (Payload::Media { .. } | Payload::MediaFeedback { .. }, _) => {
            let payload = packet.size.saturating_sub(UDP_HEADERS);
            begins = media_header(&packet.payload, conversation, payload);
            (payload, None)
        }
        // Abstract packets have no header on a real wire, and no tool reads TFRC's. Both are shown
        // as datagrams of their size.
        _ => (packet.size.saturating_sub(UDP_HEADERS), None),
    };
    let packet = CapturedPacket {
        time: arrival.time,
        source,
        destination,
        conversation,
        backward,
        ecn: packet.ecn.bits(),
        payload,
        begins: &begins,
        tcp,
    };
    file.write(&packet).expect("memory takes all");
}

/// The header of RTP (RFC 3550, 5.1) of a packet of media; of a report, that of RTCP with the sender's SSRC (RFC 8888, 3.1), since the
/// capture has no more of it. Both ends have their SSRC from the number of the conversation.
fn media_header(payload: &Payload, conversation: u64, bytes: u32) -> Vec<u8> {
    /// Version 2.
    const VERSION: u8 = 2 << 6;
    /// The first dynamic payload type (RFC 3551, 6), with the marker bit on the last packet of a frame.
    const DYNAMIC: u8 = 96;
    const MARKER: u8 = 1 << 7;
    /// Transport-layer feedback (RFC 4585), and its format for congestion control (RFC 8888).
    const FEEDBACK: u8 = 205;
    const FORMAT: u8 = 11;
    /// Ticks per second of the timestamps of video (RFC 3551, 5).
    const TICKS: u64 = 90_000;
    let [media, reports] = [mixed(conversation) as u32, (mixed(conversation) >> 32) as u32];
    let Payload::Media { sequence, place, packets, captured, .. } = *payload else {
        let words = (bytes / 4).saturating_sub(1) as u16;
        return [&[VERSION | FORMAT, FEEDBACK], &words.to_be_bytes()[..], &reports.to_be_bytes()].concat();
    };
    let marker = if place + 1 == packets { MARKER } else { 0 };
    let ticks = (u128::from(captured.as_nanos()) * u128::from(TICKS) / 1_000_000_000) as u32;
    [
        &[VERSION, marker | DYNAMIC],
        &(sequence as u16).to_be_bytes()[..],
        &ticks.to_be_bytes(),
        &media.to_be_bytes(),
    ]
    .concat()
}

/// The initial sequence numbers of who sends a segment and of the other side. Each connection has its own, without a
/// pattern (RFC 6528).
#[derive(Clone, Copy)]
struct InitialNumbers {
    ours: u64,
    theirs: u64,
}

impl InitialNumbers {
    fn of(conversation: u64, backward: bool) -> InitialNumbers {
        let both = mixed(conversation);
        let (client, server) = (both >> 32, both & u64::from(u32::MAX));
        let (ours, theirs) = if backward { (server, client) } else { (client, server) };
        InitialNumbers { ours, theirs }
    }
}

fn header(
    now: Time,
    segment: &Header,
    syn_options: SynOptions,
    numbers: InitialNumbers,
) -> CapturedTcp<'static> {
    let syn = segment.flags.has(Flags::SYN);
    let fin = segment.flags.has(Flags::FIN);
    let acknowledges = segment.flags.has(Flags::ACK);
    let echo = if acknowledges { in_ticks(segment.timestamps.echo, now) } else { 0 };
    CapturedTcp {
        sequence: segment.sequence + numbers.ours,
        acknowledgment: acknowledges.then_some(segment.acknowledgment + numbers.theirs),
        flags: capture::Flags {
            syn,
            fin,
            psh: fin && segment.length > 0,
            ece: segment.flags.has(Flags::ECE),
            cwr: segment.flags.has(Flags::CWR),
            ae: segment.way.has_ae(),
            rst: segment.flags.has(Flags::RST),
        },
        window: u64::from(segment.window),
        window_scale: capture::window_scale(u64::from(syn_options.window)),
        timestamps: syn_options.timestamps.then_some((in_ticks(segment.timestamps.value, now), echo)),
        mss: syn.then_some(syn_options.mss),
        sack_permitted: syn && syn_options.sack,
        ..CapturedTcp::default()
    }
}

/// A timestamp in microseconds, which was taken before `now` and wraps every 72 minutes, in ticks, which go on.
fn in_ticks(timestamp: u32, now: Time) -> u32 {
    let now = now.as_nanos() / 1000;
    let age = (now as u32).wrapping_sub(timestamp);
    (now.saturating_sub(u64::from(age)) / TICK) as u32
}
