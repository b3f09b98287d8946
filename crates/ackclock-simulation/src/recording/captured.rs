//! From simulated packets to a capture file, with the TCP headers that a real wire would have
//! carried.

use ackclock_network::{Graph, LinkId};
use ackclock_transport::{Extension, Flags, Header, Payload};
use ackclock_units::Time;

use crate::facts::Packet;
use crate::facts::flow_infos::{FlowInfos, SynOptions};
use crate::recording::capture::{self, Capture, CapturedPacket, CapturedTcp};

/// Bytes of a UDP datagram's headers on a real wire: IPv4 and UDP.
const UDP_HEADERS: u32 = 28;

/// A packet seen at the far end of a captured link direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CapturedArrival {
    pub time: Time,
    pub link: LinkId,
    pub packet: Packet,
    pub extension: Option<Extension>,
}

/// The packets that passed one link direction as a pcapng file.
pub(crate) fn file_of(
    link: LinkId,
    captures: &[CapturedArrival],
    graph: &Graph,
    flows: &FlowInfos,
) -> Vec<u8> {
    let numbered = (0..).zip(graph.node_names().iter().map(String::as_str));
    let mut file = Capture::new(Vec::new(), &graph.link_name(link), numbered).expect("memory takes all");
    for arrival in captures.iter().filter(|arrival| arrival.link == link) {
        write(&mut file, arrival, flows);
    }
    file.finish()
}

fn write(file: &mut Capture<Vec<u8>>, arrival: &CapturedArrival, flows: &FlowInfos) {
    let packet = &arrival.packet;
    let flow = flows.get(packet.flow as usize);
    let (mut source, mut destination) = (flow.source.index() as u32, flow.destination.index() as u32);
    let backward = packet.payload.is_backward();
    if backward {
        std::mem::swap(&mut source, &mut destination);
    }
    let mut sack = Vec::new();
    let mut byte_counters = None;
    let (payload, tcp) = match (&packet.payload, flows.common(packet.flow as usize).syn_options) {
        (Payload::Tcp(segment), Some(syn_options)) => {
            if let Some(
                Extension::Sack(blocks) | Extension::Explicit(_, blocks) | Extension::Counted(_, blocks),
            ) = arrival.extension
            {
                sack.extend(blocks.iter(segment.acknowledgment));
            }
            if let Some(Extension::Counted(counters, _)) = arrival.extension {
                byte_counters = Some(counters);
            }
            let tcp = CapturedTcp { byte_counters, ..header(segment, syn_options, &sack) };
            (u32::from(segment.length), Some(tcp))
        }
        // Abstract packets have no header on a real wire, and no tool reads TFRC's. Both are shown
        // as datagrams of their size.
        _ => (packet.size.saturating_sub(UDP_HEADERS), None),
    };
    let flow = packet.flow;
    let packet = CapturedPacket {
        time: arrival.time,
        source,
        destination,
        flow,
        backward,
        ecn: packet.ecn.bits(),
        payload,
        tcp,
    };
    file.write(&packet).expect("memory takes all");
}

fn header<'a>(segment: &Header, syn_options: SynOptions, sack: &'a [(u64, u64)]) -> CapturedTcp<'a> {
    let syn = segment.flags.has(Flags::SYN);
    let fin = segment.flags.has(Flags::FIN);
    let timestamps = (segment.timestamps.value, segment.timestamps.echo);
    CapturedTcp {
        sequence: segment.sequence,
        acknowledgment: segment.flags.has(Flags::ACK).then_some(segment.acknowledgment),
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
        sack,
        timestamps: syn_options.timestamps.then_some(timestamps),
        mss: syn.then_some(syn_options.mss),
        sack_permitted: syn && syn_options.sack,
        byte_counters: None,
    }
}
