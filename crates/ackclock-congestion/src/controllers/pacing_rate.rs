//! The pacing rate of BBR. While no bandwidth is known, it sends the initial window in a round-trip
//! time (`InitPacingRate`; draft-ietf-ccwg-bbr-06, 5.6.2).

use ackclock_units::Duration;

/// The assumed round-trip time for the first rate, while none is known.
const UNKNOWN_RTT_S: f64 = 1e-3;

/// The pacing rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacingRate {
    /// Packets per second.
    pub rate: f64,
    /// True if a round-trip time was known when the rate of the initial window was set.
    is_measured: bool,
}

impl PacingRate {
    /// `gain` times the initial window in a millisecond.
    pub fn new(gain: f64, initial_window: f64) -> PacingRate {
        PacingRate { rate: gain * initial_window / UNKNOWN_RTT_S, is_measured: false }
    }

    /// Sets the rate to `gain` times the initial window in a round-trip time, once one is known.
    pub fn measure(&mut self, gain: f64, initial_window: f64, srtt: Duration) {
        if !self.is_measured && !srtt.is_zero() {
            self.is_measured = true;
            self.rate = gain * (initial_window / srtt.as_secs_f64());
        }
    }
}
