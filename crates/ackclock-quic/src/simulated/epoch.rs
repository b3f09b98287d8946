//! Simulated time for stacks that use `std::time::Instant`.

use std::sync::OnceLock;
use std::time::Instant;

use ackclock_units::Time;

/// The instant that stands for simulated time zero. Only a clock can make an instant. Any instant will do, since stacks
/// compute with differences.
#[expect(clippy::disallowed_methods, reason = "there is no other instant to count from")]
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

/// The instant of a simulated time.
pub(super) fn instant(time: Time) -> Instant {
    epoch() + std::time::Duration::from_nanos(time.as_nanos())
}

/// The simulated time of an instant.
pub(super) fn time(instant: Instant) -> Time {
    Time::from_nanos(instant.saturating_duration_since(epoch()).as_nanos() as u64)
}
