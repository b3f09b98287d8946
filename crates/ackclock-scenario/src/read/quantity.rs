//! Quantities in scenario files: texts with units, read through the types of `ackclock-units`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use ackclock_units::{Bytes, Duration, LinkRate, ParseQuantityError, Rate, split_quantity};
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A value written as a text, such as `"2 Mbit/s"`.
pub trait Quantity: FromStr<Err = ParseQuantityError> {
    /// The kind of quantity, after "expected".
    const WHAT: &'static str;
    /// A text that would be right.
    const EXAMPLE: &'static str;
}

impl Quantity for Rate {
    const WHAT: &'static str = "a rate";
    const EXAMPLE: &'static str = "2 Mbit/s";
}

impl Quantity for LinkRate {
    const WHAT: &'static str = "a rate";
    const EXAMPLE: &'static str = "2 Mbit/s";
}

impl Quantity for Duration {
    const WHAT: &'static str = "a duration";
    const EXAMPLE: &'static str = "20 ms";
}

impl Quantity for Bytes {
    const WHAT: &'static str = "a size";
    const EXAMPLE: &'static str = "1000 bytes";
}

/// The most bytes of a quantity's text. No useful number has more digits, and messages repeat the
/// text.
const LONGEST: usize = 400;

/// Visits the text of a quantity.
pub(crate) struct QuantityVisitor<T>(pub PhantomData<T>);

impl<T: Quantity> QuantityVisitor<T> {
    fn unitless<E: de::Error>(number: impl fmt::Display) -> E {
        E::custom(format_args!(
            "found {number}, a number without a unit; write {} as a text with its unit, such as {:?}",
            T::WHAT,
            T::EXAMPLE
        ))
    }
}

impl<T: Quantity> Visitor<'_> for QuantityVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} such as {:?}", T::WHAT, T::EXAMPLE)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        if text.len() > LONGEST {
            return Err(E::invalid_value(de::Unexpected::Str(text), &self));
        }
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        Err(Self::unitless(number))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        Err(Self::unitless(number))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        Err(Self::unitless(number))
    }
}

/// Reads a quantity from its text.
pub(crate) fn read<'de, T: Quantity, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_any(QuantityVisitor(PhantomData))
}

/// A quantity within another value.
struct Wrapped<T>(T);

impl<'de, T: Quantity> Deserialize<'de> for Wrapped<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from).map(Wrapped)
    }
}

/// Reads a quantity that may be left out.
pub(crate) fn read_option<'de, T: Quantity, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Wrapped<T>>::deserialize(from)?.map(|wrapped| wrapped.0))
}

/// Reads a list of quantities.
pub(crate) fn read_list<'de, T: Quantity, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Wrapped<T>>::deserialize(from)?.into_iter().map(|wrapped| wrapped.0).collect())
}

/// An error that names a `right` text.
pub(crate) fn wrong(text: &str, right: &str) -> ParseQuantityError {
    ParseQuantityError::new(format!("found {text:?}; expected {right}"))
}

/// The number before "packets", if that is the unit.
pub(crate) fn packets(text: &str) -> Result<Option<f64>, ParseQuantityError> {
    match split_quantity(text)? {
        (count, "packets" | "packet") if count < 0.0 => {
            Err(ParseQuantityError::new(format!("found {text:?}; a number of packets cannot be negative")))
        }
        (count, "packets" | "packet") => Ok(Some(count)),
        _ => Ok(None),
    }
}

/// A whole number of packets that fits 32 bits.
pub(crate) fn whole(text: &str, count: f64) -> Result<u32, ParseQuantityError> {
    if count.fract() != 0.0 {
        return Err(ParseQuantityError::new(format!("found {text:?}; a number of packets is whole here")));
    }
    if count > f64::from(u32::MAX) {
        return Err(ParseQuantityError::new(format!(
            "found {text:?}; at most {} packets are possible",
            u32::MAX
        )));
    }
    Ok(count as u32)
}

/// `error`, but expecting `right` if the text does not even begin with a number.
pub(crate) fn number_first(text: &str, right: &str) -> Result<(), ParseQuantityError> {
    split_quantity(text).map(|_| ()).map_err(|_| wrong(text, right))
}
