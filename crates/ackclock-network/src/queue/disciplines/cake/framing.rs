//! The bytes that a packet takes on the access link, behind the queue.

/// The framing of the access link, which adds to all packets.
///
/// Exhaustive: tc-cake(8) has these three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkLayer {
    /// No cells and no code words.
    #[default]
    NoAtm,
    /// ATM: cells of 53 bytes, each with 48 of the packet.
    Atm,
    /// PTM: a byte for every 64, or part of 64.
    Ptm,
}

impl LinkLayer {
    pub(super) const NAMES: &[&str] = &["noatm", "atm", "ptm"];
    pub(super) const ALL: [LinkLayer; 3] = [LinkLayer::NoAtm, LinkLayer::Atm, LinkLayer::Ptm];
}

/// The compensation for the overhead of the access link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Framing {
    /// Bytes added to each packet, possibly below zero.
    pub overhead: i32,
    /// The least bytes of a packet with its overhead.
    pub mpu: u32,
    /// The framing, which follows.
    pub link_layer: LinkLayer,
}

impl Framing {
    /// The bytes for which the shaper charges a packet.
    pub(super) fn charged(&self, size: u32) -> u32 {
        let size = size.saturating_add_signed(self.overhead).max(self.mpu);
        match self.link_layer {
            LinkLayer::NoAtm => size,
            LinkLayer::Atm => size.div_ceil(48) * 53,
            LinkLayer::Ptm => size + size.div_ceil(64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charged(overhead: i32, mpu: u32, link_layer: LinkLayer, size: u32) -> u32 {
        Framing { overhead, mpu, link_layer }.charged(size)
    }

    /// tc-cake(8), `pppoe-llcsnap`, 40 bytes: a datagram of 1500 takes 33 cells, and an acknowledgment of 40 takes two, since 80 bytes
    /// do not fit one. A byte more than 48 begins a cell.
    #[test]
    fn atm_takes_whole_cells_of_53_bytes() {
        assert_eq!(charged(40, 0, LinkLayer::Atm, 1500), 33 * 53, "1540 of 1584 bytes");
        assert_eq!(charged(40, 0, LinkLayer::Atm, 40), 2 * 53);
        assert_eq!([8, 9].map(|size| charged(40, 0, LinkLayer::Atm, size)), [53, 106]);
    }

    /// `docsis` is an overhead of 18 and at least 64 bytes, `ethernet` 38 and 84: tc-cake(8).
    #[test]
    fn small_packets_take_the_least_frame() {
        assert_eq!(charged(18, 64, LinkLayer::NoAtm, 40), 64);
        assert_eq!(charged(18, 64, LinkLayer::NoAtm, 1500), 1518);
        assert_eq!(charged(38, 84, LinkLayer::NoAtm, 40), 84);
        assert_eq!(charged(-64, 0, LinkLayer::NoAtm, 40), 0);
    }

    /// 64 bytes become 65, and a byte more begins the next code word.
    #[test]
    fn ptm_adds_a_byte_to_each_64() {
        assert_eq!([64, 65, 128].map(|size| charged(0, 0, LinkLayer::Ptm, size)), [65, 67, 130]);
        assert_eq!(charged(30, 0, LinkLayer::Ptm, 1500), 1530 + 24);
    }
}
