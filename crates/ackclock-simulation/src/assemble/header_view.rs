//! The parts of a packet's headers that queues read.

use ackclock_network::{AcknowledgmentView, CongestionHeader, GatewayView, HeaderView};
use ackclock_transport::acknak::Kind;
use ackclock_transport::{Extension, Flags, Header, Payload, SackBlocks, Way};

/// The place of a packet in its flow's sequence space, in bytes for TCP and in packets for other
/// transports.
pub(crate) fn header_view(payload: &Payload) -> HeaderView {
    let numbered =
        |number: u64, opens| HeaderView { first: number, end: number + 1, opens, ..HeaderView::default() };
    match payload {
        Payload::Tcp(segment) => {
            let drop_first = segment.way == Way::ToReceiverDropFirst;
            let opens = segment.flags.has(Flags::SYN);
            let closes = segment.flags.has(Flags::FIN) || segment.flags.has(Flags::RST);
            // A receiver's acknowledgments carry no data. A segment with other flags than ACK has a
            // further meaning.
            let is_pure = segment.end() == segment.sequence && segment.flags == Flags::ACK;
            let acknowledgment = is_pure.then_some(segment.acknowledgment);
            HeaderView {
                first: segment.sequence,
                end: segment.end(),
                opens,
                closes,
                acknowledgment,
                drop_first,
                ..HeaderView::default()
            }
        }
        Payload::AckNak(message) => match message.kind {
            Kind::Syn | Kind::SynAck => HeaderView { opens: true, ..HeaderView::default() },
            Kind::Data => numbered(message.number, false),
            Kind::Ack | Kind::Nak => HeaderView::default(),
        },
        Payload::TfrcData { sequence, .. } | Payload::Media { sequence, .. } => {
            numbered(u64::from(*sequence), false)
        }
        Payload::TfrcFeedback { .. } | Payload::UdpAck { .. } | Payload::MediaFeedback { .. } => {
            HeaderView::default()
        }
        Payload::Udp { number, .. } | Payload::Datagram { number, .. } => numbered(*number, false),
    }
}

/// The headers that a home gateway reads in addition. The hosts are those of the flow.
pub(crate) fn gateway_view(payload: &Payload, extension: Option<&Extension>) -> GatewayView {
    let acknowledgment = match payload {
        Payload::Tcp(header) => acknowledgment(header, extension),
        _ => None,
    };
    GatewayView { is_backward: payload.is_backward(), acknowledgment, ..GatewayView::default() }
}

/// The acknowledgment of a segment that has the flag ACK and is no SYN.
fn acknowledgment(header: &Header, extension: Option<&Extension>) -> Option<AcknowledgmentView> {
    if !header.flags.has(Flags::ACK) || header.flags.has(Flags::SYN) {
        return None;
    }
    let (blocks, has_other_options) = match extension {
        Some(Extension::Sack(blocks)) => (*blocks, false),
        Some(Extension::Counted(_, blocks) | Extension::Explicit(_, blocks)) => (*blocks, true),
        Some(Extension::Rates { .. } | Extension::SentAt(_)) | None => (SackBlocks::NONE, false),
    };
    let mut sack = [(0, 0); SackBlocks::MAX];
    for (place, block) in sack.iter_mut().zip(blocks.iter(header.acknowledgment)) {
        *place = block;
    }
    let has_data = header.end() != header.sequence;
    let has_other_flags = header.flags.has(Flags::RST) || header.way.has_ae();
    Some(AcknowledgmentView {
        number: header.acknowledgment,
        is_pure: !has_data && !has_other_flags && !has_other_options,
        ecn_flags: [Flags::ECE, Flags::CWR].map(|flag| header.flags.has(flag)),
        timestamps: [header.timestamps.value, header.timestamps.echo],
        sack,
    })
}

/// The congestion header of a packet's extension.
pub(crate) fn congestion_header(extension: &mut Extension) -> Option<CongestionHeader<'_>> {
    let Extension::Explicit(header, _) = extension else { return None };
    Some(CongestionHeader {
        rtt: f64::from(header.rtt),
        spacing: f64::from(header.spacing),
        delta_throughput: &mut header.delta_throughput,
    })
}
