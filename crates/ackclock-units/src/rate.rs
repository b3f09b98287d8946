//! Rates in bits and in packets per second.

use std::fmt;
use std::str::FromStr;

use crate::parse::{ParseQuantityError, Scale, parse_scaled};
use crate::{Bytes, Duration};

/// A transmission rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A rate in packets per second, for pacing and for links that serve packets of all sizes in the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct PacketRate(pub f64);

impl Rate {
    /// `bits` bits per second.
    pub const fn from_bits_per_second(bits: u64) -> Rate {
        Rate(bits)
    }

    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// The transmission time of `size` at this rate, to the nearest nanosecond; [`Duration::MAX`] for a rate of zero.
    pub fn transmission_time(self, size: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        // 8e9 times a packet fits 64 bits; only sizes above 2 GB need the wide product.
        let nanos = match size.get().checked_mul(8_000_000_000) {
            Some(scaled) => (scaled + self.0 / 2) / self.0,
            None => (u128::from(size.get()) * 8_000_000_000 / u128::from(self.0)) as u64,
        };
        Duration::from_nanos(nanos)
    }

    /// The bytes transmitted in `span`, as a real number (a bandwidth-delay product).
    pub fn bytes_in(self, span: Duration) -> f64 {
        self.0 as f64 * span.as_secs_f64() / 8.0
    }
}

impl PacketRate {
    /// The time from one packet to the next; [`Duration::MAX`] for a rate of zero or below.
    pub fn interval(self) -> Duration {
        if self.0 > 0.0 { Duration::from_secs_f64(1.0 / self.0) } else { Duration::MAX }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (divisor, unit) = match self.0 {
            n if n < 1_000 => (1.0, "bit/s"),
            n if n < 1_000_000 => (1e3, "kbit/s"),
            n if n < 1_000_000_000 => (1e6, "Mbit/s"),
            _ => (1e9, "Gbit/s"),
        };
        write!(f, "{} {unit}", self.0 as f64 / divisor)
    }
}

const RATE_UNITS: &[Scale] = &[
    ("bit/s", 1.0),
    ("kbit/s", 1e3),
    ("Mbit/s", 1e6),
    ("Gbit/s", 1e9),
    ("bps", 1.0),
    ("kbps", 1e3),
    ("Mbps", 1e6),
    ("Gbps", 1e9),
];

impl FromStr for Rate {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Rate, ParseQuantityError> {
        parse_scaled(text, "rate", RATE_UNITS, "1.5 Mbit/s").map(|bits| Rate(bits.round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_with_its_unit() {
        assert_eq!("1.5 Mbit/s".parse(), Ok(Rate::from_bits_per_second(1_500_000)));
        assert_eq!("2Mbps".parse(), Ok(Rate::from_bits_per_second(2_000_000)));
        assert!("2 MB".parse::<Rate>().is_err());
    }

    #[test]
    fn a_packet_of_1500_bytes_takes_12_us_at_a_gigabit() {
        let gigabit = Rate::from_bits_per_second(1_000_000_000);
        assert_eq!(gigabit.transmission_time(Bytes::new(1500)), Duration::from_micros(12));
        assert_eq!(Rate::from_bits_per_second(0).transmission_time(Bytes::new(1)), Duration::MAX);
        let three = Rate::from_bits_per_second(3_000_000_000);
        assert_eq!(
            three.transmission_time(Bytes::new(1)),
            Duration::from_nanos(3),
            "2.67 ns, to the nearest"
        );
    }
}
