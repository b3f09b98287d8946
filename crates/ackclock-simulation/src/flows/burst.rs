//! The packets that an endpoint sends in one event.

use ackclock_transport::tcp::walk;

/// An iterator over the packets that an endpoint may send in one event. What is left of a longer burst follows in another
/// event of the same time, so that the work of an event does not depend on the window. A burst is charged to the look as
/// the walk over a window is.
pub(crate) struct Burst {
    left: u32,
}

impl Burst {
    /// More than windows have that are meant: few runs notice that other packets of the same time come in between.
    pub const MOST: u32 = 1 << 14;

    /// So few packets belong to the work of their event.
    const FEW: u32 = 16;

    /// The steps of a walk that take as long as sending a packet.
    const STEPS_PER_PACKET: usize = 32;

    /// A burst of packets that was sent at once.
    pub const fn of(packets: u32) -> Burst {
        Burst { left: Burst::MOST - packets }
    }

    /// As many packets as one event sends.
    pub const fn most() -> Burst {
        Burst { left: Burst::MOST }
    }
}

impl Iterator for Burst {
    type Item = ();

    #[inline]
    fn next(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }
}

impl Drop for Burst {
    #[inline]
    fn drop(&mut self) {
        let sent = Burst::MOST - self.left;
        if sent > Burst::FEW {
            walk(sent as usize * Burst::STEPS_PER_PACKET);
        }
    }
}
