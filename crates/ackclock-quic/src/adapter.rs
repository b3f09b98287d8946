//! Controllers for QUIC stacks, each around one of the registry.

use std::time::Instant;

use ackclock_units::Time;

use crate::watch::Watch;

/// A connection's controller in the form that its stack holds.
#[derive(Debug)]
struct Adapter {
    /// The controller's time zero.
    epoch: Instant,
    watch: Watch,
}

impl Adapter {
    /// The controller's time. A packet may have been sent before the stack made its controller; it counts as
    /// sent at time zero.
    fn at(&self, instant: Instant) -> Time {
        Time::from_nanos(1 + instant.saturating_duration_since(self.epoch).as_nanos() as u64)
    }

    /// A controller in the same state, which then evolves independently, for example for another path of the
    /// connection.
    fn copy(&self) -> Adapter {
        Adapter { epoch: self.epoch, watch: Watch::new(self.watch.ledger().clone()) }
    }
}

/// Implements a stack's trait of controllers. The methods in which the stacks' traits differ are arguments.
macro_rules! controller {
    ($($own:tt)*) => {
        impl Controller for Adapter {
            $($own)*

            fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _: Option<u64>) {
                self.watch.ledger().on_end_acks(self.at(now), in_flight, app_limited);
            }

            fn on_mtu_update(&mut self, new_mtu: u16) {
                self.watch.ledger().on_mtu_update(new_mtu);
            }

            fn window(&self) -> u64 {
                self.watch.ledger().window()
            }

            fn clone_box(&self) -> Box<dyn Controller> {
                Box::new(self.copy())
            }

            fn initial_window(&self) -> u64 {
                self.window()
            }

            fn into_any(self: Box<Self>) -> Box<dyn Any> {
                self
            }
        }

        impl ControllerFactory for Factory {
            fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
                Box::new(Adapter { epoch: now, watch: self.make(current_mtu) })
            }
        }
    };
}

#[cfg(feature = "noq")]
mod noq;
#[cfg(feature = "quinn")]
mod quinn;
