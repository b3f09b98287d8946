//! Numbers and sizes of packets.

use std::str::FromStr;

use ackclock_units::ParseQuantityError;

use crate::read::quantity::{Quantity, number_first, packets, whole, wrong};

/// The largest IPv4 packet in bytes, with its header.
pub(crate) const LARGEST_PACKET: u64 = 65_535;

/// A whole number of packets: `"65 packets"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketCount(pub u32);

/// A size of files, as a parameter of a distribution: `"50 packets"`, `"12.5 packets"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets(pub f64);

impl Quantity for PacketCount {
    const WHAT: &'static str = "a whole number of packets";
    const EXAMPLE: &'static str = "65 packets";
}

impl Quantity for Packets {
    const WHAT: &'static str = "a number of packets";
    const EXAMPLE: &'static str = "50 packets";
}

impl FromStr for Packets {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Packets, ParseQuantityError> {
        const RIGHT: &str = "a number of packets such as \"50 packets\"";
        number_first(text, RIGHT)?;
        packets(text)?.map(Packets).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for PacketCount {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<PacketCount, ParseQuantityError> {
        const RIGHT: &str = "a number of packets such as \"65 packets\"";
        number_first(text, RIGHT)?;
        let count = packets(text)?.ok_or_else(|| wrong(text, RIGHT))?;
        whole(text, count).map(PacketCount)
    }
}
