//! Several paths of different delays: equal-cost multipath by flow, or spraying by packet.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "spraying",
    title: "sends packets over several paths of different delays; each path keeps the order of its own",
    source: "RFC 2992 (equal-cost multipath); Dixit et al. 2013 (packet spraying)",
    parameters: &[
        Parameter::new("paths", Unit::Count, 2.0, (2.0, 1000.0), "the number of paths"),
        Parameter::required(
            "spread",
            Unit::Milliseconds,
            (0.0, 1e6),
            "how much longer the slowest path takes than the fastest; the others lie evenly between them",
        ),
        Parameter::switch(
            "per_flow",
            false,
            "1: a flow keeps to one path, at random; 0: each packet takes a path at random",
        ),
    ],
    ..Entry::PLAIN
};

/// The state: the extra delay and the last arrival of each path, and the random stream.
#[derive(Clone, Debug)]
pub(crate) struct Spraying {
    paths: Vec<(Duration, Time)>,
    per_flow: bool,
    /// Decides the paths of flows.
    key: u64,
    stream: RandomStream,
}

impl Spraying {
    pub(super) fn new(values: &Values, mut stream: RandomStream) -> Spraying {
        let count = values.get("paths") as u32;
        let spread = values.duration("spread");
        let delay = |path| spread.mul_f64(f64::from(path) / f64::from(count - 1));
        let paths = (0..count).map(|path| (delay(path), Time::ZERO)).collect();
        Spraying { paths, per_flow: values.is_on("per_flow"), key: stream.bits(), stream }
    }

    pub(super) fn act(&mut self, transit: &mut Transit) {
        let count = self.paths.len() as u32;
        let path = if self.per_flow {
            RandomStream::new(self.key, &format!("flow {}", transit.flow)).below(count)
        } else {
            self.stream.below(count)
        };
        let (delay, last) = &mut self.paths[path as usize];
        *last = (transit.arrival + *delay).max(*last);
        transit.arrival = *last;
        transit.displaced = true;
    }
}
