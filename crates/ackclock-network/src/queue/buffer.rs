//! The size of a buffer and its occupancy.

use ackclock_units::Bytes;

/// The size of the buffer in front of a link direction.
///
/// It counts the packets that wait, not the one being transmitted: a buffer of 7 packets holds 7 in
/// addition to the one being transmitted, and a packet passes an idle link even with a buffer of 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BufferSize {
    /// Every packet may wait.
    #[default]
    Unlimited,
    /// A number of packets of any size.
    Packets(u32),
    /// A number of bytes; a packet that does not fit whole is dropped.
    Bytes(Bytes),
    /// A number of packets and a number of bytes; the limit that is reached first counts.
    PacketsAndBytes(u32, Bytes),
}

impl BufferSize {
    /// True if a first-in first-out queue with `waiting` packets admits one of `size` bytes.
    #[inline]
    pub(crate) fn admits(self, size: u32, waiting: Occupancy) -> bool {
        match self {
            BufferSize::Unlimited => true,
            BufferSize::Packets(packets) => waiting.packets < packets,
            BufferSize::Bytes(bytes) => waiting.bytes.get() + u64::from(size) <= bytes.get(),
            BufferSize::PacketsAndBytes(packets, bytes) => {
                waiting.packets < packets && waiting.bytes.get() + u64::from(size) <= bytes.get()
            }
        }
    }

    /// True if `waiting` exceeds the buffer.
    pub(crate) fn is_exceeded(self, waiting: Occupancy) -> bool {
        match self {
            BufferSize::Unlimited => false,
            BufferSize::Packets(packets) => waiting.packets > packets,
            BufferSize::Bytes(bytes) => waiting.bytes > bytes,
            BufferSize::PacketsAndBytes(packets, bytes) => waiting.packets > packets || waiting.bytes > bytes,
        }
    }
}

/// The packets that wait in front of a link direction, without the one being transmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets waiting.
    pub packets: u32,
    /// Their bytes on the wire.
    pub bytes: Bytes,
}

impl Occupancy {
    /// This occupancy with another packet of `size` bytes.
    pub(crate) fn with(self, size: u32) -> Occupancy {
        Occupancy { packets: self.packets + 1, bytes: self.bytes + Bytes::new(u64::from(size)) }
    }

    /// This occupancy without one of its packets, of `size` bytes.
    pub(crate) fn without(self, size: u32) -> Occupancy {
        Occupancy { packets: self.packets - 1, bytes: self.bytes - Bytes::new(u64::from(size)) }
    }

    /// The sum of two occupancies.
    pub(crate) fn and(self, other: Occupancy) -> Occupancy {
        Occupancy { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(packets: u32, bytes: u64) -> Occupancy {
        Occupancy { packets, bytes: Bytes::new(bytes) }
    }

    #[test]
    fn packets_are_counted_whatever_their_size() {
        let queue = BufferSize::Packets(2);
        assert!(queue.admits(9000, waiting(1, 9000)));
        assert!(!queue.admits(40, waiting(2, 80)));
        assert!(!BufferSize::Packets(0).admits(40, waiting(0, 0)));
    }

    #[test]
    fn bytes_are_filled_to_the_last() {
        let queue = BufferSize::Bytes(Bytes::new(3000));
        assert!(queue.admits(1500, waiting(1, 1500)));
        assert!(!queue.admits(1500, waiting(1, 1501)));
        assert!(queue.admits(40, waiting(60, 2400)), "sixty small packets are no reason");
    }

    /// Three packets or 3000 bytes: two large packets fill the bytes, three small ones the packets.
    #[test]
    fn of_two_limits_the_one_that_is_reached_first_counts() {
        let queue = BufferSize::PacketsAndBytes(3, Bytes::new(3000));
        assert!(queue.admits(1500, waiting(1, 1500)));
        assert!(!queue.admits(40, waiting(2, 3000)), "a place is left, but no byte");
        assert!(!queue.admits(40, waiting(3, 120)), "bytes are left, but no place");
        assert!(!queue.is_exceeded(waiting(3, 3000)));
        assert!(queue.is_exceeded(waiting(4, 160)));
        assert!(queue.is_exceeded(waiting(2, 3001)));
    }
}
