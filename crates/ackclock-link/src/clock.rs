//! The host's clock.

use std::time::Instant;

use ackclock_units::Time;

/// Time since the link came up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "an emulated link runs by the host's clock, which is read here alone"
    )]
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    pub fn now(self) -> Time {
        Time::from_nanos(self.0.elapsed().as_nanos() as u64)
    }
}
