//! The host's clock.

use std::time::Instant;

use ackclock_units::Time;

/// Time since a connection's beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "real sockets go by the host's clock, which is read here alone"
    )]
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    pub fn now(self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
