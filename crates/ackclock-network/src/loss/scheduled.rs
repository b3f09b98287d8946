//! Losses whose probability is a function of time.

use ackclock_catalogue::{Entry, Key};
use ackclock_units::Time;

use crate::RandomStream;
use crate::path::profile::{Cursor, Profile};

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "loss",
    name: "schedule",
    title: "loses each packet with a probability that changes over time",
    source: "common practice",
    table: "loss.schedule",
    keys: &[
        Key::optional("steps", "[[\"0 s\", 0.0], [\"5 s\", 0.01]]", "the probability from each time on"),
        Key::optional(
            "ramps",
            "[[\"0 s\", 0.0], [\"5 s\", 0.01]]",
            "the probability at each time, linear between them",
        ),
        Key::optional(
            "markov",
            "{ states = [0.0, 0.1], dwell = [\"5 s\", \"500 ms\"] }",
            "a random probability: its states, and how long it stays in each on average",
        ),
        Key::optional("every", "\"10 s\"", "the period after which steps or ramps begin again"),
    ],
    ..Entry::PLAIN
};

/// The unit of probabilities in a [`Profile`]: a certain loss.
pub const CERTAIN: f64 = 1e12;

/// The state: the probability, and its random stream.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    probability: Cursor,
    stream: RandomStream,
}

impl Scheduled {
    pub fn new(profile: &Profile, mut stream: RandomStream) -> Scheduled {
        let states = RandomStream::new(stream.bits(), "states");
        Scheduled { probability: profile.cursor(states), stream }
    }

    /// Decides whether a packet that the link takes at `time` is lost. Times do not decrease.
    #[inline(never)]
    pub fn loses(&mut self, time: Time) -> bool {
        self.stream.bernoulli(self.probability.value_at(time) as f64 / CERTAIN)
    }
}
