//! The position of a packet on its route.

/// The position of a packet on its route: an index into the network's route table.
///
/// [`Network::route`](crate::Network::route) returns the cursor of a route's start; the network advances it at each hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteCursor(pub(crate) u32);

impl RouteCursor {
    /// A cursor of no network, for packets that are built before their route is known.
    pub const NOWHERE: RouteCursor = RouteCursor(u32::MAX);
}
