//! Retransmission by the link: hybrid ARQ, and Wi-Fi's retries.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "retransmission",
    title: "repeats packets that the link corrupts; those behind wait, so that order is kept and delay comes in bursts",
    source: "RFC 3366 (advice on link ARQ); 3GPP TS 36.321 (hybrid ARQ)",
    parameters: &[
        Parameter::required(
            "probability",
            Unit::Number,
            (0.0, 1.0),
            "the probability that one transmission is corrupted, independently of all others",
        ),
        Parameter::new(
            "after",
            Unit::Milliseconds,
            8.0,
            (0.0, 1e6),
            "the time from one transmission to the next",
        ),
        Parameter::new(
            "attempts",
            Unit::Count,
            4.0,
            (1.0, 100.0),
            "transmissions of a packet, the first included; it is lost if all are corrupted",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: the parameters, and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Retransmission {
    probability: f64,
    after: Duration,
    attempts: u32,
    stream: RandomStream,
}

impl Retransmission {
    pub(super) fn new(values: &Values, stream: RandomStream) -> Retransmission {
        Retransmission {
            probability: values.get("probability"),
            after: values.duration("after"),
            attempts: values.get("attempts") as u32,
            stream,
        }
    }

    /// Repetitions use no capacity here: the rate of the link is its rate after repetitions.
    pub(super) fn act(&mut self, transit: &mut Transit) {
        let corrupted =
            (0..self.attempts).take_while(|_| self.stream.bernoulli(self.probability)).count() as u32;
        transit.lost |= corrupted == self.attempts;
        let repeated = corrupted.min(self.attempts - 1);
        transit.arrival += self.after.saturating_mul(u64::from(repeated));
    }
}
