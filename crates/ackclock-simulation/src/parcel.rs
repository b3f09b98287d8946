//! What travels in a simulated network.

use ackclock_network::{Network, Packet};
use ackclock_transport::{Extension, Payload};

/// A packet of any of the transports.
pub(crate) type Parcel = Packet<Payload>;

/// The network that carries them.
pub(crate) type Carrier = Network<Payload, Extension>;
