//! Arrivals in bursts: aggregated frames of Wi-Fi, grants of DOCSIS, sleeping radios. This compresses
//! acknowledgments.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::transit::Transit;
use crate::RandomStream;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "impairment",
    name: "aggregation",
    title: "releases packets together at multiples of a period, which compresses acknowledgments",
    source: "Zhang, Shenker and Clark 1991 (ACK compression); common practice",
    parameters: &[
        Parameter::required(
            "period",
            Unit::Milliseconds,
            (1e-3, 1e6),
            "the time from one release to the next",
        ),
        Parameter::new("phase", Unit::Milliseconds, 0.0, (0.0, 1e6), "the time of the first release"),
    ],
    ..Entry::PLAIN
};

/// The state: the parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregation {
    period: Duration,
    phase: Duration,
}

impl Aggregation {
    pub(super) fn new(values: &Values, _: RandomStream) -> Aggregation {
        Aggregation { period: values.duration("period"), phase: values.duration("phase") }
    }

    pub(super) fn act(&mut self, transit: &mut Transit) {
        let first = Time::ZERO + self.phase;
        let periods = transit.arrival.since(first).as_nanos().div_ceil(self.period.as_nanos());
        transit.arrival = first + self.period.saturating_mul(periods);
    }
}
