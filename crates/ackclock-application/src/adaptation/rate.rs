//! Adaptation by the measured rate.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::rule::{Adaptation, Choice, Manifest, Moment, harmonic_mean};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "rate",
    title: "the highest rate within the harmonic mean of the latest downloads",
    source: "Yin et al. 2015, 7.1.2 (RB); Jiang et al. 2012 (harmonic mean)",
    parameters: &[
        Parameter::new("samples", Unit::Count, 5.0, (1.0, 1000.0), "downloads in the mean"),
        Parameter::new("share", Unit::Number, 1.0, (0.01, 10.0), "share of the mean that a film may have"),
    ],
    ..Entry::PLAIN
};

/// The highest quality whose mean rate is within a share of the harmonic mean; the first segment has the lowest quality.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByRate {
    samples: usize,
    share: f64,
}

pub(super) fn make(values: &Values) -> ByRate {
    ByRate { samples: values.get("samples") as usize, share: values.get("share") }
}

impl Adaptation for ByRate {
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice {
        let rate = harmonic_mean(at.downloads, self.samples).unwrap_or(0.0);
        Choice::now(film.quality_within(self.share * rate))
    }
}
