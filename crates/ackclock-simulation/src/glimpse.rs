//! What a queue sees of a transport's header.

use ackclock_network::Glimpse;
use ackclock_transport::acknak::Kind;
use ackclock_transport::{Flags, Payload};

/// The place of a packet in its flow's sequence space: of bytes in TCP, of packets elsewhere.
pub(crate) fn glimpse(payload: &Payload) -> Glimpse {
    let numbered = |number: u64, opens| Glimpse { first: number, end: number + 1, opens };
    match payload {
        Payload::Tcp(segment) => {
            Glimpse { first: segment.sequence, end: segment.end(), opens: segment.flags.has(Flags::SYN) }
        }
        Payload::AckNak(message) => match message.kind {
            Kind::Syn | Kind::SynAck => Glimpse { opens: true, ..Glimpse::default() },
            Kind::Data => numbered(message.number, false),
            Kind::Ack | Kind::Nak => Glimpse::default(),
        },
        Payload::TfrcData { sequence, .. } => numbered(u64::from(*sequence), false),
        Payload::TfrcFeedback { .. } => Glimpse::default(),
        Payload::Udp { number } => numbered(*number, false),
    }
}
