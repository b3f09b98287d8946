//! Robust model predictive control.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::rule::{Adaptation, Choice, Download, Manifest, Moment, harmonic_mean};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "robust-mpc",
    title: "plans the next segments for the most quality of experience at a cautious rate",
    source: "Yin et al. 2015, 4 and 5.2 (RobustMPC)",
    parameters: &[
        Parameter::new("horizon", Unit::Count, 5.0, (1.0, 8.0), "segments in a plan"),
        Parameter::new(
            "samples",
            Unit::Count,
            5.0,
            (1.0, 1000.0),
            "downloads in the harmonic mean, and errors",
        ),
        Parameter::new("switches", Unit::Number, 1.0, (0.0, 1000.0), "price of a change of the rate (λ)"),
        Parameter::new(
            "stalls",
            Unit::Number,
            3000.0,
            (0.0, 1e6),
            "price of a second without film, in kbit/s (μ)",
        ),
    ],
    ..Entry::PLAIN
};

/// `RobustMPC` with the balanced weights of the paper, and the rate as the quality. The beginning of the film is planned as the rest: the
/// player's key says when it plays. Of plans that are equally good the first by their qualities is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct RobustMpc {
    horizon: usize,
    samples: usize,
    switches: f64,
    /// In bit/s per second.
    stalls: f64,
}

pub(super) fn make(values: &Values) -> RobustMpc {
    RobustMpc {
        horizon: values.get("horizon") as usize,
        samples: values.get("samples") as usize,
        switches: values.get("switches"),
        stalls: 1e3 * values.get("stalls"),
    }
}

impl RobustMpc {
    /// The rate that the plan assumes: the harmonic mean, lowered by the largest of the latest errors. An error is that of the harmonic mean
    /// before a download, relative to the download's rate.
    fn rate(&self, downloads: &[Download]) -> Option<f64> {
        let first = downloads.len().saturating_sub(self.samples);
        let error = |number: usize| {
            let rate = downloads[number].rate();
            harmonic_mean(&downloads[..number], self.samples).map_or(0.0, |mean| (mean - rate).abs() / rate)
        };
        let largest = (first..downloads.len()).map(error).fold(0.0, f64::max);
        harmonic_mean(downloads, self.samples).map(|mean| mean / (1.0 + largest))
    }
}

/// The search for the best plan.
struct Search<'a> {
    rule: &'a RobustMpc,
    film: &'a Manifest,
    rate: f64,
    /// The number of the segment after the plan.
    end: usize,
    /// The value of the best plan, and its first quality.
    best: (f64, usize),
}

/// The beginning of a plan.
#[derive(Clone, Copy)]
struct Plan {
    /// The number of its next segment.
    segment: usize,
    /// The buffer in seconds.
    buffer: f64,
    before: Option<usize>,
    value: f64,
    /// Its first quality.
    first: Option<usize>,
}

impl Search<'_> {
    /// Tries all continuations of a plan that may be better than the best.
    fn extend(&mut self, plan: &Plan) {
        if plan.segment == self.end {
            if plan.value > self.best.0 {
                self.best = (plan.value, plan.first.unwrap_or(0));
            }
            return;
        }
        let film = self.film;
        let most = film.rates[film.highest()] * (self.end - plan.segment) as f64;
        if plan.value + most <= self.best.0 {
            return;
        }
        for (quality, rate) in film.rates.iter().enumerate() {
            let time = film.bits(plan.segment, quality) / self.rate;
            let change = plan.before.map_or(0.0, |before| (rate - film.rates[before]).abs());
            let stall = (time - plan.buffer).max(0.0);
            let buffer = ((plan.buffer - time).max(0.0) + film.segment).min(film.buffer);
            self.extend(&Plan {
                segment: plan.segment + 1,
                buffer,
                before: Some(quality),
                value: plan.value + rate - self.rule.switches * change - self.rule.stalls * stall,
                first: plan.first.or(Some(quality)),
            });
        }
    }
}

impl Adaptation for RobustMpc {
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice {
        let Some(rate) = self.rate(at.downloads) else { return Choice::now(0) };
        let end = film.segments().min(at.segment + self.horizon);
        let mut search = Search { rule: self, film, rate, end, best: (f64::NEG_INFINITY, 0) };
        let Moment { segment, buffer, before, .. } = *at;
        search.extend(&Plan { segment, buffer, before, value: 0.0, first: None });
        Choice::now(search.best.1)
    }
}
