//! The queue discipline of a link: `"sfq"`, `"sfq(buckets=5)"` or `{ sfq = { buckets = 5 } }`.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use ackclock_catalogue::{Entry, Part};
use ackclock_network as network;
use serde::de::{Deserialize, DeserializeSeed as _, Deserializer};

use super::read::part::Choice;

/// A queue discipline with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue(Part);

impl Queue {
    /// The catalogue entry of the discipline.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry()
    }

    /// The discipline as networks have it.
    pub(crate) fn discipline(&self) -> network::Queue {
        network::Queue::from(&self.0)
    }

    /// Whether it is first in, first out, and decides about a packet on its arrival.
    pub(super) fn decides_on_arrival(&self) -> bool {
        use network::Queue::{DropTail, Pie, Red};
        matches!(self.discipline(), DropTail | Red(_) | Pie(_))
    }

    /// Whether it is drop-tail, for which everything else is made as well.
    pub fn is_drop_tail(&self) -> bool {
        self.discipline() == network::Queue::DropTail
    }
}

impl Default for Queue {
    fn default() -> Queue {
        Queue(Part::of(&network::QUEUES[0]))
    }
}

impl fmt::Display for Queue {
    /// Only what differs from the defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Queue {
    type Err = String;

    fn from_str(text: &str) -> Result<Queue, String> {
        QUEUES.parse(text).map(Queue)
    }
}

impl<'de> Deserialize<'de> for Queue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Queue, D::Error> {
        QUEUES.deserialize(from).map(Queue)
    }
}

static QUEUES: LazyLock<Choice> = LazyLock::new(|| {
    let example = "a queue such as \"sfq\", \"sfq(buckets=5)\" or { sfq = { buckets = 5 } }";
    Choice::new(network::QUEUES, "queue", "link", example)
});
