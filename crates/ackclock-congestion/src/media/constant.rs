//! A constant rate, whatever the network does.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::control::{MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart};

pub(crate) const ENTRY: Entry = Entry {
    kind: "media",
    name: "constant",
    title: "a constant rate, whatever the network does",
    source: "common practice",
    parameters: &[Parameter::required(
        "rate",
        Unit::BitsPerSecond,
        (1000.0, 1e10),
        "the rate on the wire; the encoder keeps it within its own limits",
    )],
    ..Entry::PLAIN
};

/// Packets leave at this multiple of the rate, so that frames above the mean do not pile up.
const PACING: f64 = 2.0;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &MediaStart) -> ConstantMedia {
    ConstantMedia { rate: values.get("rate").clamp(start.min_rate, start.max_rate) }
}

/// A sender of media that does not react.
#[derive(Clone, Debug)]
pub struct ConstantMedia {
    rate: f64,
}

impl MediaControl for ConstantMedia {
    fn feedback_interval(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn on_report(&mut self, _: &MediaReport<'_>) -> MediaDecision {
        self.decision()
    }

    fn on_frame(&mut self, _: &MediaFrame) -> MediaDecision {
        self.decision()
    }

    fn decision(&self) -> MediaDecision {
        MediaDecision { target: self.rate, pacing: PACING * self.rate, window: f64::INFINITY }
    }

    fn observe(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}
