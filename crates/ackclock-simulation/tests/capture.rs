//! A capture holds what was given to it, and tshark finds nothing wrong with it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ackclock_simulation::capture::{Capture, CapturedPacket, CapturedTcp, FastOpen, Flags, window_scale};
use ackclock_transport::ByteCounters;
use ackclock_units::Time;
use etherparse::{Ipv4HeaderSlice, TcpHeaderSlice, TcpOptionElement, UdpHeaderSlice};

const SCALE: u8 = 7;
const PLAIN: Flags =
    Flags { syn: false, fin: false, psh: false, ece: false, cwr: false, ae: false, rst: false };
const SYN: Flags = Flags { syn: true, ..PLAIN };
const FIN: Flags = Flags { fin: true, ..PLAIN };

fn packet(micros: u64, backward: bool, payload: u32, tcp: CapturedTcp<'_>) -> CapturedPacket<'_> {
    let (source, destination) = if backward { (1, 0) } else { (0, 1) };
    let time = Time::from_nanos(micros * 1_000 + 7);
    let (begins, tcp) = (&[][..], Some(tcp));
    CapturedPacket { time, source, destination, conversation: 3, backward, ecn: 0, payload, begins, tcp }
}

fn segment(flags: Flags, sequence: u64, acknowledgment: u64) -> CapturedTcp<'static> {
    let acknowledgment = Some(acknowledgment);
    CapturedTcp {
        flags,
        sequence,
        acknowledgment,
        window: 1 << 20,
        window_scale: SCALE,
        ..CapturedTcp::default()
    }
}

/// A connection whose second of three segments is lost and sent again, and a UDP packet.
fn connection() -> Vec<u8> {
    let offer = CapturedTcp { mss: Some(1460), sack_permitted: true, ..segment(SYN, 0, 0) };
    let blocks = [(2921, 4381)];
    let udp = CapturedPacket {
        conversation: 4,
        payload: 972,
        tcp: None,
        ..packet(90_000, false, 0, segment(PLAIN, 0, 0))
    };
    let packets = [
        packet(0, false, 0, CapturedTcp { acknowledgment: None, ..offer }),
        packet(20_000, true, 0, CapturedTcp { acknowledgment: Some(1), ..offer }),
        packet(40_000, false, 0, segment(PLAIN, 1, 1)),
        packet(40_100, false, 1460, segment(PLAIN, 1, 1)),
        packet(40_300, false, 1460, segment(Flags { psh: true, ..PLAIN }, 2921, 1)),
        packet(60_100, true, 0, segment(PLAIN, 1, 1461)),
        packet(60_300, true, 0, CapturedTcp { sack: &blocks, ..segment(PLAIN, 1, 1461) }),
        packet(80_000, false, 1460, segment(PLAIN, 1461, 1)),
        udp,
        packet(100_000, true, 0, segment(PLAIN, 1, 4381)),
        packet(120_000, false, 0, segment(FIN, 4381, 1)),
        packet(140_000, true, 0, segment(FIN, 1, 4382)),
        packet(160_000, false, 0, segment(PLAIN, 4382, 2)),
    ];
    let mut capture = Capture::new(Vec::new(), "left->right", [(0, "src1"), (1, "dst1")]).unwrap();
    for packet in &packets {
        capture.write(packet).unwrap();
    }
    capture.finish()
}

/// The stored bytes and the whole length of every packet, read by the layout of the enhanced packet block.
fn stored(file: &[u8]) -> Vec<(Vec<u8>, u32)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut packets) = (0, Vec::new());
    while at < file.len() {
        let length = word(at + 4) as usize;
        assert_eq!(word(at + length - 4) as usize, length, "a block's length stands at both its ends");
        if word(at) == 6 {
            let kept = word(at + 20) as usize;
            packets.push((file[at + 28..at + 28 + kept].to_vec(), word(at + 24)));
        }
        at += length;
    }
    packets
}

#[test]
fn headers_say_what_was_given_and_their_checksums_are_right() {
    let packets = stored(&connection());
    assert_eq!(packets.len(), 13);
    for (bytes, length) in &packets {
        let ip = Ipv4HeaderSlice::from_slice(bytes).unwrap();
        assert_eq!(u32::from(ip.total_len()), *length, "the length counts payload that is not stored");
        assert_eq!(ip.header_checksum(), ip.to_header().calc_header_checksum());
        let transport = &bytes[ip.slice().len()..];
        if ip.protocol() == etherparse::IpNumber::UDP {
            let udp = UdpHeaderSlice::from_slice(transport).unwrap();
            assert_eq!((*length, udp.length()), (1000, 980));
            continue;
        }
        let tcp = TcpHeaderSlice::from_slice(transport).unwrap();
        let payload = vec![0; *length as usize - ip.slice().len() - tcp.slice().len()];
        assert_eq!(tcp.checksum(), tcp.calc_checksum_ipv4(&ip, &payload).unwrap());
        assert_eq!(bytes.len(), ip.slice().len() + tcp.slice().len(), "headers only");
    }
    let tcp = TcpHeaderSlice::from_slice(&packets[6].0[20..]).unwrap();
    let options: Vec<_> = tcp.options_iterator().map(Result::unwrap).collect();
    assert!(
        options.contains(&TcpOptionElement::SelectiveAcknowledgement((2921, 4381), [None; 3])),
        "{options:?}"
    );
    assert_eq!(u64::from(tcp.window_size()) << SCALE, 1 << 20);
}

/// Wireshark's `ip.dsfield.ecn`, and `tcp.flags.ece` and `tcp.flags.cwr`, stand where RFC 3168 puts them: the lowest two
/// bits of the second byte of the IP header, and the highest two of the fourteenth of the TCP header.
#[test]
fn explicit_congestion_notification_is_on_the_wire() {
    let mut capture = Capture::new(Vec::new(), "", []).unwrap();
    for (ecn, ece, cwr) in [(0b10, false, true), (0b11, true, false), (0b00, false, false)] {
        let tcp = segment(Flags { ece, cwr, ..PLAIN }, 1, 1);
        capture.write(&CapturedPacket { ecn, ..packet(0, false, 1460, tcp) }).unwrap();
    }
    let found: Vec<(u8, u8)> =
        stored(&capture.finish()).iter().map(|(bytes, _)| (bytes[1], bytes[20 + 13] & 0b1100_0000)).collect();
    assert_eq!(found, [(0b10, 0b1000_0000), (0b11, 0b0100_0000), (0b00, 0)]);
}

#[test]
fn numbers_wrap_at_32_bits_and_options_never_exceed_their_room() {
    let blocks = [(1 << 32, (1 << 32) + 10), (1, 2), (3, 4), (5, 6), (7, 8)];
    let tcp = CapturedTcp {
        sack: &blocks,
        timestamps: Some((1, 2)),
        window: u64::MAX,
        ..segment(PLAIN, (1 << 32) + 5, (1 << 33) + 6)
    };
    let mut capture = Capture::new(Vec::new(), "", []).unwrap();
    capture.write(&packet(0, false, u32::MAX, tcp)).unwrap();
    let stored = stored(&capture.finish());
    let (bytes, length) = &stored[0];
    assert_eq!(*length, 65_535, "no packet is longer than IPv4 can say");
    let tcp = TcpHeaderSlice::from_slice(&bytes[20..]).unwrap();
    assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number(), tcp.window_size()), (5, 6, u16::MAX));
    assert_eq!(tcp.slice().len(), 60);
    let sack = TcpOptionElement::SelectiveAcknowledgement((0, 10), [Some((1, 2)), Some((3, 4)), None]);
    assert!(tcp.options_iterator().any(|option| option == Ok(sack.clone())));
}

/// RFC 9768, figure 4 and table 5: kind 172 or 174, the length, and the counters of three bytes each.
#[test]
fn byte_counters_are_an_option_beside_three_blocks_or_two() {
    let blocks = [(10, 20), (30, 40), (50, 60), (70, 80)];
    let options = |timestamps, byte_counters| {
        let tcp = CapturedTcp {
            sack: &blocks,
            timestamps,
            byte_counters: Some(byte_counters),
            ..segment(PLAIN, 5, 6)
        };
        let mut capture = Capture::new(Vec::new(), "", []).unwrap();
        capture.write(&packet(0, true, 0, tcp)).unwrap();
        let bytes = stored(&capture.finish())[0].0.clone();
        TcpHeaderSlice::from_slice(&bytes[20..]).unwrap().options().to_vec()
    };
    let both = ByteCounters { capable: 0x01_02_03, marked: Some(0x0a_0b_0c), is_ect1: true, other: None };
    let found = options(Some((1, 2)), both);
    assert_eq!((found.len(), found[15]), (40, 2 + 2 * 8));
    assert_eq!(found[32..], [174, 8, 1, 2, 3, 10, 11, 12]);
    let one = ByteCounters { capable: 7, ..ByteCounters::default() };
    let found = options(None, one);
    assert_eq!((found.len(), found[3]), (36, 2 + 3 * 8));
    assert_eq!(found[28..], [1, 1, 1, 172, 5, 0, 0, 7]);
}

#[test]
fn conversations_between_the_same_nodes_have_ports_of_their_own() {
    let ports = |conversation| {
        let mut capture = Capture::new(Vec::new(), "", []).unwrap();
        capture.write(&CapturedPacket { conversation, ..packet(0, false, 0, segment(PLAIN, 0, 0)) }).unwrap();
        stored(&capture.finish())[0].0[20..24].to_vec()
    };
    let flows = [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 999_999];
    for (index, flow) in flows.iter().enumerate() {
        assert!(flows[..index].iter().all(|other| ports(*other) != ports(*flow)), "conversation {flow}");
    }
}

/// RFC 7413, 4.1.1: kind 34; a request has the length 2, and a cookie of eight bytes the length 10.
#[test]
fn a_syn_asks_for_a_cookie_or_shows_one() {
    let options = |fast_open| {
        let tcp = CapturedTcp { fast_open: Some(fast_open), mss: Some(1460), ..segment(SYN, 0, 0) };
        let mut capture = Capture::new(Vec::new(), "", []).unwrap();
        capture.write(&packet(0, false, 0, tcp)).unwrap();
        let bytes = stored(&capture.finish())[0].0.clone();
        TcpHeaderSlice::from_slice(&bytes[20..]).unwrap().options().to_vec()
    };
    assert!(options(FastOpen::Request).ends_with(&[1, 1, 34, 2]));
    assert!(options(FastOpen::Cookie([9; 8])).ends_with(&[1, 1, 34, 10, 9, 9, 9, 9, 9, 9, 9, 9]));
}

#[test]
fn a_window_scale_is_the_least_that_does() {
    // RFC 7323, 2.3: the shift is at most 14, which allows windows of a gigabyte.
    assert_eq!(window_scale(65_535), 0);
    assert_eq!(window_scale(65_536), 1);
    assert_eq!(window_scale(1 << 20), 5);
    assert_eq!(window_scale(1 << 30), 14);
    assert_eq!(window_scale(u64::MAX), 14);
}

/// The output of tshark, or none if it is not installed.
fn tshark(name: &str, arguments: &[&str]) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, connection()).unwrap();
    let output = Command::new("tshark").arg("-r").arg(&path).args(arguments).output();
    let Ok(output) = output else {
        eprintln!("skipped: tshark is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn tshark_finds_nothing_malformed() {
    let checks =
        ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"];
    let wrong = "_ws.malformed || tcp.checksum.status == \"Bad\" || ip.checksum.status == \"Bad\" || \
                 udp.checksum.status == \"Bad\" || _ws.expert.severity == \"Error\"";
    let filter = [&checks[..], &["-Y", wrong]].concat();
    let Some(complaints) = tshark("malformed.pcapng", &filter) else { return };
    assert_eq!(complaints, "");
}

#[test]
fn tshark_sees_the_connection_as_it_was() {
    let fields = "-N n -T fields -E occurrence=f -e frame.time_epoch -e ip.src_host -e tcp.len -e tcp.window_size \
                  -e tcp.analysis.lost_segment -e tcp.analysis.duplicate_ack";
    let arguments: Vec<&str> = fields.split_whitespace().collect();
    let Some(table) = tshark("connection.pcapng", &arguments) else { return };
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 13, "{table}");
    assert_eq!(rows[1][0..3], ["0.020000007", "dst1", "0"], "nanoseconds, and a node's name");
    assert_eq!(rows[4][1..5], ["src1", "1460", "1048576", "1"], "the segment before it is missing");
    assert_eq!(rows[6][5], "1", "and the receiver says so again");
}
