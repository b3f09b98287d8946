//! The queue discipline of a link: `"sfq"`, `"sfq(buckets=5)"` or `{ sfq = { buckets = 5 } }`.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use ackclock_catalogue::{Entry, Part, SpecError};
use ackclock_network as network;
use serde::de::{Deserialize, DeserializeSeed as _, Deserializer, Error as _};

use crate::read::part::Choice;

/// A queue discipline with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    part: Part,
    discipline: network::Queue,
}

impl Queue {
    /// The catalogue entry of the discipline.
    pub fn entry(&self) -> &'static Entry {
        self.part.entry()
    }

    /// The discipline in the form that networks take.
    pub fn discipline(&self) -> &network::Queue {
        &self.discipline
    }

    /// True if it is first in, first out, and decides on a packet at its arrival.
    pub(crate) fn decides_on_arrival(&self) -> bool {
        self.discipline.decides_on_arrival()
    }

    /// True if it is drop-tail, which can be combined with all other keys.
    pub fn is_drop_tail(&self) -> bool {
        self.discipline.is_drop_tail()
    }
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { part: Part::of(&network::QUEUES[0]), discipline: network::Queue::default() }
    }
}

impl TryFrom<Part> for Queue {
    type Error = SpecError;

    fn try_from(part: Part) -> Result<Queue, SpecError> {
        Ok(Queue { discipline: network::Queue::try_from(&part)?, part })
    }
}

impl fmt::Display for Queue {
    /// Writes only values that differ from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.part.fmt(f)
    }
}

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Queue, String> {
        Queue::try_from(QUEUES.parse(text)?).map_err(|error| error.to_string())
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Queue, D::Error> {
        Queue::try_from(QUEUES.deserialize(from)?).map_err(D::Error::custom)
    }
}

static QUEUES: LazyLock<Choice> = LazyLock::new(|| {
    let example = "a queue such as \"sfq\", \"sfq(buckets=5)\" or { sfq = { buckets = 5 } }";
    Choice::new(network::QUEUES, "queue", "link", example)
});
