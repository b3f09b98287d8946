//! The parts of a packet's headers that queues read.

use ackclock_network::{CongestionHeader, HeaderView};
use ackclock_transport::acknak::Kind;
use ackclock_transport::{Extension, Flags, Payload, Way};

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

/// The congestion header of a packet's extension.
pub(crate) fn congestion_header(extension: &mut Extension) -> Option<CongestionHeader<'_>> {
    let Extension::Explicit(header, _) = extension else { return None };
    Some(CongestionHeader {
        rtt: f64::from(header.rtt),
        spacing: f64::from(header.spacing),
        delta_throughput: &mut header.delta_throughput,
    })
}
