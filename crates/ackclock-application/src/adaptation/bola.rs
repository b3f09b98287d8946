//! BOLA: the quality with the most utility per bit, less a price that rises with the buffer.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::rule::{Adaptation, Choice, Manifest, Moment, utility};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "bola",
    title: "BOLA-BASIC: the most utility per bit, less the buffer's price",
    source: "Spiteri, Urgaonkar and Sitaraman 2016, 4 (BOLA-BASIC)",
    parameters: &[GP],
    ..Entry::PLAIN
};

pub(super) const GP: Parameter = Parameter::new(
    "gp",
    Unit::Number,
    5.0,
    (0.01, 1000.0),
    "utility of a film that does not stop (γp); a larger one keeps the buffer away from empty",
);

pub(super) fn make(values: &Values) -> Bola {
    Bola { gp: values.get("gp"), switches: Switches::Any }
}

/// The limit of a rise of the quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switches {
    /// Nothing: BOLA-BASIC. The buffer is as large in the middle of the film as at its ends.
    Any,
    /// The rate of the last download; a rise goes one quality beyond it: BOLA-U.
    Beyond,
    /// The rate of the last download; the player waits instead of going beyond it: BOLA-O.
    Within,
}

/// BOLA. The utility of a quality is the logarithm of its rate relative to the lowest; sizes are those of the manifest's rates, not of single
/// segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bola {
    pub gp: f64,
    pub switches: Switches,
}

impl Bola {
    /// The utilities of the qualities.
    fn utilities(film: &Manifest) -> Vec<f64> {
        film.rates.iter().map(|rate| utility(*rate, film.rates[0])).collect()
    }

    /// The largest buffer in segments: near the ends of the film BOLA-FINITE wants less.
    fn most(&self, film: &Manifest, segment: usize) -> f64 {
        let most = film.buffer / film.segment;
        if self.switches == Switches::Any {
            return most;
        }
        let to_an_end = segment.min(film.segments() - segment) as f64;
        most.min((to_an_end / 2.0).max(3.0))
    }

    /// The quality with the most `(V (utility + γp) - buffer) / size`.
    fn by_buffer(&self, film: &Manifest, utilities: &[f64], v: f64, buffer: f64) -> usize {
        let score = |quality: usize| (v * (utilities[quality] + self.gp) - buffer) / film.rates[quality];
        (1..film.rates.len())
            .fold(0, |best, quality| if score(quality) > score(best) { quality } else { best })
    }

    /// The buffer in segments from which on this quality is worth at least as much as the next: the end of a pause (Algorithm 1, line 15).
    fn pause_ends(&self, film: &Manifest, utilities: &[f64], v: f64, quality: usize) -> f64 {
        let (size, next) = (film.rates[quality], film.rates[quality + 1]);
        let utility = (next * utilities[quality] - size * utilities[quality + 1]) / (next - size);
        (v * (utility + self.gp)).max(0.0)
    }
}

impl Adaptation for Bola {
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice {
        let utilities = Bola::utilities(film);
        let buffer = at.buffer / film.segment;
        let most = self.most(film, at.segment);
        let v = (most - 1.0) / (utilities[film.highest()] + self.gp);
        let mut quality = self.by_buffer(film, &utilities, v, buffer);
        // The buffer at which no quality is worth its price.
        let mut wanted = most - 1.0;
        if let (Some(before), Some(download)) = (at.before, at.downloads.last())
            && self.switches != Switches::Any
            && quality > before
        {
            let by_rate = film.quality_within(download.rate());
            if by_rate < before {
                quality = before;
            } else if by_rate < quality {
                if self.switches == Switches::Beyond {
                    quality = by_rate + 1;
                } else {
                    quality = by_rate;
                    wanted = wanted.min(self.pause_ends(film, &utilities, v, quality));
                }
            }
        }
        Choice { quality, wait: film.segment * (buffer - wanted).max(0.0) }
    }
}
