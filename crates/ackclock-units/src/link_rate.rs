//! The rate of a link, in bits or in packets.

use std::fmt;
use std::str::FromStr;

use crate::parse::{ParseQuantityError, split_quantity};
use crate::{Bytes, Duration, PacketRate, Rate};

/// The rate of a link's transmitter.
///
/// Exhaustive: a rate counts bits or packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkRate {
    /// In bits per second: the transmission time is proportional to the size of a packet.
    Bits(Rate),
    /// In packets per second: the transmission time is the same for packets of all sizes.
    Packets(PacketRate),
}

impl LinkRate {
    /// The transmission time of a packet of `size`, to the nearest nanosecond; [`Duration::MAX`] for a rate of zero.
    #[inline]
    pub fn transmission_time(self, size: Bytes) -> Duration {
        match self {
            LinkRate::Bits(rate) => rate.transmission_time(size),
            LinkRate::Packets(rate) => rate.interval(),
        }
    }

    /// True if the rate is above zero and, in packets, at most 10^9 per second: a packet takes at least a nanosecond.
    pub fn is_possible(self) -> bool {
        match self {
            LinkRate::Bits(rate) => rate.bits_per_second() > 0,
            LinkRate::Packets(PacketRate(rate)) => rate > 0.0 && rate <= 1e9,
        }
    }

    /// Bits per second; none for a rate in packets.
    pub fn bits_per_second(self) -> Option<u64> {
        match self {
            LinkRate::Bits(rate) => Some(rate.bits_per_second()),
            LinkRate::Packets(_) => None,
        }
    }
}

impl From<Rate> for LinkRate {
    fn from(rate: Rate) -> LinkRate {
        LinkRate::Bits(rate)
    }
}

impl From<PacketRate> for LinkRate {
    fn from(rate: PacketRate) -> LinkRate {
        LinkRate::Packets(rate)
    }
}

impl fmt::Display for LinkRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkRate::Bits(rate) => rate.fmt(f),
            LinkRate::Packets(PacketRate(rate)) if *rate < 1e3 => write!(f, "{rate} packets/s"),
            LinkRate::Packets(PacketRate(rate)) => write!(f, "{} packets/ms", rate / 1e3),
        }
    }
}

impl FromStr for LinkRate {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<LinkRate, ParseQuantityError> {
        let (value, unit) = split_quantity(text)?;
        let scale = match unit {
            "packets/ms" | "packet/ms" => 1e3,
            "packets/s" | "packet/s" => 1.0,
            _ => return text.parse().map(LinkRate::Bits),
        };
        if value < 0.0 {
            return Err(ParseQuantityError::new(format!("found {text:?}; a rate cannot be negative")));
        }
        Ok(LinkRate::Packets(PacketRate(value * scale)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_in_packets_does_not_look_at_their_size() {
        let rate: LinkRate = "21 packets/ms".parse().unwrap();
        let times = [1, 40, 1500, 9000].map(|size| rate.transmission_time(Bytes::new(size)));
        assert_eq!(times, [Duration::from_nanos(47_619); 4], "a 21st of a millisecond");
        assert_eq!("500 packets/s".parse(), Ok(LinkRate::Packets(PacketRate(500.0))));
        assert_eq!(rate.to_string(), "21 packets/ms");
        assert_eq!("500 packets/s".parse::<LinkRate>().unwrap().to_string(), "500 packets/s");
    }

    #[test]
    fn a_rate_in_bits_is_read_as_ever() {
        let rate: LinkRate = "1.5 Mbit/s".parse().unwrap();
        assert_eq!(rate.bits_per_second(), Some(1_500_000));
        assert_eq!(rate.transmission_time(Bytes::new(1500)), Duration::from_millis(8));
        assert!("2 MB".parse::<LinkRate>().is_err());
        assert!("-1 packets/ms".parse::<LinkRate>().is_err());
    }

    #[test]
    fn some_rates_are_impossible() {
        for text in ["0 bit/s", "0 packets/s", "2e6 packets/ms"] {
            assert!(!text.parse::<LinkRate>().unwrap().is_possible(), "{text}");
        }
        assert!("1e6 packets/ms".parse::<LinkRate>().unwrap().is_possible());
    }
}
