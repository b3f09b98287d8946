//! Packet captures: the packets that passed a link direction, as a pcapng file that Wireshark opens.
//!
//! Simulated packets have no bytes, so headers are made here, with correct checksums. Payload is counted but not
//! stored; in checksums it counts as zeros. The lengths in the file are those of real IPv4, TCP and UDP headers
//! with their options; a scenario's `header` may say otherwise.

use std::io::{self, Write};

use ackclock_transport::ByteCounters;
use ackclock_units::Time;
use etherparse::{IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};

/// A packet as a capture records it; sequence numbers are wrapped to 32 bits only here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedPacket<'a> {
    /// The time at which it passed.
    pub time: Time,
    /// The number of the node that sent it.
    pub source: u32,
    /// The number of the node to which it goes.
    pub destination: u32,
    /// The number of its conversation, a connection or the datagrams of a flow: the ports follow from it.
    pub conversation: u64,
    /// True if it goes from the conversation's receiver to its sender.
    pub backward: bool,
    /// The ECN field of its IP header: the two bits (RFC 3168, 5); others do not matter.
    pub ecn: u8,
    /// Bytes of payload.
    pub payload: u32,
    /// The first bytes of the payload of a datagram, which are kept; the others are zeros.
    pub begins: &'a [u8],
    /// Its TCP header; none for UDP.
    pub tcp: Option<CapturedTcp<'a>>,
}

/// The TCP header of a captured packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturedTcp<'a> {
    /// The number of its first byte (of the SYN, on a SYN).
    pub sequence: u64,
    /// The next byte expected from the other side; none without the ACK flag.
    pub acknowledgment: Option<u64>,
    /// The flags, except ACK.
    pub flags: Flags,
    /// The advertised window in bytes, limited to what the header can express.
    pub window: u64,
    /// The shift of the windows that this side advertises, announced on its SYN (RFC 7323); see [`window_scale`].
    pub window_scale: u8,
    /// Selective acknowledgments as first byte and one past the last (RFC 2018); those that do not fit are left
    /// out.
    pub sack: &'a [(u64, u64)],
    /// Timestamp value and echo (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// On a SYN: the maximum segment size.
    pub mss: Option<u16>,
    /// On a SYN: whether selective acknowledgments are permitted.
    pub sack_permitted: bool,
    /// The `AccECN` option (RFC 9768).
    pub byte_counters: Option<ByteCounters>,
    /// The Fast Open option (RFC 7413, 4.1.1): a cookie, or a request for one.
    pub fast_open: Option<FastOpen>,
}

/// The Fast Open option of a SYN (RFC 7413, 4.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FastOpen {
    /// A client asks for a cookie.
    Request,
    /// A server grants this cookie, or a client shows it.
    Cookie([u8; 8]),
}

/// Flags of a TCP header; ACK follows from the acknowledgment number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "bits of the header, by their names")]
pub struct Flags {
    /// The first segment of a direction.
    pub syn: bool,
    /// The last segment of a direction.
    pub fin: bool,
    /// The end of what the application wrote.
    pub psh: bool,
    /// Congestion is echoed (RFC 3168).
    pub ece: bool,
    /// The congestion window was reduced (RFC 3168).
    pub cwr: bool,
    /// The highest bit of the counter of marks (RFC 9768). Formerly the bit of the nonce.
    pub ae: bool,
    /// The connection is reset.
    pub rst: bool,
}

/// The least shift by which windows up to `largest` bytes fit 16 bits, at most 14 (RFC 7323, 2.3).
pub fn window_scale(largest: u64) -> u8 {
    (0..MOST_SCALE).find(|shift| u16::try_from(largest >> shift).is_ok()).unwrap_or(MOST_SCALE)
}

const MOST_SCALE: u8 = 14;
/// Bytes kept of a packet: more than the largest headers, of 20 and 60 bytes.
const SNAP_LENGTH: u32 = 128;
/// The first port without a registered protocol (RFC 6335), so that Wireshark does not dissect the payload.
const FIRST_PORT: u64 = 49_152;
const PORTS: u64 = 16_384;
/// The first port of receivers. Conversations beyond the sender's ports differ in the receiver's port.
const FIRST_RECEIVER_PORT: u64 = 40_000;
const RECEIVER_PORTS: u64 = 65_536 - FIRST_RECEIVER_PORT;

/// Writes a pcapng file (draft-ietf-opsawg-pcapng) of one link direction, packet by packet.
#[derive(Debug)]
pub struct Capture<W> {
    sink: W,
}

impl<W: Write> Capture<W> {
    /// Begins the file: one interface called `name`, nanoseconds, and names for the addresses of `nodes`, given by
    /// their numbers.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn new<'a>(
        mut sink: W,
        name: &str,
        nodes: impl IntoIterator<Item = (u32, &'a str)>,
    ) -> io::Result<Self> {
        sink.write_all(&section_header())?;
        sink.write_all(&interface(name))?;
        sink.write_all(&name_resolution(nodes))?;
        Ok(Capture { sink })
    }

    /// Adds a packet; times may not decrease.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn write(&mut self, packet: &CapturedPacket<'_>) -> io::Result<()> {
        let (headers, length) = headers_of(packet);
        let nanos = packet.time.as_nanos();
        let mut body = Vec::with_capacity(headers.len() + 24);
        for word in [0, (nanos >> 32) as u32, nanos as u32, headers.len() as u32, length] {
            body.extend(word.to_le_bytes());
        }
        body.extend(headers);
        self.sink.write_all(&block(ENHANCED_PACKET, body))
    }

    /// Ends the file, which needs no trailer, and returns the sink.
    pub fn finish(self) -> W {
        self.sink
    }
}

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const NAME_RESOLUTION: u32 = 4;
const ENHANCED_PACKET: u32 = 6;
/// `LINKTYPE_RAW`: packets begin with their IP header.
const LINK_TYPE_RAW: u16 = 101;

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// A block: type, length, body padded to 32 bits, length again.
fn block(kind: u32, mut body: Vec<u8>) -> Vec<u8> {
    pad(&mut body);
    let length = (body.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &body, &length].concat()
}

/// An option or record: code, length, value padded to 32 bits.
fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    let mut bytes = [&code.to_le_bytes()[..], &(value.len() as u16).to_le_bytes(), value].concat();
    pad(&mut bytes);
    bytes
}

const END_OF_OPTIONS: [u8; 4] = [0; 4];

fn section_header() -> Vec<u8> {
    const USER_APPLICATION: u16 = 4;
    let mut body = Vec::new();
    body.extend(0x1a2b_3c4d_u32.to_le_bytes());
    body.extend(1_u16.to_le_bytes());
    body.extend(0_u16.to_le_bytes());
    // The section's length is not known yet.
    body.extend((-1_i64).to_le_bytes());
    body.extend(option(USER_APPLICATION, concat!("ackclock ", env!("CARGO_PKG_VERSION")).as_bytes()));
    body.extend(END_OF_OPTIONS);
    block(SECTION_HEADER, body)
}

fn interface(name: &str) -> Vec<u8> {
    const NAME: u16 = 2;
    const TIME_RESOLUTION: u16 = 9;
    let mut body = Vec::new();
    body.extend(LINK_TYPE_RAW.to_le_bytes());
    body.extend(0_u16.to_le_bytes());
    body.extend(SNAP_LENGTH.to_le_bytes());
    body.extend(option(NAME, name.as_bytes()));
    // Ten to the power of minus nine seconds.
    body.extend(option(TIME_RESOLUTION, &[9]));
    body.extend(END_OF_OPTIONS);
    block(INTERFACE_DESCRIPTION, body)
}

fn name_resolution<'a>(nodes: impl IntoIterator<Item = (u32, &'a str)>) -> Vec<u8> {
    const IPV4: u16 = 1;
    let mut body = Vec::new();
    for (number, name) in nodes {
        let mut record = address(number).to_vec();
        // The name ends with a zero, so it cannot hold one.
        record.extend(name.bytes().filter(|byte| *byte != 0));
        record.push(0);
        body.extend(option(IPV4, &record));
    }
    body.extend(END_OF_OPTIONS);
    block(NAME_RESOLUTION, body)
}

/// The address of a node: 10.0.0.1 for number 0, and on from there.
fn address(node: u32) -> [u8; 4] {
    let [_, high, middle, low] = node.wrapping_add(1).to_be_bytes();
    [10, high, middle, low]
}

/// The headers of a packet as they are on the wire, and the length of the whole packet.
fn headers_of(packet: &CapturedPacket<'_>) -> (Vec<u8>, u32) {
    let sender = (FIRST_PORT + packet.conversation % PORTS) as u16;
    let receiver = (FIRST_RECEIVER_PORT + packet.conversation / PORTS % RECEIVER_PORTS) as u16;
    let ports = if packet.backward { (receiver, sender) } else { (sender, receiver) };
    let tcp = packet.tcp.map(|tcp| tcp_header(&tcp, ports));
    let transport = tcp.as_ref().map_or(UdpHeader::LEN, TcpHeader::header_len);
    // A packet of IPv4 has at most 65,535 bytes.
    let room = usize::from(u16::MAX) - Ipv4Header::MIN_LEN - transport;
    let payload = (packet.payload as usize).min(room);

    let mut ip = Ipv4Header {
        total_len: (Ipv4Header::MIN_LEN + transport + payload) as u16,
        time_to_live: 64,
        dont_fragment: true,
        ecn: IpEcn::try_new(packet.ecn & 0b11).unwrap_or_default(),
        protocol: if tcp.is_some() { IpNumber::TCP } else { IpNumber::UDP },
        source: address(packet.source),
        destination: address(packet.destination),
        ..Ipv4Header::default()
    };
    ip.header_checksum = ip.calc_header_checksum();
    let mut bytes = ip.to_bytes().to_vec();
    let zeros = &ZEROS[..payload];
    if let Some(mut tcp) = tcp {
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, zeros).unwrap_or_default();
        bytes.extend_from_slice(&tcp.to_bytes());
    } else {
        let length = (UdpHeader::LEN + payload) as u16;
        let mut udp = UdpHeader { source_port: ports.0, destination_port: ports.1, length, checksum: 0 };
        let begins = &packet.begins[..packet.begins.len().min(payload)];
        let whole = [begins, &zeros[begins.len()..]].concat();
        udp.checksum = udp.calc_checksum_ipv4(&ip, &whole).unwrap_or_default();
        bytes.extend_from_slice(&udp.to_bytes());
        bytes.extend_from_slice(begins);
    }
    (bytes, u32::from(ip.total_len))
}

static ZEROS: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

fn tcp_header(tcp: &CapturedTcp<'_>, (source, destination): (u16, u16)) -> TcpHeader {
    // The window of a SYN is never scaled (RFC 7323, 2.2).
    let shift = if tcp.flags.syn { 0 } else { tcp.window_scale.min(MOST_SCALE) };
    let window = (tcp.window >> shift).min(u64::from(u16::MAX)) as u16;
    let mut header = TcpHeader::new(source, destination, tcp.sequence as u32, window);
    header.syn = tcp.flags.syn;
    header.fin = tcp.flags.fin;
    header.rst = tcp.flags.rst;
    header.psh = tcp.flags.psh;
    header.ece = tcp.flags.ece;
    header.cwr = tcp.flags.cwr;
    header.ns = tcp.flags.ae;
    header.ack = tcp.acknowledgment.is_some();
    header.acknowledgment_number = tcp.acknowledgment.unwrap_or_default() as u32;
    let options = header.set_options(&options_of(tcp));
    debug_assert!(options.is_ok(), "the options fit: {options:?}");
    let rare = [tcp.fast_open.as_ref().map(fast_open_option), tcp.byte_counters.as_ref().map(accecn_option)];
    for option in rare.into_iter().flatten() {
        let all = [header.options.as_slice(), &option].concat();
        // A SYN may be full before it has its byte counters, which may be left out (RFC 9768, 3.2.3.3).
        let options = header.set_options_raw(&all);
        debug_assert!(options.is_ok() || tcp.flags.syn, "the options fit: {options:?}");
    }
    header
}

/// The two kinds of the `AccECN` option, which differ in the order of their fields, the kind of that of Fast Open, and
/// that of a padding byte.
const ACCECN0: u8 = 172;
const ACCECN1: u8 = 174;
const FAST_OPEN: u8 = 34;
const NOOP: u8 = 1;

/// The Fast Open option, padded to 32 bits: a request has no cookie.
fn fast_open_option(option: &FastOpen) -> Vec<u8> {
    let cookie = match option {
        FastOpen::Request => &[][..],
        FastOpen::Cookie(cookie) => cookie,
    };
    [&[NOOP, NOOP, FAST_OPEN, 2 + cookie.len() as u8], cookie].concat()
}

/// The `AccECN` option, padded to 32 bits.
fn accecn_option(counters: &ByteCounters) -> Vec<u8> {
    let kind = if counters.is_ect1 { ACCECN1 } else { ACCECN0 };
    let mut fields = counters.capable.to_be_bytes()[1..].to_vec();
    for field in [counters.marked, counters.other].into_iter().flatten() {
        fields.extend(&field.to_be_bytes()[1..]);
    }
    let option = [&[kind, 2 + fields.len() as u8], fields.as_slice()].concat();
    let filling = vec![NOOP; option.len().next_multiple_of(4) - option.len()];
    [filling, option].concat()
}

/// The options, each group padded to 32 bits as in Linux.
fn options_of(tcp: &CapturedTcp<'_>) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted, Timestamp,
        WindowScale,
    };
    let mut options = Vec::new();
    if tcp.flags.syn {
        options.extend(tcp.mss.map(MaximumSegmentSize));
        if tcp.sack_permitted {
            options.extend([Noop, Noop, SelectiveAcknowledgementPermitted]);
        }
        options.extend([Noop, WindowScale(tcp.window_scale.min(MOST_SCALE))]);
    }
    if let Some((value, echo)) = tcp.timestamps {
        options.extend([Noop, Noop, Timestamp(value, echo)]);
    }
    // Forty bytes of options hold four blocks, or three with timestamps (RFC 2018, 3). Byte counters take the
    // place of one more.
    let most = 4 - usize::from(tcp.timestamps.is_some()) - usize::from(tcp.byte_counters.is_some());
    let mut blocks = tcp.sack.iter().take(most).map(|(first, end)| (*first as u32, *end as u32));
    if let Some(first) = blocks.next().filter(|_| !tcp.flags.syn) {
        let rest = [blocks.next(), blocks.next(), blocks.next()];
        options.extend([Noop, Noop, SelectiveAcknowledgement(first, rest)]);
    }
    options
}
