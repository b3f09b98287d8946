//! `buffer` of a link: the limit of its queue.

use std::fmt;
use std::str::FromStr;

use ackclock_network::BufferSize;
use ackclock_units::{Bytes, Duration, LinkRate, PacketRate, ParseQuantityError, split_quantity};

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::LONGEST_DELAY;
use crate::read::quantity::{Quantity, number_first, packets, whole, wrong};

/// The limit of a queue.
///
/// Sizes count waiting packets, not the packet in transmission.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Buffer {
    /// No limit: `"unlimited"`.
    #[default]
    Unlimited,
    /// Waiting packets: `"10 packets"`.
    Packets(u32),
    /// Waiting bytes: `"64 kB"`.
    Bytes(Bytes),
    /// A fraction of the bandwidth-delay product, 0.2 for `"20% bdp"`: the link's rate times the mean base
    /// round-trip time of the flows that cross it (for a rate in packets, times their round-trip propagation
    /// delay, rounded down to whole packets).
    BdpFraction(f64),
    /// Waiting packets and bytes, `"10 packets, 64 kB"`: the limit that is reached first counts.
    PacketsAndBytes(u32, Bytes),
    /// The bytes that the link transmits in this time at its mean rate, `"100 ms"`, or the packets if its rate is in
    /// packets.
    Time(Duration),
}

impl Quantity for Buffer {
    const WHAT: &'static str = "a buffer size";
    const EXAMPLE: &'static str = "10 packets";
}

impl Buffer {
    /// The limit for people: whole kilobytes as such.
    pub(crate) fn in_words(self) -> String {
        match self {
            Buffer::Bytes(bytes) if bytes >= Bytes::new(10_000) && bytes.get() % 1000 == 0 => {
                format!("{} kB", bytes.get() / 1000)
            }
            _ => self.to_string(),
        }
    }

    /// Refuses a fraction so large that "no limit" was probably meant.
    pub(crate) fn check(self, at: &Key) -> Checked {
        match self {
            Buffer::Time(time) => at.at_most(time, LONGEST_DELAY),
            Buffer::BdpFraction(fraction) if fraction > 1e6 => {
                let found = format!("{fraction} bdp");
                let message = format!("found {found}; write \"unlimited\" for a buffer without a limit");
                Err(at.wrong(found, message))
            }
            _ => Ok(()),
        }
    }

    /// The limit in the network, for a link of this mean rate. A fraction of the bandwidth-delay product sets none yet, since
    /// it depends on routes.
    pub(crate) fn size(self, rate: LinkRate) -> BufferSize {
        match self {
            Buffer::Time(time) => match rate {
                LinkRate::Bits(rate) => BufferSize::Bytes(Bytes::new(rate.bytes_in(time).round() as u64)),
                // As for the bandwidth-delay product: rounded down, after a product's last bit.
                LinkRate::Packets(PacketRate(rate)) => {
                    BufferSize::Packets((rate * time.as_secs_f64() + 1e-6) as u32)
                }
            },
            Buffer::Unlimited | Buffer::BdpFraction(_) => BufferSize::Unlimited,
            Buffer::Packets(packets) => BufferSize::Packets(packets),
            Buffer::Bytes(bytes) => BufferSize::Bytes(bytes),
            Buffer::PacketsAndBytes(packets, bytes) => BufferSize::PacketsAndBytes(packets, bytes),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Unlimited => f.write_str("unlimited"),
            Buffer::Packets(packets) => write!(f, "{packets} packets"),
            Buffer::Bytes(bytes) => bytes.fmt(f),
            Buffer::PacketsAndBytes(packets, bytes) => write!(f, "{packets} packets, {bytes}"),
            Buffer::BdpFraction(fraction) => write!(f, "{}% bdp", fraction * 100.0),
            Buffer::Time(time) => time.fmt(f),
        }
    }
}

impl FromStr for Buffer {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Buffer, ParseQuantityError> {
        const RIGHT: &str = "a size such as \"10 packets\", \"64 kB\", \"10 packets, 64 kB\", \"100 ms\", \"20% bdp\" or \"unlimited\"";
        if text.trim() == "unlimited" {
            return Ok(Buffer::Unlimited);
        }
        if let Some((first, second)) = text.split_once(',') {
            return match (first.parse()?, second.parse()?) {
                (Buffer::Packets(packets), Buffer::Bytes(bytes))
                | (Buffer::Bytes(bytes), Buffer::Packets(packets)) => {
                    Ok(Buffer::PacketsAndBytes(packets, bytes))
                }
                _ => Err(wrong(text, "packets and bytes, such as \"10 packets, 64 kB\"")),
            };
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
            _ => {
                let time = || text.parse().map(Buffer::Time);
                return text.parse().map(Buffer::Bytes).or_else(|_| time()).map_err(|_| wrong(text, RIGHT));
            }
        };
        if fraction < 0.0 { Err(wrong(text, RIGHT)) } else { Ok(Buffer::BdpFraction(fraction)) }
    }
}
