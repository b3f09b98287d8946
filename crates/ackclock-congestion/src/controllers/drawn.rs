//! Numbers that look random, for controllers, which own no random stream.

use ackclock_units::Duration;

/// 64 bits that a seed and the time since the first acknowledgment give: the output function of `SplitMix64` (Steele, Lea and Flood,
/// OOPSLA 2014). Flows that meet different queues draw different bits, and a run repeats at any time of day.
pub(crate) fn drawn_bits(seed: u64, age: Duration) -> u64 {
    let state = age.as_nanos().wrapping_add(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let once = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

/// The number from 0 to 1, 1 excluded, that these bits are.
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
