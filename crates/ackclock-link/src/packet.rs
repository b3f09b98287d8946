//! IP packets: the part of their headers that queues read, and the mark that queues set.

use ackclock_network::{AcknowledgmentView, Ecn, GatewayView, HeaderView};
use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};

/// The addresses, the protocol and the ports of a packet.
pub type FlowKey = ([u8; 16], [u8; 16], u8, u16, u16);

/// The part of a packet's headers that queues read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The addresses, the protocol and the ports.
    pub flow: FlowKey,
    /// The ECN field.
    pub ecn: Ecn,
    /// False for acknowledgments of TCP without data.
    pub data: bool,
    /// Sequence numbers, for TCP.
    pub view: HeaderView,
    /// Addresses, the DSCP and, for TCP, the acknowledgment.
    pub gateway: GatewayView,
}

impl Header {
    /// The header of an IP packet; none if the bytes are no IP packet.
    pub fn of(packet: &[u8]) -> Option<Header> {
        let sliced = SlicedPacket::from_ip(packet).ok()?;
        let (source, destination, protocol, ecn, dscp) = match sliced.net? {
            NetSlice::Ipv4(ip) => {
                let header = ip.header();
                let (ecn, dscp) = (header.ecn().value(), header.dcp().value());
                (wide(header.source()), wide(header.destination()), header.protocol().0, ecn, dscp)
            }
            NetSlice::Ipv6(ip) => {
                let header = ip.header();
                let protocol = ip.payload().ip_number.0;
                (header.source(), header.destination(), protocol, header.ecn().value(), header.dscp().value())
            }
            NetSlice::Arp(_) => return None,
        };
        let ecn = [Ecn::NotCapable, Ecn::Capable1, Ecn::Capable0, Ecn::Congested][usize::from(ecn & 0b11)];
        let (ports, data, view) = match &sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => {
                let first = u64::from(tcp.sequence_number());
                // SYN and FIN take a sequence number each.
                let occupied = tcp.payload().len() as u64 + u64::from(tcp.syn()) + u64::from(tcp.fin());
                let other_flags =
                    tcp.syn() || tcp.fin() || tcp.rst() || tcp.psh() || tcp.urg() || tcp.ece() || tcp.cwr();
                let is_pure = tcp.payload().is_empty() && tcp.ack() && !other_flags;
                let view = HeaderView {
                    first,
                    end: first + occupied,
                    opens: tcp.syn(),
                    closes: tcp.fin() || tcp.rst(),
                    acknowledgment: is_pure.then(|| u64::from(tcp.acknowledgment_number())),
                    ..HeaderView::default()
                };
                ((tcp.source_port(), tcp.destination_port()), !tcp.payload().is_empty(), view)
            }
            Some(TransportSlice::Udp(udp)) => (
                (udp.source_port(), udp.destination_port()),
                true,
                HeaderView { end: 1, ..HeaderView::default() },
            ),
            _ => ((0, 0), true, HeaderView { end: 1, ..HeaderView::default() }),
        };
        let acknowledgment = match &sliced.transport {
            Some(TransportSlice::Tcp(tcp)) => acknowledgment(tcp),
            _ => None,
        };
        let hosts = Some([source, destination].map(number));
        let gateway = GatewayView { hosts, dscp: Some(dscp), acknowledgment, ..GatewayView::default() };
        Some(Header { flow: (source, destination, protocol, ports.0, ports.1), ecn, data, view, gateway })
    }
}

/// The acknowledgment of a segment that has the flag ACK and is no SYN.
fn acknowledgment(tcp: &TcpSlice<'_>) -> Option<AcknowledgmentView> {
    if !tcp.ack() || tcp.syn() {
        return None;
    }
    // The last four bits of the thirteenth byte are AE and bits without a meaning yet.
    let has_other_flags =
        tcp.fin() || tcp.rst() || tcp.psh() || tcp.urg() || tcp.header_slice()[12] & 0b1111 != 0;
    let mut view = AcknowledgmentView {
        number: u64::from(tcp.acknowledgment_number()),
        is_pure: tcp.payload().is_empty() && !has_other_flags,
        ecn_flags: [tcp.ece(), tcp.cwr()],
        ..AcknowledgmentView::default()
    };
    for option in tcp.options_iterator() {
        match option {
            Ok(TcpOptionElement::Noop) => {}
            Ok(TcpOptionElement::Timestamp(value, echo)) => view.timestamps = [value, echo],
            Ok(TcpOptionElement::SelectiveAcknowledgement(first, others)) => {
                let blocks = std::iter::once(first).chain(others.into_iter().flatten());
                for (place, (start, end)) in view.sack.iter_mut().zip(blocks) {
                    *place = (u64::from(start), u64::from(end));
                }
            }
            Ok(_) | Err(_) => view.is_pure = false,
        }
    }
    Some(view)
}

/// A number of an address (FNV-1a), by which hosts are told apart.
fn number(address: [u8; 16]) -> u32 {
    address.into_iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn wide(address: [u8; 4]) -> [u8; 16] {
    let mut wide = [0; 16];
    wide[..4].copy_from_slice(&address);
    wide
}

/// Sets the CE codepoint of a packet's ECN field; the checksum of IPv4 follows (RFC 1624, eqn. 3).
pub fn mark(packet: &mut [u8]) {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 20 => {
            let word = |packet: &[u8], at| u16::from_be_bytes([packet[at], packet[at + 1]]);
            let before = word(packet, 0);
            packet[1] |= 0b11;
            let sum = u32::from(!word(packet, 10)) + u32::from(!before) + u32::from(word(packet, 0));
            let folded = (sum & 0xffff) + (sum >> 16);
            let checksum = !((folded & 0xffff) + (folded >> 16)) as u16;
            packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        Some(6) if packet.len() >= 40 => packet[1] |= 0b11 << 4,
        _ => {}
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use ackclock_network::Ecn;
    use etherparse::{IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header, PacketBuilder, TcpOptionElement};

    use super::{Header, mark};

    /// A datagram from one port, of `payload` bytes behind 28 of headers.
    pub(crate) fn datagram(port: u16, payload: usize, ecn: Ecn) -> Vec<u8> {
        let mut ip = Ipv4Header::new(0, 64, IpNumber::UDP, [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
        ip.ecn = ecn.bits().try_into().expect("two bits");
        let builder =
            PacketBuilder::ip(etherparse::IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()));
        let mut packet = Vec::new();
        builder.udp(port, 9).write(&mut packet, &vec![0; payload]).expect("a datagram");
        packet
    }

    /// A home gateway reads hosts, the DSCP (EF is 46), and the options of an acknowledgment.
    #[test]
    fn a_gateway_reads_hosts_services_and_acknowledgments() {
        let segment = |options: &[TcpOptionElement], ece: bool| {
            let mut ip = Ipv4Header::new(0, 64, IpNumber::TCP, [10, 0, 0, 1], [10, 0, 0, 2]).expect("short");
            ip.dscp = 46.try_into().expect("six bits");
            let builder =
                PacketBuilder::ip(etherparse::IpHeaders::Ipv4(ip, etherparse::Ipv4Extensions::default()));
            let mut tcp = builder.tcp(1, 2, 1000, 100).ack(7).options(options).expect("few options");
            if ece {
                tcp = tcp.ece();
            }
            let mut packet = Vec::new();
            tcp.write(&mut packet, &[]).expect("a segment");
            Header::of(&packet).expect("an IP packet").gateway
        };
        let blocks = TcpOptionElement::SelectiveAcknowledgement((9, 12), [Some((20, 22)), None, None]);
        let found = segment(&[TcpOptionElement::Timestamp(3, 4), blocks], true);
        let [one, other] = found.hosts.expect("two hosts");
        assert!(one != other && found.dscp == Some(46));
        let view = found.acknowledgment.expect("an acknowledgment");
        assert!(view.is_pure && view.number == 7 && view.ecn_flags == [true, false]);
        assert_eq!((view.timestamps, &view.sack[..3]), ([3, 4], &[(9, 12), (20, 22), (0, 0)][..]));
        let other = segment(&[TcpOptionElement::MaximumSegmentSize(1460)], false);
        assert!(!other.acknowledgment.expect("an acknowledgment").is_pure, "an option that only SYNs have");
    }

    #[test]
    fn an_acknowledgment_carries_no_data() {
        let segment = |payload: &[u8]| {
            let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(1, 2, 1000, 100).ack(7);
            let mut packet = Vec::new();
            builder.write(&mut packet, payload).expect("a segment");
            Header::of(&packet).expect("an IP packet")
        };
        let (ack, data) = (segment(&[]), segment(&[0; 10]));
        assert_eq!(ack.flow, data.flow);
        assert!(!ack.data && ack.view.first == ack.view.end);
        assert!(data.data && (data.view.first, data.view.end) == (1000, 1010));
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for port in 0..50 {
            let mut packet = datagram(port, 4, Ecn::Capable0);
            packet[4] = port as u8; // another identification, so another checksum
            let header = Ipv4Header::from_slice(&packet).expect("a header").0;
            packet[10..12].copy_from_slice(&header.calc_header_checksum().to_be_bytes());
            mark(&mut packet);
            let header = Ipv4Header::from_slice(&packet).expect("a header").0;
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            assert_eq!(Header::of(&packet).expect("a packet").ecn, Ecn::Congested);
        }
    }

    #[test]
    fn packets_of_ipv6_are_marked() {
        let mut packet = Vec::new();
        let ip = Ipv6Header {
            traffic_class: Ecn::Capable0.bits(),
            flow_label: Ipv6FlowLabel::ZERO,
            payload_length: 0,
            next_header: IpNumber::IPV6_NO_NEXT_HEADER,
            hop_limit: 64,
            source: [1; 16],
            destination: [2; 16],
        };
        ip.write(&mut packet).expect("a header");
        assert_eq!(Header::of(&packet).expect("a packet").ecn, Ecn::Capable0);
        mark(&mut packet);
        assert_eq!(Header::of(&packet).expect("a packet").ecn, Ecn::Congested);
    }

    /// Packets with bytes changed and ends cut off, and bytes at random, by a generator of Knuth's (MMIX).
    #[test]
    fn any_bytes_are_survived() {
        let mut state = 1_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut segment = Vec::new();
        let builder = PacketBuilder::ipv6([1; 16], [2; 16], 64).tcp(1, 2, 1000, 100).ack(7);
        builder.write(&mut segment, &[0; 10]).expect("a segment");
        let known = [datagram(1, 40, Ecn::Capable0), segment, vec![0x45; 80], vec![0x60; 80]];
        for _ in 0..50_000 {
            let mut packet = known[draw(known.len())].clone();
            for _ in 0..draw(8) {
                let at = draw(packet.len());
                packet[at] = draw(256) as u8;
            }
            packet.truncate(draw(packet.len() + 1));
            let _ = Header::of(&packet);
            let before = packet.clone();
            mark(&mut packet);
            let other = |at: &usize| ![1, 10, 11].contains(at) && packet[*at] != before[*at];
            assert_eq!((0..packet.len()).find(other), None, "a mark changes the ECN field and the checksum");
        }
    }

    #[test]
    fn other_bytes_are_no_packet() {
        assert_eq!(Header::of(&[]), None);
        assert_eq!(Header::of(&[0xff; 60]), None);
    }
}
