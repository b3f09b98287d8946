//! The packets of a simulated network, and the network: the generic types of `ackclock-network` for the payloads of
//! `ackclock-transport`.

use ackclock_transport::{Extension, Payload};

/// A packet of any of the transports.
pub(crate) type Packet = ackclock_network::Packet<Payload>;

/// The network that carries them.
pub(crate) type Network = ackclock_network::Network<Payload, Extension>;
