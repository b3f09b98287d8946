//! Pacing: segments depart at the rate that the controller has chosen, not in bursts.

use ackclock_units::{Duration, PacketRate, Time};

use super::once_time::OnceTime;

/// The schedule of departures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pacer {
    /// The rate in packets per second; NaN if segments are not paced.
    rate: f64,
    /// The interval from one departure to the next at that rate.
    interval: Duration,
    /// The departure from which the next is scheduled.
    latest: OnceTime,
    /// The departure of the segment held back; [`Time::MAX`] while none is.
    departure: Time,
}

impl Pacer {
    /// No pacing yet.
    pub fn new() -> Pacer {
        Pacer { rate: f64::NAN, interval: Duration::ZERO, latest: OnceTime::NEVER, departure: Time::MAX }
    }

    #[inline]
    pub fn set_rate(&mut self, rate: Option<PacketRate>) {
        let new = rate.map_or(f64::NAN, |rate| rate.0);
        if new.to_bits() != self.rate.to_bits() {
            self.rate = new;
            self.interval = rate.map_or(Duration::ZERO, PacketRate::interval);
        }
    }

    /// True if the next segment is held back; then the pacer's deadline is its departure. The interval counts
    /// from the last scheduled departure, or from `from` if given. The rate may have changed since, so the
    /// departure is computed only here.
    #[inline]
    pub fn holds_back(&mut self, now: Time, from: Option<Time>) -> bool {
        let Some(from) = from.or(self.latest.get()).filter(|_| self.is_pacing()) else { return false };
        let departure = from + self.interval;
        let waits = now < departure;
        if waits {
            self.departure = departure;
        }
        waits
    }

    /// True if there is a rate.
    #[inline]
    pub fn is_pacing(&self) -> bool {
        !self.rate.is_nan()
    }

    /// Notes that a segment departs under a rate. A retransmission that did not wait does not change the
    /// schedule of later segments.
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        let departure = self.latest.get().map_or(now, |latest| latest + self.interval);
        self.latest = OnceTime::from(now.max(departure));
    }

    /// Notes that no segment is held back any more.
    #[inline]
    pub fn clear(&mut self) {
        self.departure = Time::MAX;
    }

    /// The departure of the segment held back; [`Time::MAX`] while none is.
    #[inline]
    pub fn deadline(&self) -> Time {
        self.departure
    }
}
