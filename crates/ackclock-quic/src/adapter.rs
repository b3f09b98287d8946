//! The controllers of QUIC stacks, around one of the registry.

#[cfg(feature = "noq")]
mod noq;
#[cfg(feature = "quinn")]
mod quinn;

use std::time::Instant;

use ackclock_units::Time;

use crate::watch::Watch;

/// A connection's controller, as its stack holds it.
#[derive(Debug)]
struct Adapter {
    /// The controller's time zero.
    epoch: Instant,
    watch: Watch,
}

impl Adapter {
    /// The controller's time. A packet may have been sent before the stack made its controller: it is taken as the first.
    fn at(&self, instant: Instant) -> Time {
        Time::from_nanos(1 + instant.saturating_duration_since(self.epoch).as_nanos() as u64)
    }

    /// A controller in the same state, which goes on by itself, as for another path of the connection.
    fn copy(&self) -> Adapter {
        Adapter { epoch: self.epoch, watch: Watch::new(self.watch.ledger().clone()) }
    }
}
