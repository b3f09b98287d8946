//! The header that the network keeps of a packet in flight.

use ackclock_units::Time;

use super::slot::{NO_SLOT, SlotId};
use crate::{Ecn, Packet, RouteCursor};

/// The header of a packet on a link direction, without its payload. A hop reads and writes nothing else, and it fills
/// half a cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketHeader {
    /// The time at which its last bit leaves the sending node.
    pub(crate) departure: Time,
    /// The packet behind it.
    pub(crate) next: SlotId,
    /// The flow key: [`Packet::flow`], with [`Packet::incarnation`] in the bits above [`FLOW_BITS`].
    pub(crate) flow_key: u32,
    pub(crate) route: RouteCursor,
    /// Bytes on the wire.
    size: u32,
    /// The [`Ecn`] field in the lowest two bits, [`PacketHeader::cut_through_hops`] in the next four, then single bits.
    flags: u32,
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

const ECN: u32 = 0b11;
const CUT_THROUGH_SHIFT: u32 = 2;
/// The most link directions in a row that a packet may cut through.
pub(crate) const MAX_CUT_THROUGH: u32 = 15;
const CUT_THROUGH: u32 = MAX_CUT_THROUGH << CUT_THROUGH_SHIFT;
/// The packet has an extension.
const HAS_EXTENSION: u32 = 1 << 6;
/// A router has marked the packet In.
const IN_PROFILE: u32 = 1 << 7;
/// The link loses the packet at its far end, or the packet leaves a tunnel there, which knows whether it is lost.
const LOST: u32 = 1 << 8;
/// [`Packet::data`].
const DATA: u32 = 1 << 9;
/// The packet is a copy that the link direction has made.
const COPY: u32 = 1 << 10;

impl PacketHeader {
    /// The header of a packet that has not entered a link direction.
    #[expect(clippy::inline_always, reason = "see `Network::send`")]
    #[inline(always)]
    pub(super) fn new<P>(packet: &Packet<P>) -> PacketHeader {
        PacketHeader {
            departure: Time::ZERO,
            next: NO_SLOT,
            flow_key: flow_key(packet),
            route: packet.route,
            size: packet.size,
            flags: u32::from(packet.ecn.bits()) | if packet.data { DATA } else { 0 },
        }
    }

    /// The packet enters a link direction after cutting through `cut_through_hops` others; this one is its last for
    /// now.
    #[inline]
    pub(crate) fn enter(&mut self, departure: Time, lost: bool, cut_through_hops: u32) {
        debug_assert!(cut_through_hops <= MAX_CUT_THROUGH);
        self.departure = departure;
        let flags = cut_through_hops << CUT_THROUGH_SHIFT | if lost { LOST } else { 0 };
        self.flags = self.flags & !(CUT_THROUGH | LOST | COPY) | flags;
    }

    /// The number of link directions that it entered before reaching them, counted back from the one on which it is
    /// booked.
    #[inline]
    pub(crate) fn cut_through_hops(&self) -> u32 {
        (self.flags & CUT_THROUGH) >> CUT_THROUGH_SHIFT
    }

    #[inline]
    pub(crate) fn set_cut_through_hops(&mut self, hops: u32) {
        debug_assert!(hops <= MAX_CUT_THROUGH);
        self.flags = self.flags & !CUT_THROUGH | hops << CUT_THROUGH_SHIFT;
    }

    /// Bytes on the wire.
    #[inline]
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    #[inline]
    pub(crate) fn ecn(&self) -> Ecn {
        Ecn::from_bits(self.flags & ECN)
    }

    #[inline]
    pub(crate) fn has_extension(&self) -> bool {
        self.flags & HAS_EXTENSION != 0
    }

    #[inline]
    pub(super) fn set_has_extension(&mut self) {
        self.flags |= HAS_EXTENSION;
    }

    pub(super) fn clear_has_extension(&mut self) {
        self.flags &= !HAS_EXTENSION;
    }

    /// True if the last router that marks packets In or Out has marked it In.
    #[inline]
    pub(crate) fn is_in_profile(&self) -> bool {
        self.flags & IN_PROFILE != 0
    }

    /// Marks the packet In or Out.
    #[inline]
    pub(crate) fn set_in_profile(&mut self, in_profile: bool) {
        self.flags = self.flags & !IN_PROFILE | if in_profile { IN_PROFILE } else { 0 };
    }

    /// Sets the ECN field, at the end of a tunnel.
    pub(crate) fn set_ecn(&mut self, ecn: Ecn) {
        self.flags = self.flags & !ECN | u32::from(ecn.bits());
    }

    /// Sets the bytes on the wire, at the end of a tunnel.
    pub(crate) fn set_size(&mut self, size: u32) {
        self.size = size;
    }

    /// Sets the CE codepoint.
    #[inline]
    pub(crate) fn mark(&mut self) {
        self.flags |= u32::from(Ecn::Congested.bits());
    }

    /// True if the link loses the packet, or the packet leaves a tunnel at the far end.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.flags & LOST != 0
    }

    /// True for a copy that the link direction on which it is has made.
    pub(crate) fn is_copy(&self) -> bool {
        self.flags & COPY != 0
    }

    /// Makes it a copy, until it enters the next link direction.
    pub(crate) fn set_copy(&mut self) {
        self.flags |= COPY;
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
        self.flags & DATA != 0
    }
}
