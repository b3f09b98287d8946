//! Packets that callers send, and the parts of them that the network keeps while they are in flight.

pub(crate) mod attributes;
pub(crate) mod congestion_header;
pub(crate) mod drop_reason;
pub(crate) mod ecn;
pub(crate) mod gateway_view;
pub(crate) mod header;
pub(crate) mod header_view;
pub(crate) mod queued_packet;
pub(crate) mod route_cursor;
pub(crate) mod slot;
pub(crate) mod store;

use self::ecn::Ecn;
use self::route_cursor::RouteCursor;

/// A packet: its size, its route, and a payload that the network does not read.
///
/// With a payload of at most 32 bytes a packet in flight fits one cache line. Data that few packets carry belongs in an
/// extension ([`Network::send_with`](crate::Network::send_with)), which costs the others nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<P> {
    /// The flow, numbered by the caller, below 2^24.
    pub flow: u32,
    /// The number of the connection within the flow, given by the caller. It distinguishes packets that an earlier
    /// connection of the flow still has in flight.
    pub incarnation: u8,
    /// The next link of its route.
    pub route: RouteCursor,
    /// Bytes on the wire, headers included; below 2^25.
    pub size: u32,
    /// True for data packets, which scripted losses count.
    pub data: bool,
    /// The ECN field.
    pub ecn: Ecn,
    /// The payload.
    pub payload: P,
}
