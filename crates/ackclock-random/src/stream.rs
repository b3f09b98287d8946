//! Named streams of random numbers.

use std::hash::Hasher;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use siphasher::sip128::{Hasher128, SipHasher};

/// A named stream of random numbers.
///
/// The run's seed and the name alone determine its numbers, so adding a stream changes no other, and two runs that differ
/// in an algorithm share their traffic. SipHash-2-4 (128 bits, twice under different keys) hashes name and seed into the
/// state of xoshiro256++ (Blackman and Vigna, 2021).
#[derive(Clone, Debug)]
pub struct RandomStream {
    generator: Xoshiro256PlusPlus,
}

impl RandomStream {
    /// The stream of this name in the run with this seed.
    pub fn new(seed: u64, name: &str) -> RandomStream {
        let mut state = [0; 32];
        for (half, bytes) in state.chunks_exact_mut(16).enumerate() {
            let mut hasher = SipHasher::new_with_keys(seed, half as u64);
            hasher.write(name.as_bytes());
            bytes.copy_from_slice(&hasher.finish128().as_u128().to_le_bytes());
        }
        RandomStream { generator: Xoshiro256PlusPlus::from_seed(state) }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Uniform over [0, 1), on a grid of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponentially distributed with this mean, by inversion; zero or more, and at most 37 means.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // libm's logarithm, not the platform's: the same last bit everywhere.
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Uniform over 0 to `count - 1` (to one part in 2^21 for a count of 2^32).
    pub fn below(&mut self, count: u32) -> u32 {
        (self.uniform() * f64::from(count)) as u32
    }

    /// Distributed so that every ratio of values is equally likely from `from` to `to`, both above zero.
    pub fn log_uniform(&mut self, from: f64, to: f64) -> f64 {
        from * libm::pow(to / from, self.uniform())
    }

    /// Pareto distributed, by inversion: `P(X > x) = (scale / x)^shape` from `scale` on.
    pub fn pareto(&mut self, scale: f64, shape: f64) -> f64 {
        scale * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Weibull distributed, by inversion: `P(X > x) = exp(-(x / scale)^shape)`.
    pub fn weibull(&mut self, scale: f64, shape: f64) -> f64 {
        scale * libm::pow(self.exponential(1.0), 1.0 / shape)
    }

    /// Log-normally distributed: `median exp(sigma Z)` with a standard normal Z (Box and Muller 1958, one of the two).
    pub fn lognormal(&mut self, median: f64, sigma: f64) -> f64 {
        let radius = (2.0 * self.exponential(1.0)).sqrt();
        let angle = std::f64::consts::TAU * self.uniform();
        median * libm::exp(sigma * radius * libm::cos(angle))
    }

    /// True with this probability. Draws one number for any probability, so that streams stay in step.
    #[inline]
    pub fn bernoulli(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }
}
