//! Policing by a token bucket: packets that exceed the rate are dropped on arrival.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Time;

use super::token_bucket::TokenBucket;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "policer",
    title: "drops packets on arrival that find no tokens: traffic above the rate, beyond the burst",
    source: "RFC 2475, 2.3.3.4; Flach et al. 2016 (policing on the Internet)",
    parameters: &[
        Parameter::required("rate", Unit::BitsPerSecond, (1.0, 1e12), "the rate at which tokens are added"),
        Parameter::required(
            "burst",
            Unit::Bytes,
            (1.0, 1e12),
            "the size of the bucket, which is full at first",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: its bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policer(TokenBucket);

impl Policer {
    pub(super) fn new(values: &Values, _: RandomStream) -> Policer {
        Policer(TokenBucket::new(values.get("rate") as u64, values.get("burst") as u64))
    }

    /// True if the packet passes.
    pub(crate) fn conforms(&mut self, now: Time, size: u32) -> bool {
        let conforms = self.0.has(now, size);
        if conforms {
            self.0.take(now, size);
        }
        conforms
    }
}
