//! The part of a transport's header that queues read.

use ackclock_network::HeaderView;
use ackclock_transport::acknak::Kind;
use ackclock_transport::{Flags, Payload};

/// The place of a packet in its flow's sequence space: of bytes in TCP, of packets elsewhere.
pub(crate) fn header_view(payload: &Payload) -> HeaderView {
    let numbered = |number: u64, opens| HeaderView { first: number, end: number + 1, opens };
    match payload {
        Payload::Tcp(segment) => {
            HeaderView { first: segment.sequence, end: segment.end(), opens: segment.flags.has(Flags::SYN) }
        }
        Payload::AckNak(message) => match message.kind {
            Kind::Syn | Kind::SynAck => HeaderView { opens: true, ..HeaderView::default() },
            Kind::Data => numbered(message.number, false),
            Kind::Ack | Kind::Nak => HeaderView::default(),
        },
        Payload::TfrcData { sequence, .. } => numbered(u64::from(*sequence), false),
        Payload::TfrcFeedback { .. } => HeaderView::default(),
        Payload::Udp { number, .. } | Payload::Datagram { number, .. } => numbered(*number, false),
    }
}
