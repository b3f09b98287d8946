//! Facts that all other modules share: packets, the ends of a flow, its constant facts and its counts.

pub(crate) mod counts;
pub(crate) mod flow_infos;

use ackclock_transport::{Extension, Payload};

/// A packet of any of the transports: the generic type of `ackclock-network` for the payloads of `ackclock-transport`.
pub(crate) type Packet = ackclock_network::Packet<Payload>;

/// The network that carries packets.
pub(crate) type Network = ackclock_network::Network<Payload, Extension>;

/// An end of a flow.
///
/// Exhaustive: a flow has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that sends data.
    Sender = 0,
    /// The end that receives it.
    Receiver = 1,
}
