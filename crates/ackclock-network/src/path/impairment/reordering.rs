//! Reordering: some packets arrive late, and others overtake them.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "reordering",
    title: "displaces packets at random: by a time, or until this many packets behind them have arrived",
    source: "RFC 4737 (reordering by time and by position); RFC 5236 (displacement)",
    parameters: &[
        Parameter::required(
            "probability",
            Unit::Number,
            (0.0, 1.0),
            "the probability that a packet is displaced",
        ),
        Parameter::new(
            "delay",
            Unit::Milliseconds,
            10.0,
            (0.0, 1e6),
            "the time by which it is late; with packets, the longest that it waits for them",
        ),
        Parameter::new(
            "packets",
            Unit::Count,
            0.0,
            (0.0, 1e6),
            "the packets behind it that arrive before it; 0 where the time alone counts",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: the parameters, and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Reordering {
    probability: f64,
    delay: Duration,
    packets: u32,
    stream: RandomStream,
}

impl Reordering {
    pub(super) fn new(values: &Values, stream: RandomStream) -> Reordering {
        Reordering {
            probability: values.get("probability"),
            delay: values.duration("delay"),
            packets: values.get("packets") as u32,
            stream,
        }
    }

    pub(super) fn act(&mut self, transit: &mut Transit) {
        if self.stream.bernoulli(self.probability) {
            transit.displaced = true;
            transit.arrival += self.delay;
            transit.behind = self.packets;
        }
    }
}
