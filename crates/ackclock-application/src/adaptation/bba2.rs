//! BBA-2: the sizes of segments as a function of the buffer, and the rate of downloads at the beginning.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::bba0::Map;
use super::rule::{Adaptation, Choice, Manifest, Moment};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "bba-2",
    title: "the size of the next segment rises with the buffer; while this grows first, fast downloads raise the quality",
    source: "Huang et al. 2014, 5 (BBA-1) and 6",
    parameters: &[
        Parameter::new(
            "reservoir",
            Unit::Number,
            140.0 / 240.0,
            (0.0, 1.0),
            "largest share of the buffer of the reservoir: 140 s of 240 s",
        ),
        Parameter::new(
            "full",
            Unit::Number,
            0.9,
            (0.0, 1.0),
            "share of the buffer from which the quality is the highest",
        ),
        Parameter::new(
            "first",
            Unit::Number,
            0.875,
            (0.0, 1.0),
            "growth of the buffer in segments that raises the quality when the buffer is empty",
        ),
        Parameter::new("last", Unit::Number, 0.5, (0.0, 1.0), "the same when the cushion is full"),
    ],
    ..Entry::PLAIN
};

/// BBA-2, without the protection from outages of 7.1.
///
/// The reservoir is what the buffer loses over the segments of the next two buffers, in the lowest quality at its mean rate. It has
/// at least two segments (the paper's 8 s). The bounds of the paper's buffer of 240 s are in
/// proportion to other buffers, as for BBA-0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bba2 {
    reservoir: f64,
    full: f64,
    first: f64,
    last: f64,
    /// True until the buffer falls, or the map asks for more than the downloads do.
    begins: bool,
}

pub(super) fn make(values: &Values) -> Bba2 {
    Bba2 {
        reservoir: values.get("reservoir"),
        full: values.get("full"),
        first: values.get("first"),
        last: values.get("last"),
        begins: true,
    }
}

impl Bba2 {
    /// The reservoir in seconds.
    fn reservoir(&self, film: &Manifest, segment: usize) -> f64 {
        let ahead = (2.0 * film.buffer / film.segment) as usize;
        let lost: f64 = film.shape[segment..].iter().take(ahead).map(|of| (of - 1.0) * film.segment).sum();
        lost.min(self.reservoir * film.buffer).max(2.0 * film.segment)
    }

    /// The quality by the map of sizes.
    fn by_size(&self, film: &Manifest, at: &Moment<'_>) -> usize {
        let sizes: Vec<f64> = (0..film.rates.len()).map(|quality| film.bits(at.segment, quality)).collect();
        let mean = |quality: usize| film.rates[quality] * film.segment;
        let map = Map {
            reservoir: self.reservoir(film, at.segment),
            full: film.cushion_end(self.full),
            values: &sizes,
            ends: (mean(0), mean(film.highest())),
        };
        map.choose(at.buffer, at.before.unwrap_or(0))
    }

    /// The quality by the time of the latest download; none if the buffer fell.
    fn by_growth(&self, film: &Manifest, at: &Moment<'_>) -> Option<usize> {
        let Some(download) = at.downloads.last() else { return Some(0) };
        let before = at.before.unwrap_or(0);
        let growth = film.segment - download.time;
        if growth < 0.0 {
            return None;
        }
        let filled = (at.buffer / film.cushion_end(self.full)).min(1.0);
        let needed = self.first + (self.last - self.first) * filled;
        let rises = growth > needed * film.segment;
        Some(film.highest().min(before + usize::from(rises)))
    }
}

impl Adaptation for Bba2 {
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice {
        let by_size = self.by_size(film, at);
        if self.begins {
            match self.by_growth(film, at) {
                Some(quality) if quality >= by_size => return Choice::now(quality),
                _ => self.begins = false,
            }
        }
        Choice::now(by_size)
    }
}
