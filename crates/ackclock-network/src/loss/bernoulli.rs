//! Independent losses.

use ackclock_catalogue::{Entry, Parameter, Unit};

use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "loss",
    name: "bernoulli",
    title: "loses each packet with the same probability, independently of all others",
    source: "common practice",
    parameters: &[PROBABILITY],
    ..Entry::PLAIN
};

const PROBABILITY: Parameter =
    Parameter::required("probability", Unit::Number, (0.0, 1.0), "the probability that a packet is lost");

/// The state: the probability and its random stream.
#[derive(Clone, Debug)]
pub(crate) struct Bernoulli {
    pub probability: f64,
    pub stream: RandomStream,
}

impl Bernoulli {
    /// Decides whether the next packet transmitted is lost.
    pub fn loses(&mut self) -> bool {
        self.stream.bernoulli(self.probability)
    }
}
