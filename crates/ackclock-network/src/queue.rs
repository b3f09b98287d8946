use ackclock_units::Bytes;

/// How much may wait in front of a link direction.
///
/// The limit counts what waits, not the packet being transmitted: a limit of 7 packets holds 7 beside the one on the
/// wire, and with a limit of nothing a packet still passes an idle link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueLimit {
    /// Everything may wait.
    #[default]
    Unlimited,
    /// So many packets, whatever their size.
    Packets(u32),
    /// So many bytes; a packet that does not fit whole is dropped.
    Bytes(Bytes),
}

/// What waits in front of a link direction, without the packet being transmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets waiting.
    pub packets: u32,
    /// Their bytes on the wire.
    pub bytes: Bytes,
}

/// The rule by which a link direction takes packets in.
///
/// All rules so far decide when a packet is offered and serve in order of arrival, so that a packet's departure is
/// known at once and needs no event. A rule that decides when the transmitter falls idle would be a further case,
/// with a service event of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Discipline {
    DropTail(QueueLimit),
}

impl Discipline {
    /// Whether a packet of `size` bytes that finds the transmitter busy, and `waiting` before it, may wait too.
    #[inline]
    pub(crate) fn admits(&self, size: u32, waiting: Occupancy) -> bool {
        match *self {
            Discipline::DropTail(QueueLimit::Unlimited) => true,
            Discipline::DropTail(QueueLimit::Packets(limit)) => waiting.packets < limit,
            Discipline::DropTail(QueueLimit::Bytes(limit)) => {
                waiting.bytes.get() + u64::from(size) <= limit.get()
            }
        }
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
        let queue = Discipline::DropTail(QueueLimit::Packets(2));
        assert!(queue.admits(9000, waiting(1, 9000)));
        assert!(!queue.admits(40, waiting(2, 80)));
        assert!(!Discipline::DropTail(QueueLimit::Packets(0)).admits(40, waiting(0, 0)));
    }

    #[test]
    fn bytes_are_filled_to_the_last() {
        let queue = Discipline::DropTail(QueueLimit::Bytes(Bytes::new(3000)));
        assert!(queue.admits(1500, waiting(1, 1500)));
        assert!(!queue.admits(1500, waiting(1, 1501)));
        assert!(queue.admits(40, waiting(60, 2400)), "sixty small packets are no reason");
    }
}
