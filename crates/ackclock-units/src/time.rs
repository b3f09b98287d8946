//! Instants and spans of time.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::str::FromStr;

use crate::parse::{ParseQuantityError, Scale, parse_scaled};

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in nanoseconds; never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// The latest instant: "never".
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The span from `earlier` to this instant, zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// The empty span.
    pub const ZERO: Duration = Duration(0);
    /// The longest span: "for ever".
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of whole nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos)
    }

    /// A span of whole microseconds.
    #[inline]
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000)
    }

    /// A span of whole milliseconds.
    #[inline]
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000)
    }

    /// A span of whole seconds.
    #[inline]
    pub const fn from_secs(secs: u64) -> Duration {
        Duration(secs * 1_000_000_000)
    }

    /// The span of this many seconds, to the nearest nanosecond; zero for negative numbers and NaN.
    #[inline]
    pub fn from_secs_f64(secs: f64) -> Duration {
        Duration(nearest(secs * 1e9))
    }

    /// Whole nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True for the empty span.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference, zero if `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The product, [`Duration::MAX`] if it does not fit.
    #[inline]
    pub const fn saturating_mul(self, factor: u64) -> Duration {
        Duration(self.0.saturating_mul(factor))
    }

    /// The product with a real factor, to the nearest nanosecond.
    #[inline]
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration(nearest(self.0 as f64 * factor))
    }

    /// The absolute difference of two spans.
    #[inline]
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }

    /// The smallest multiple of `granularity` not below this span (clock granularity). Saturates at [`Duration::MAX`], so
    /// that "never" stays never.
    #[inline]
    pub fn round_up_to(self, granularity: Duration) -> Duration {
        let Duration(tick @ 1..) = granularity else { return self };
        Duration(self.0.checked_next_multiple_of(tick).unwrap_or(u64::MAX))
    }
}

/// The nearest whole number, halves rounded up; zero for negative numbers and NaN. On processors without an instruction
/// for it, this avoids a library call.
#[inline]
fn nearest(real: f64) -> u64 {
    let below = real as u64;
    below.saturating_add(u64::from(real - below as f64 >= 0.5))
}

impl Add<Duration> for Time {
    type Output = Time;
    /// Saturates at [`Time::MAX`], so that "never" stays never.
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Duration;
    /// Panics on overflow in debug builds, as integers do; see [`Duration::saturating_sub`].
    #[inline]
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0 - other.0)
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, factor: u64) -> Duration {
        Duration(self.0 * factor)
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl Div for Duration {
    type Output = f64;
    /// The ratio of two spans.
    #[inline]
    fn div(self, other: Duration) -> f64 {
        self.0 as f64 / other.0 as f64
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_secs_f64())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (divisor, unit) = match self.0 {
            0 => (1e9, "s"),
            n if n < 1_000 => (1.0, "ns"),
            n if n < 1_000_000 => (1e3, "us"),
            n if n < 1_000_000_000 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        write!(f, "{} {unit}", self.0 as f64 / divisor)
    }
}

const TIME_UNITS: &[Scale] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];

impl FromStr for Duration {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Duration, ParseQuantityError> {
        parse_scaled(text, "duration", TIME_UNITS, "35 ms").map(|nanos| Duration(nanos.round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_read_with_its_unit() {
        assert_eq!("35 ms".parse(), Ok(Duration::from_millis(35)));
        assert_eq!("1.5s".parse(), Ok(Duration::from_millis(1500)));
        assert_eq!("0 s".parse(), Ok(Duration::ZERO));
        assert_eq!("2 min".parse(), Ok(Duration::from_secs(120)));
    }

    #[test]
    fn a_wrong_unit_names_the_right_ones() {
        let error = "35 mss".parse::<Duration>().unwrap_err().to_string();
        assert!(error.contains("mss") && error.contains("ms") && error.contains("ns, us"), "{error}");
        assert!("-3 ms".parse::<Duration>().is_err());
        assert!("3".parse::<Duration>().is_err());
        assert!("nan s".parse::<Duration>().is_err());
    }

    #[test]
    fn a_real_number_of_seconds_is_rounded_to_the_nearest_nanosecond() {
        for (secs, nanos) in
            [(0.4e-9, 0), (0.5e-9, 1), (2.5e-9, 3), (-1.0, 0), (f64::NAN, 0), (1.0, 1_000_000_000)]
        {
            assert_eq!(Duration::from_secs_f64(secs), Duration::from_nanos(nanos), "{secs} s");
        }
        for forever in [1e30, f64::INFINITY] {
            assert_eq!(Duration::from_secs_f64(forever), Duration::MAX);
        }
        // Above 2^52 a real number has no fraction; 2^53 + 2 is one.
        assert_eq!(
            Duration::from_nanos(9_007_199_254_740_994).mul_f64(1.0).as_nanos(),
            9_007_199_254_740_994
        );
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Time::MAX + Duration::from_secs(1), Time::MAX);
        assert_eq!(Time::ZERO.since(Time::MAX), Duration::ZERO);
    }

    #[test]
    fn a_clock_that_ticks_rounds_up() {
        let tick = Duration::from_millis(100);
        assert_eq!(Duration::from_millis(101).round_up_to(tick), Duration::from_millis(200));
        assert_eq!(Duration::from_millis(200).round_up_to(tick), Duration::from_millis(200));
        assert_eq!(Duration::from_millis(7).round_up_to(Duration::ZERO), Duration::from_millis(7));
        assert_eq!(Duration::MAX.round_up_to(tick), Duration::MAX, "never stays never");
    }
}
