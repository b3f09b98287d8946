use ackclock_units::Time;

/// What a message of the ACK/NAK transport is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The source asks for a connection.
    Syn,
    /// The receiver agrees.
    SynAck,
    /// A packet of the flow (MesoNet's DT).
    Data,
    /// A packet arrived, the next after the one before.
    Ack,
    /// A packet arrived, and some before it did not.
    Nak,
}

impl Kind {
    /// Whether it goes from the receiver back to the source.
    pub const fn is_backward(self) -> bool {
        matches!(self, Kind::SynAck | Kind::Ack | Kind::Nak)
    }
}

/// One message of the ACK/NAK transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// On data its number, from one; on an ACK or NAK the number expected next.
    pub number: u64,
    /// When the data was sent, which its answer repeats, so that a round trip is measured without remembering packets.
    pub sent_at: Time,
}
