//! The lateness of deliveries: the time from the instant at which a packet was due to the instant
//! at which it was written.

use ackclock_units::Duration;
use hdrhistogram::Histogram;

/// Lateness in nanoseconds, to two digits, up to a minute.
#[derive(Clone, Debug)]
pub struct Lateness(Histogram<u64>);

const MOST: u64 = 60_000_000_000;

impl Default for Lateness {
    fn default() -> Lateness {
        Lateness(Histogram::new_with_bounds(1, MOST, 2).expect("bounds that are apart"))
    }
}

impl Lateness {
    /// Counts a packet.
    pub fn record(&mut self, lateness: Duration) {
        self.0.saturating_record(lateness.as_nanos().max(1));
    }

    /// The number of packets.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The lateness that this part of the packets does not exceed; zero if there are none.
    pub fn quantile(&self, part: f64) -> Duration {
        if self.0.is_empty() { Duration::ZERO } else { Duration::from_nanos(self.0.value_at_quantile(part)) }
    }

    /// The largest lateness.
    pub fn most(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }

    /// Forgets all packets.
    pub fn clear(&mut self) {
        self.0.reset();
    }
}
