//! The receive rates that bound the sending rate (`X_recv_set`; RFC 5348, 4.3).

use ackclock_units::{Duration, Time};

/// Receive rates in bytes per second, with the times of their reports. It starts with an infinite one, so that the
/// first reports do not bound the rate.
#[derive(Clone, Debug)]
pub(super) struct ReceiveRates(Vec<(Time, f64)>);

impl ReceiveRates {
    pub fn new(now: Time) -> ReceiveRates {
        ReceiveRates(vec![(now, f64::INFINITY)])
    }

    pub fn max(&self) -> f64 {
        self.0.iter().fold(0.0, |max, (_, rate)| f64::max(max, *rate))
    }

    /// Adds a report, and forgets reports older than two round-trip times (`Update X_recv_set`).
    pub fn update(&mut self, now: Time, rate: f64, rtt: Duration) {
        self.0.push((now, rate));
        self.0.retain(|(at, _)| now.since(*at) <= rtt * 2);
    }

    /// Keeps only the largest rate, which may be the new one, with the present time (`Maximize
    /// X_recv_set`).
    pub fn maximise(&mut self, now: Time, rate: f64) {
        let finite = self.0.iter().map(|(_, known)| *known).filter(|known| known.is_finite());
        *self = ReceiveRates(vec![(now, finite.fold(rate, f64::max))]);
    }

    pub fn halve(&mut self) {
        for (_, rate) in &mut self.0 {
            *rate /= 2.0;
        }
    }

    pub fn replace(&mut self, now: Time, rate: f64) {
        *self = ReceiveRates(vec![(now, rate)]);
    }
}
