//! Duplication: some packets arrive twice.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "duplication",
    title: "delivers some packets twice; the copy comes directly behind, and uses no capacity of this link",
    source: "RFC 5560 (a one-way packet duplication metric)",
    parameters: &[Parameter::required(
        "probability",
        Unit::Number,
        (0.0, 1.0),
        "the probability that a packet is duplicated",
    )],
    ..Entry::PLAIN
};

/// The state: the probability and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Duplication {
    probability: f64,
    stream: RandomStream,
}

impl Duplication {
    pub(super) fn new(values: &Values, stream: RandomStream) -> Duplication {
        Duplication { probability: values.get("probability"), stream }
    }

    pub(super) fn act(&mut self, transit: &mut Transit) {
        transit.copies += u32::from(self.stream.bernoulli(self.probability));
    }
}
