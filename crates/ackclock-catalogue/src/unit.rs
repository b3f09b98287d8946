use ackclock_units::{Bytes, Duration, Rate, split_quantity};

use crate::known::advice;
use crate::nearest;

/// The unit of a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// A plain number: a factor, a ratio, a probability, an exponent.
    #[default]
    Number,
    /// 0 or 1.
    Switch,
    /// A whole number.
    Count,
    /// One of these names; the value is its place among them.
    Choice(&'static [&'static str]),
    /// Packets; fractions are allowed.
    Packets,
    /// Bytes.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
    /// Round trips.
    RoundTrips,
    /// Packets per second.
    PacketsPerSecond,
    /// Bits per second.
    BitsPerSecond,
}

impl Unit {
    /// The unit as tables show it; empty for a plain number.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Number | Unit::Choice(_) => "",
            Unit::Switch => "0 or 1",
            Unit::Count => "count",
            Unit::Packets => "packets",
            Unit::Bytes => "bytes",
            Unit::Milliseconds => "ms",
            Unit::Seconds => "s",
            Unit::RoundTrips => "round trips",
            Unit::PacketsPerSecond => "packets/s",
            Unit::BitsPerSecond => "bit/s",
        }
    }

    /// True if a value may be written with the unit, as in `5 ms`.
    pub fn has_symbol(self) -> bool {
        matches!(self, Unit::Packets | Unit::Bytes | Unit::Milliseconds | Unit::Seconds | Unit::BitsPerSecond)
    }

    /// An example of a text for a parameter of this unit.
    pub fn example(self) -> &'static str {
        match self {
            Unit::Number => "0.1",
            Unit::Switch => "1",
            Unit::Choice(names) => names.first().copied().unwrap_or_default(),
            Unit::Count | Unit::RoundTrips | Unit::PacketsPerSecond => "10",
            Unit::Packets => "5 packets",
            Unit::Bytes => "1500 bytes",
            Unit::Milliseconds => "5 ms",
            Unit::Seconds => "10 s",
            Unit::BitsPerSecond => "2 Mbit/s",
        }
    }

    /// The names of a choice; none for a number.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Unit::Choice(names) => names,
            _ => &[],
        }
    }

    /// Reads a quantity such as `5 ms`, or a plain number if the unit has no symbol.
    ///
    /// # Errors
    /// When the text is no quantity of this unit; the error states what would be right.
    pub fn read(self, text: &str) -> Result<f64, String> {
        let wrong = || format!("found {text:?}; expected a value such as {:?}", self.example());
        let seconds =
            || text.parse::<Duration>().map(Duration::as_secs_f64).map_err(|error| error.to_string());
        match self {
            Unit::Milliseconds => seconds().map(|seconds| seconds * 1e3),
            Unit::Seconds => seconds(),
            Unit::Bytes => {
                text.parse::<Bytes>().map(|bytes| bytes.get() as f64).map_err(|error| error.to_string())
            }
            Unit::BitsPerSecond => {
                let rate = text.parse::<Rate>().map_err(|error| error.to_string())?;
                Ok(rate.bits_per_second() as f64)
            }
            Unit::Packets => match split_quantity(text) {
                Ok((count, "packet" | "packets")) => Ok(count),
                _ => Err(wrong()),
            },
            Unit::Choice(names) => {
                let place = names.iter().position(|name| *name == text);
                place.map(|place| place as f64).ok_or_else(|| {
                    let advice = advice(nearest(text, names.iter().copied()), names.iter().copied());
                    format!("found {text:?}, which is none of its names{advice}")
                })
            }
            Unit::Number | Unit::Switch | Unit::Count | Unit::RoundTrips | Unit::PacketsPerSecond => {
                text.parse().map_err(|_| wrong())
            }
        }
    }
}
