//! Quantities in scenario files: texts with units, read through the types of `ackclock-units`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use ackclock_units::{Bytes, Duration, LinkRate, ParseQuantityError, Rate, split_quantity};
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A value written as a text, such as `"2 Mbit/s"`.
pub trait Quantity: FromStr<Err = ParseQuantityError> {
    /// What it is, after "expected".
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

impl Quantity for Buffer {
    const WHAT: &'static str = "a buffer size";
    const EXAMPLE: &'static str = "10 packets";
}

impl Quantity for Packets {
    const WHAT: &'static str = "a number of packets";
    const EXAMPLE: &'static str = "50 packets";
}

impl Quantity for PacketCount {
    const WHAT: &'static str = "a whole number of packets";
    const EXAMPLE: &'static str = "65 packets";
}

impl Quantity for InitialWindow {
    const WHAT: &'static str = "an initial window";
    const EXAMPLE: &'static str = "10 packets";
}

impl Quantity for Threshold {
    const WHAT: &'static str = "a threshold";
    const EXAMPLE: &'static str = "64 packets";
}

impl Quantity for ReceiveWindow {
    const WHAT: &'static str = "a receive window";
    const EXAMPLE: &'static str = "64 kB";
}

/// Bytes of a quantity's text: no number worth writing has more digits, and messages repeat the text.
const LONGEST: usize = 400;

struct QuantityVisitor<T>(PhantomData<T>);

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
    from.deserialize_str(QuantityVisitor(PhantomData))
}

/// A quantity inside something else.
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

/// How much a queue may hold.
///
/// Sizes count what waits, not the packet in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Buffer {
    /// No limit: `"unlimited"`.
    #[default]
    Unlimited,
    /// Waiting packets: `"10 packets"`.
    Packets(u32),
    /// Waiting bytes: `"64 kB"`.
    Bytes(Bytes),
    /// A fraction of the bandwidth-delay product, 0.2 for `"20% bdp"`: the link's rate times the mean base
    /// round-trip time of the flows that cross it (where the rate is in packets, their round-trip propagation
    /// delay, and a part of a packet is cut off).
    BdpFraction(f64),
}

/// A whole number of packets: `"65 packets"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketCount(pub u32);

/// A size of files, as a parameter of a distribution: `"50 packets"`, `"12.5 packets"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets(pub f64);

/// The congestion window a TCP connection begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitialWindow {
    /// So many packets: `"10 packets"`.
    Packets(f64),
    /// `"rfc3390"`: min(4 MSS, max(2 MSS, 4380 bytes)).
    Rfc3390,
    /// `"rfc6928"`: min(10 MSS, max(2 MSS, 14600 bytes)).
    Rfc6928,
}

impl InitialWindow {
    /// The window in packets of `mss` bytes of payload.
    pub fn packets(self, mss: Bytes) -> f64 {
        let mss = mss.get();
        let within = |most: u64, bytes: u64| (most * mss).min(bytes.max(2 * mss)) as f64 / mss as f64;
        match self {
            InitialWindow::Packets(packets) => packets,
            InitialWindow::Rfc3390 => within(4, 4380).floor(),
            InitialWindow::Rfc6928 => within(10, 14_600).floor(),
        }
    }
}

/// The slow-start threshold a TCP connection begins with, in packets; infinite for `"unlimited"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold(pub f64);

/// The window a TCP receiver advertises.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReceiveWindow {
    /// Never what holds the sender back: `"unlimited"`.
    Unlimited,
    /// So many segments of the sender's payload size: `"20 packets"`.
    Packets(u32),
    /// So many bytes: `"64 KiB"`.
    Bytes(Bytes),
}

impl ReceiveWindow {
    /// The window in bytes, given the sender's payload size; none where it is unlimited.
    pub fn bytes(self, mss: Bytes) -> Option<Bytes> {
        match self {
            ReceiveWindow::Unlimited => None,
            ReceiveWindow::Packets(packets) => Some(mss * u64::from(packets)),
            ReceiveWindow::Bytes(bytes) => Some(bytes),
        }
    }
}

fn wrong(text: &str, right: &str) -> ParseQuantityError {
    ParseQuantityError::new(format!("found {text:?}; expected {right}"))
}

/// The number before "packets", where that is the unit.
fn packets(text: &str) -> Result<Option<f64>, ParseQuantityError> {
    match split_quantity(text)? {
        (count, "packets" | "packet") if count < 0.0 => {
            Err(ParseQuantityError::new(format!("found {text:?}; a number of packets cannot be negative")))
        }
        (count, "packets" | "packet") => Ok(Some(count)),
        _ => Ok(None),
    }
}

/// A whole number of packets that fits 32 bits.
fn whole(text: &str, count: f64) -> Result<u32, ParseQuantityError> {
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

/// `error` with `right` in place of what it expected, where the text does not even begin with a number.
fn number_first(text: &str, right: &str) -> Result<(), ParseQuantityError> {
    split_quantity(text).map(|_| ()).map_err(|_| wrong(text, right))
}

impl FromStr for Buffer {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Buffer, ParseQuantityError> {
        const RIGHT: &str = "a size such as \"10 packets\", \"64 kB\", \"20% bdp\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(Buffer::Unlimited);
        }
        number_first(text, RIGHT)?;
        if let Some(count) = packets(text)? {
            return whole(text, count).map(Buffer::Packets);
        }
        let (value, unit) = split_quantity(text)?;
        let unit: String = unit.split_whitespace().collect();
        let fraction = match unit.as_str() {
            "%bdp" => value / 100.0,
            "bdp" => value,
            _ => return text.parse().map(Buffer::Bytes).map_err(|_| wrong(text, RIGHT)),
        };
        if fraction < 0.0 { Err(wrong(text, RIGHT)) } else { Ok(Buffer::BdpFraction(fraction)) }
    }
}

impl FromStr for Packets {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Packets, ParseQuantityError> {
        const RIGHT: &str = "a number of packets such as \"50 packets\"";
        number_first(text, RIGHT)?;
        packets(text)?.map(Packets).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for PacketCount {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<PacketCount, ParseQuantityError> {
        const RIGHT: &str = "a number of packets such as \"65 packets\"";
        number_first(text, RIGHT)?;
        let count = packets(text)?.ok_or_else(|| wrong(text, RIGHT))?;
        whole(text, count).map(PacketCount)
    }
}

impl FromStr for InitialWindow {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<InitialWindow, ParseQuantityError> {
        const RIGHT: &str = "a window such as \"10 packets\", \"rfc3390\" or \"rfc6928\"";
        match text.trim() {
            "rfc3390" => return Ok(InitialWindow::Rfc3390),
            "rfc6928" => return Ok(InitialWindow::Rfc6928),
            _ => number_first(text, RIGHT)?,
        }
        packets(text)?.map(InitialWindow::Packets).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for Threshold {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Threshold, ParseQuantityError> {
        const RIGHT: &str = "a threshold such as \"64 packets\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(Threshold(f64::INFINITY));
        }
        number_first(text, RIGHT)?;
        packets(text)?.map(Threshold).ok_or_else(|| wrong(text, RIGHT))
    }
}

impl FromStr for ReceiveWindow {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<ReceiveWindow, ParseQuantityError> {
        const RIGHT: &str = "a window such as \"64 kB\", \"20 packets\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(ReceiveWindow::Unlimited);
        }
        number_first(text, RIGHT)?;
        if let Some(count) = packets(text)? {
            return whole(text, count).map(ReceiveWindow::Packets);
        }
        text.parse().map(ReceiveWindow::Bytes).map_err(|_| wrong(text, RIGHT))
    }
}
