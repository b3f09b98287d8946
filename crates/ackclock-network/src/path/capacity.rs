//! The capacity of a transmitter: the work that it can have done, as a function of time.

use ackclock_units::{LinkRate, Time};

use super::config::PathConfig;
use super::opportunities::Opportunities;
use super::profile::{Points, Profile};
use super::rate::RateIntegral;
use crate::RandomStream;

/// The work that a transmitter can have done since the start. It grows with the rate, or by the bytes of an
/// opportunity at once. Times of queries do not decrease.
///
/// A packet occupies a span of work. The span begins where the previous packet's ends, or, at an idle transmitter,
/// with the work that could have been done at the packet's arrival. The packet departs when the work at the end of
/// its span can have been done.
#[derive(Clone, Debug)]
pub(super) enum Capacity {
    /// A rate that varies.
    Rate {
        integral: Box<RateIntegral>,
        /// True if the rate is in packets: all packets take the same time.
        in_packets: bool,
    },
    /// Delivery opportunities, whose work is in bytes.
    Opportunities(Opportunities),
}

/// Work of a bit, in the unit of [`RateIntegral`].
const BIT: u128 = 2_000_000_000;
/// Thousandths in a packet: the unit of rates in packets.
pub(super) const PACKET: f64 = 1000.0;

impl Capacity {
    pub(super) fn new(path: &PathConfig, link: LinkRate, stream: &dyn Fn(&str) -> RandomStream) -> Capacity {
        if let Some(opportunities) = &path.opportunities {
            return Capacity::Opportunities(opportunities.clone());
        }
        let rate = path.rate.clone().unwrap_or_else(|| constant(whole(link)));
        let up = path.up.as_ref().map(|up| up.cursor(stream("outage")));
        let integral = Box::new(RateIntegral::new(rate.cursor(stream("rate")), up, path.until));
        Capacity::Rate { integral, in_packets: matches!(link, LinkRate::Packets(_)) }
    }

    /// The work of a packet, above zero even for a packet of no bytes, so that it departs after its arrival.
    pub(super) fn work_of(&self, size: u32) -> u128 {
        let size = size.max(1);
        match self {
            Capacity::Rate { in_packets: true, .. } => PACKET as u128 * BIT,
            Capacity::Rate { .. } => u128::from(size) * 8 * BIT,
            Capacity::Opportunities(trace) => u128::from(size + trace.header),
        }
    }

    /// The bits in `work`; none if the rate is in packets.
    pub(super) fn bits(&self, work: u128) -> Option<f64> {
        match self {
            Capacity::Rate { in_packets: true, .. } => None,
            Capacity::Rate { .. } => Some(work as f64 / BIT as f64),
            Capacity::Opportunities(trace) => Some(trace.bits_of_packets(work as f64)),
        }
    }

    /// The work that can have been done by `time`, an opportunity at that instant included.
    pub(super) fn by(&mut self, time: Time) -> u128 {
        match self {
            Capacity::Rate { integral, .. } => integral.at(time),
            Capacity::Opportunities(trace) => trace.bytes_by(time),
        }
    }

    /// The work that can have been done before a packet is pulled at `time`; for opportunities, the work of
    /// one.
    pub(super) fn before_pull(&mut self, time: Time) -> u128 {
        match self {
            Capacity::Rate { integral, .. } => integral.at(time),
            Capacity::Opportunities(trace) => match time.as_nanos().checked_sub(1) {
                Some(before) => trace.bytes_by(Time::from_nanos(before)),
                None => 0,
            },
        }
    }

    /// The first instant at which `work` can have been done.
    pub(super) fn first_with(&mut self, work: u128) -> Time {
        match self {
            Capacity::Rate { integral, .. } => integral.first_with(work),
            Capacity::Opportunities(trace) => trace.time_of_last(work),
        }
    }

    /// The instant at which the transmitter takes a packet whose span begins at `work`, if it falls idle at `free`.
    pub(super) fn takes_at(&self, work: u128, free: Time) -> Time {
        match self {
            Capacity::Rate { .. } => free,
            Capacity::Opportunities(trace) => trace.time_of_next(work),
        }
    }

    /// True if a packet that arrives at an idle transmitter is taken at once.
    pub(super) fn takes_at_once(&self) -> bool {
        matches!(self, Capacity::Rate { .. })
    }
}

/// A rate as a whole number of its unit.
fn whole(rate: LinkRate) -> u64 {
    match rate {
        LinkRate::Bits(rate) => rate.bits_per_second(),
        LinkRate::Packets(rate) => (rate.0 * PACKET).round() as u64,
    }
}

fn constant(value: u64) -> Profile {
    Profile::Points(Points {
        points: [(ackclock_units::Duration::ZERO, value)].into(),
        linear: false,
        every: None,
    })
}
