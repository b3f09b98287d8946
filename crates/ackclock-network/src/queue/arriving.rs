//! An arriving packet and the verdict of active queue management on it.

use ackclock_units::Time;

use crate::Ecn;

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) now: Time,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
    /// The buffer has space for it.
    pub(crate) fits: bool,
}

/// The decision on an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Enqueue the packet if the buffer has space.
    Pass,
    /// Mark the packet if its transport is ECN-capable, otherwise drop it.
    MarkOrDrop,
    /// Drop the packet.
    Drop,
}
