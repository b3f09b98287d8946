//! Random delays that keep the order of packets.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "jitter",
    title: "delays each packet at random; a packet waits for those before it, so that order is kept",
    source: "common practice; RFC 3393 defines the variation of delay",
    parameters: &[
        Parameter::new(
            "uniform",
            Unit::Milliseconds,
            0.0,
            (0.0, 1e6),
            "the largest value of a uniformly distributed delay",
        ),
        Parameter::new(
            "exponential",
            Unit::Milliseconds,
            0.0,
            (0.0, 1e6),
            "the mean of an exponentially distributed delay, which is added to it",
        ),
    ],
    check: Some(|values| match values.get("uniform") + values.get("exponential") {
        sum if sum > 0.0 => Ok(()),
        _ => Err("one of uniform and exponential is above zero".to_owned()),
    }),
    ..Entry::PLAIN
};

/// The state: the parameters in seconds, and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    uniform: f64,
    exponential: f64,
    stream: RandomStream,
}

impl Jitter {
    pub(super) fn new(values: &Values, stream: RandomStream) -> Jitter {
        let seconds = |name| values.duration(name).as_secs_f64();
        Jitter { uniform: seconds("uniform"), exponential: seconds("exponential"), stream }
    }

    pub(super) fn act(&mut self, transit: &mut Transit) {
        let delay = self.uniform * self.stream.uniform() + self.stream.exponential(self.exponential);
        transit.arrival += Duration::from_secs_f64(delay);
    }
}
