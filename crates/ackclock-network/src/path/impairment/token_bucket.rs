//! The token bucket of policers and shapers.

use ackclock_units::{Duration, Time};

/// Tokens in bits, times 1e9: the number that a rate in bits per second adds per nanosecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    rate: u64,
    depth: i128,
    level: i128,
    at: Time,
}

const BYTE: i128 = 8_000_000_000;

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn new(rate: u64, burst: u64) -> TokenBucket {
        let depth = i128::from(burst) * BYTE;
        TokenBucket { rate, depth, level: depth, at: Time::ZERO }
    }

    fn level(&self, now: Time) -> i128 {
        let added = i128::from(self.rate) * i128::from(now.since(self.at).as_nanos());
        (self.level + added).min(self.depth)
    }

    /// True if there are tokens for `size` bytes.
    pub(crate) fn has(&self, now: Time, size: u32) -> bool {
        self.level(now) >= i128::from(size) * BYTE
    }

    /// The first instant from `now` on at which there are tokens for `size` bytes, or, if the
    /// bucket holds less, at which it is full.
    pub(crate) fn first_with(&self, now: Time, size: u32) -> Time {
        let missing = (i128::from(size) * BYTE).min(self.depth) - self.level(now);
        if missing <= 0 {
            return now;
        }
        let nanos = (missing as u128).div_ceil(u128::from(self.rate.max(1)));
        now + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Takes tokens for `size` bytes; the level may fall below zero.
    pub(crate) fn take(&mut self, now: Time, size: u32) {
        self.level = self.level(now) - i128::from(size) * BYTE;
        self.at = now;
    }
}
