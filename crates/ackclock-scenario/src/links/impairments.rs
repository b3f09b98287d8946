//! `impairments` of a link: `["jitter(uniform=5)", { reordering = { probability = 0.01, delay = "10 ms" } }]`.

use std::fmt;
use std::sync::LazyLock;

use ackclock_catalogue::{Entry, Part};
use ackclock_network as network;
use serde::de::{Deserialize, DeserializeSeed as _, Deserializer};

use crate::read::part::Choice;

/// An impairment with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Impairment(Part);

impl Impairment {
    /// The catalogue entry of the impairment.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry()
    }

    /// The impairment in the form that networks take.
    pub(crate) fn part(&self) -> Part {
        self.0.clone()
    }
}

impl fmt::Display for Impairment {
    /// Writes only values that differ from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Impairment {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Impairment, D::Error> {
        IMPAIRMENTS.deserialize(from).map(Impairment)
    }
}

static IMPAIRMENTS: LazyLock<Choice> = LazyLock::new(|| {
    let example = "an impairment such as \"jitter(uniform=5)\" or { jitter = { uniform = \"5 ms\" } }";
    Choice::new(network::IMPAIRMENTS, "impairment", "element of the list", example)
});
