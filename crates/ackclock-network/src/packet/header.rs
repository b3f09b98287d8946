//! The header that the network keeps of a packet in flight.

use ackclock_units::Time;

use super::slot::{NO_SLOT, SlotId};
use crate::event_list::Order;
use crate::{Ecn, Packet, RouteCursor};

/// The header of a packet on a link direction, without its payload. A hop reads and writes nothing else, and it fills
/// half a cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHeader {
    /// The time at which its last bit leaves the sending node.
    pub(crate) departure: Time,
    /// The order of its arrival among the events of the same instant, with [`LOST`] and [`DATA`] in the class bits,
    /// which are zero for every link event.
    order: u64,
    /// The packet behind it.
    pub(crate) next: SlotId,
    /// The flow key: [`Packet::flow`], with [`Packet::incarnation`] in the bits above [`FLOW_BITS`].
    pub(crate) flow_key: u32,
    pub(crate) route: RouteCursor,
    /// Bytes on the wire, with the [`Ecn`] field in the highest two bits, [`HAS_EXTENSION`] in the next,
    /// [`PacketHeader::cut_through_hops`] in the four after that and [`IN_PROFILE`] in the next.
    size: u32,
}

/// Bits of a flow's number.
const FLOW_BITS: u32 = 24;

fn flow_key<P>(packet: &Packet<P>) -> u32 {
    debug_assert!(packet.flow >> FLOW_BITS == 0, "flow {} does not fit {FLOW_BITS} bits", packet.flow);
    packet.flow | u32::from(packet.incarnation) << FLOW_BITS
}

/// The flow's number in a flow key.
#[inline]
pub(crate) fn flow_of(flow_key: u32) -> u32 {
    flow_key & ((1 << FLOW_BITS) - 1)
}

const ECN_SHIFT: u32 = 30;
/// The packet has an extension.
const HAS_EXTENSION: u32 = 1 << 29;
const CUT_THROUGH_SHIFT: u32 = 25;
/// The most link directions in a row that a packet may cut through.
pub(crate) const MAX_CUT_THROUGH: u32 = 15;
/// A router has marked the packet In.
const IN_PROFILE: u32 = 1 << 24;
const SIZE: u32 = IN_PROFILE - 1;

/// The link loses the packet at its far end, or the packet leaves a tunnel there, which knows whether it is lost.
const LOST: u64 = 1 << 63;
/// [`Packet::data`].
const DATA: u64 = 1 << 62;

impl PacketHeader {
    /// The header of a packet that has not entered a link direction.
    #[expect(clippy::inline_always, reason = "see `Network::send`")]
    #[inline(always)]
    pub(super) fn new<P>(packet: &Packet<P>) -> PacketHeader {
        PacketHeader {
            departure: Time::ZERO,
            order: if packet.data { DATA } else { 0 },
            next: NO_SLOT,
            flow_key: flow_key(packet),
            route: packet.route,
            size: size_and_ecn(packet.size, packet.ecn),
        }
    }

    /// The packet enters a link direction after cutting through `cut_through_hops` others; this one is its last for
    /// now.
    #[inline]
    pub(crate) fn enter(&mut self, departure: Time, order: Order, lost: bool, cut_through_hops: u32) {
        debug_assert!(order.0 & (LOST | DATA) == 0);
        self.departure = departure;
        self.order = order.0 | self.order & DATA | if lost { LOST } else { 0 };
        self.set_cut_through_hops(cut_through_hops);
    }

    /// The number of link directions that it entered before reaching them, counted back from the one on which it is
    /// booked.
    #[inline]
    pub(crate) fn cut_through_hops(&self) -> u32 {
        self.size >> CUT_THROUGH_SHIFT & MAX_CUT_THROUGH
    }

    #[inline]
    pub(crate) fn set_cut_through_hops(&mut self, hops: u32) {
        debug_assert!(hops <= MAX_CUT_THROUGH);
        self.size = self.size & !(MAX_CUT_THROUGH << CUT_THROUGH_SHIFT) | hops << CUT_THROUGH_SHIFT;
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size & SIZE
    }

    #[inline]
    pub(crate) fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.size >> ECN_SHIFT)
    }

    #[inline]
    pub(crate) fn has_extension(&self) -> bool {
        self.size & HAS_EXTENSION != 0
    }

    #[inline]
    pub(super) fn set_has_extension(&mut self) {
        self.size |= HAS_EXTENSION;
    }

    pub(super) fn clear_has_extension(&mut self) {
        self.size &= !HAS_EXTENSION;
    }

    /// True if the last router that marks packets In or Out has marked it In.
    #[inline]
    pub(crate) fn is_in_profile(&self) -> bool {
        self.size & IN_PROFILE != 0
    }

    /// Marks the packet In or Out.
    #[inline]
    pub(crate) fn set_in_profile(&mut self, in_profile: bool) {
        self.size = self.size & !IN_PROFILE | if in_profile { IN_PROFILE } else { 0 };
    }

    /// Sets the ECN field, at the end of a tunnel.
    pub(crate) fn set_ecn(&mut self, ecn: Ecn) {
        self.size = self.size & !(0b11 << ECN_SHIFT) | u32::from(ecn.bits()) << ECN_SHIFT;
    }

    /// Sets the bytes on the wire, at the end of a tunnel.
    pub(crate) fn set_size(&mut self, size: u32) {
        debug_assert!(size <= SIZE, "a packet of {size} bytes");
        self.size = self.size & !SIZE | size;
    }

    /// Sets the CE codepoint.
    #[inline]
    pub(crate) fn mark(&mut self) {
        self.size |= u32::from(Ecn::Congested.bits()) << ECN_SHIFT;
    }

    #[inline]
    pub(crate) fn order(&self) -> Order {
        Order(self.order & !(LOST | DATA))
    }

    /// True if the link loses the packet, or the packet leaves a tunnel at the far end.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.order & LOST != 0
    }

    #[inline]
    pub(crate) fn flow(&self) -> u32 {
        flow_of(self.flow_key)
    }

    #[inline]
    pub(super) fn incarnation(&self) -> u8 {
        (self.flow_key >> FLOW_BITS) as u8
    }

    #[inline]
    pub(crate) fn is_data(&self) -> bool {
        self.order & DATA != 0
    }
}

/// A size and an ECN field in one word.
#[inline]
fn size_and_ecn(size: u32, ecn: Ecn) -> u32 {
    debug_assert!(size <= SIZE, "a packet of {size} bytes");
    size | u32::from(ecn.bits()) << ECN_SHIFT
}
