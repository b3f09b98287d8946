/// Where a packet is on its way: a place in the network's route table.
///
/// [`Network::route`](crate::Network::route) gives the cursor to send with; a packet carries it and the network moves
/// it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteCursor(pub(crate) u32);

impl RouteCursor {
    /// A cursor of no network: for packets that are built before their route is known.
    pub const NOWHERE: RouteCursor = RouteCursor(u32::MAX);
}

/// The ECN field of a packet's IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// The ends of its transport do not take part: it is never marked.
    #[default]
    NotCapable = 0b00,
    /// ECT(1).
    Capable1 = 0b01,
    /// ECT(0): it may be marked.
    Capable0 = 0b10,
    /// Congestion was experienced: a queue has marked it.
    Congested = 0b11,
}

impl Ecn {
    /// The two bits as they stand in the header.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// The codepoint of two bits; others do not matter.
    pub(crate) const fn from_bits(bits: u32) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotCapable,
            0b01 => Ecn::Capable1,
            0b10 => Ecn::Capable0,
            _ => Ecn::Congested,
        }
    }
}

/// A packet as the network sees it: a size, a way to go, and something it carries without looking.
///
/// 32 bytes of payload leave a packet under way on one cache line. What only few carry can be sent extension
/// ([`Network::send_with`](crate::Network::send_with)), and is touched for those alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<P> {
    /// The flow it belongs to, in the caller's numbering, below 2^24.
    pub flow: u32,
    /// Which of a flow's connections it belongs to, where one follows another, in the caller's numbering: a packet left
    /// over from the one before can be told.
    pub incarnation: u8,
    /// The link it is to take next.
    pub route: RouteCursor,
    /// Bytes on the wire, headers included; below 2^25.
    pub size: u32,
    /// Whether it counts as a data packet where data packets are counted (scripted losses).
    pub data: bool,
    /// Whether it may be marked instead of dropped early, and whether it was.
    pub ecn: Ecn,
    /// What it carries.
    pub payload: P,
}
