use ackclock_units::Time;

/// The kind of a segment of the ACK/NAK transport.
///
/// Exhaustive: these are the segments of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The source asks for a connection.
    Syn,
    /// The receiver agrees.
    SynAck,
    /// A packet of the flow (MesoNet's DT).
    Data,
    /// A packet arrived in order.
    Ack,
    /// A packet arrived, and packets before it are missing.
    Nak,
}

impl Kind {
    /// True for segments from the receiver to the source.
    pub const fn is_backward(self) -> bool {
        matches!(self, Kind::SynAck | Kind::Ack | Kind::Nak)
    }
}

/// A segment of the ACK/NAK transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its kind.
    pub kind: Kind,
    /// The number of a data packet, from one; on an ACK or NAK, the number expected next.
    pub number: u64,
    /// The time at which the data was sent. Its reply echoes it, so that the source measures the round-trip time without
    /// a record of each packet.
    pub sent_at: Time,
}
