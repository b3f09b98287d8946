//! Active queue management that decides when a packet arrives, so that its departure time is known at once.

use std::fmt;

use ackclock_units::Time;
use dyn_clone::DynClone;

use super::buffer::{BufferSize, Occupancy};
use crate::Ecn;

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arriving {
    pub(crate) now: Time,
    pub(crate) size: u32,
    pub(crate) buffer: BufferSize,
}

impl Arriving {
    /// True if the buffer has space for the packet, or the transmitter is idle at its arrival.
    pub(crate) fn fits(&self, waiting: Occupancy, free_at: Time) -> bool {
        free_at <= self.now || self.buffer.admits(self.size, waiting)
    }
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

impl Verdict {
    /// True if a packet with this codepoint is marked; none if it is dropped.
    #[inline]
    pub(crate) fn marks(self, ecn: Ecn) -> Option<bool> {
        match self {
            Verdict::Pass => Some(false),
            Verdict::MarkOrDrop if ecn != Ecn::NotCapable => Some(true),
            Verdict::MarkOrDrop | Verdict::Drop => None,
        }
    }
}

/// The state of one queue's algorithm.
pub(crate) trait ArrivalAqm: DynClone + fmt::Debug + Send + Sync {
    /// Decides on an arriving packet. `waiting` is the queue before it, and `free_at` the time at which the
    /// transmitter falls idle or fell idle.
    fn on_arrival(&mut self, arriving: &Arriving, waiting: Occupancy, free_at: Time) -> Verdict;
}

dyn_clone::clone_trait_object!(ArrivalAqm);
