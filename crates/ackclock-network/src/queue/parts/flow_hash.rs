//! A hash of flows to queues.

use ackclock_units::{Duration, Time};

use crate::RandomStream;

/// A salted hash of flows to buckets; the salt is replaced periodically.
#[derive(Clone, Debug)]
pub(crate) struct FlowHash {
    salt: u64,
    next_change: Time,
    perturbation: Option<Duration>,
    random: RandomStream,
}

impl FlowHash {
    pub(crate) fn new(perturbation: Option<Duration>, mut random: RandomStream) -> FlowHash {
        let next_change = perturbation.map_or(Time::MAX, |period| Time::ZERO + period);
        FlowHash { salt: random.bits(), next_change, perturbation, random }
    }

    /// The bucket of a flow among `count`.
    pub(crate) fn bucket(&self, flow: u32, count: u32) -> usize {
        ((u128::from(self.of(u64::from(flow))) * u128::from(count)) >> 64) as usize
    }

    /// The hash of a number.
    pub(crate) fn of(&self, number: u64) -> u64 {
        mixed(self.salt.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Replaces the hash if its period is over. Returns true if it did.
    pub(crate) fn is_changed(&mut self, now: Time) -> bool {
        let Some(period) = self.perturbation.filter(|_| now >= self.next_change) else { return false };
        self.salt = self.random.bits();
        let late = now.since(self.next_change).as_nanos() / period.as_nanos();
        self.next_change += period.saturating_mul(late + 1);
        true
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea and Flood 2014): every bit of a number affects every
/// bit of the result.
pub(crate) fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
