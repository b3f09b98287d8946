//! Shaping by a token bucket: packets that exceed the rate wait in the queue.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use super::token_bucket::TokenBucket;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "shaper",
    title: "lets packets wait in the queue until there are tokens for them; then the link's own rate applies",
    source: "RFC 2475, 2.3.3.3; Linux tc-tbf(8)",
    parameters: &[
        Parameter::required("rate", Unit::BitsPerSecond, (1.0, 1e12), "the rate at which tokens are added"),
        Parameter::required(
            "burst",
            Unit::Bytes,
            (1.0, 1e12),
            "the size of the bucket, which is full at first; a larger packet waits for a full bucket",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: its bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shaper(TokenBucket);

impl Shaper {
    pub(super) fn new(values: &Values, _: RandomStream) -> Shaper {
        Shaper(TokenBucket::new(values.get("rate") as u64, values.get("burst") as u64))
    }

    /// The first instant from `now` on at which the transmission of the packet may begin.
    pub(crate) fn passes_at(&self, now: Time, size: u32) -> Time {
        self.0.first_with(now, size)
    }

    /// Takes the tokens of a packet whose transmission begins.
    pub(crate) fn take(&mut self, now: Time, size: u32) {
        self.0.take(now, size);
    }
}
