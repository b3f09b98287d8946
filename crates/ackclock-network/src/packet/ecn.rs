//! The ECN field of the IP header.

/// The ECN field of a packet's IP header (RFC 3168, section 5).
///
/// Exhaustive: the field has two bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: the transport is not ECN-capable, and the packet is never marked.
    #[default]
    NotCapable = 0b00,
    /// ECT(1): the packet may be marked.
    Capable1 = 0b01,
    /// ECT(0): the packet may be marked.
    Capable0 = 0b10,
    /// CE: a queue has marked the packet.
    Congested = 0b11,
}

impl Ecn {
    /// The two bits of the header field.
    #[inline]
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// True for packets that a queue treats as L4S (RFC 9331, section 5.1): ECT(1) and CE, since
    /// the codepoint before a CE mark is unknown.
    #[inline]
    pub(crate) const fn is_l4s(self) -> bool {
        matches!(self, Ecn::Capable1 | Ecn::Congested)
    }

    /// The codepoint of the lowest two bits.
    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> Ecn {
        match bits & 0b11 {
            0b00 => Ecn::NotCapable,
            0b01 => Ecn::Capable1,
            0b10 => Ecn::Capable0,
            _ => Ecn::Congested,
        }
    }
}
