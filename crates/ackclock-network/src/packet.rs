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

/// A packet as the network sees it: a size, a way to go, and something it carries without looking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<P> {
    /// The flow it belongs to, in the caller's numbering, below 2^24.
    pub flow: u32,
    /// Which of a flow's connections it belongs to, where one follows another, in the caller's numbering: a packet left
    /// over from the one before can be told.
    pub incarnation: u8,
    /// The link it is to take next.
    pub route: RouteCursor,
    /// Bytes on the wire, headers included.
    pub size: u32,
    /// Whether it counts as a data packet where data packets are counted (scripted losses).
    pub data: bool,
    /// What it carries.
    pub payload: P,
}
