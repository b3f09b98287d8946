//! BBA-0: the rate as a function of the buffer.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use super::rule::{Adaptation, Choice, Manifest, Moment};

pub(super) const ENTRY: Entry = Entry {
    kind: "adaptation",
    name: "bba-0",
    title: "the rate rises linearly with the buffer, from a reservoir to the end of a cushion",
    source: "Huang et al. 2014, 4 and Algorithm 1",
    parameters: &[
        Parameter::new(
            "reservoir",
            Unit::Number,
            0.375,
            (0.0, 1.0),
            "share of the buffer up to which the rate is the lowest: 90 s of 240 s",
        ),
        Parameter::new(
            "full",
            Unit::Number,
            0.9,
            (0.0, 1.0),
            "share of the buffer from which the rate is the highest, the end of the cushion: 216 s of 240 s",
        ),
    ],
    check: Some(|values| {
        let (reservoir, full) = (values.get("reservoir"), values.get("full"));
        if reservoir < full { Ok(()) } else { Err(format!("full is above reservoir, which is {reservoir}")) }
    }),
    ..Entry::PLAIN
};

/// BBA-0. The paper's bounds of a buffer of 240 s hold for other buffers in proportion; but the cushion ends at the most that a player finds when
/// it requests a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bba0 {
    reservoir: f64,
    full: f64,
}

pub(super) fn make(values: &Values) -> Bba0 {
    Bba0 { reservoir: values.get("reservoir"), full: values.get("full") }
}

impl Adaptation for Bba0 {
    fn choose(&mut self, film: &Manifest, at: &Moment<'_>) -> Choice {
        let map = Map {
            reservoir: self.reservoir * film.buffer,
            full: film.cushion_end(self.full),
            values: &film.rates,
            ends: (film.rates[0], film.rates[film.highest()]),
        };
        Choice::now(map.choose(at.buffer, at.before.unwrap_or(0)))
    }
}

/// A map from the buffer to a value that qualities have: their rates, or the sizes of their next segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map<'a> {
    /// The buffer in seconds up to which the quality is the lowest, and from which it is the highest.
    pub reservoir: f64,
    pub full: f64,
    /// The values of the qualities, ascending.
    pub values: &'a [f64],
    /// The values of the map at its ends.
    pub ends: (f64, f64),
}

impl Map<'_> {
    /// The value between the ends, at a buffer between reservoir and full.
    fn value(&self, buffer: f64) -> f64 {
        let (least, most) = self.ends;
        least + (most - least) * (buffer - self.reservoir) / (self.full - self.reservoir)
    }

    /// Algorithm 1: the quality stays until the map reaches the value of the next higher or lower one.
    pub fn choose(&self, buffer: f64, before: usize) -> usize {
        let highest = self.values.len() - 1;
        if buffer <= self.reservoir {
            return 0;
        }
        if buffer >= self.full {
            return highest;
        }
        let value = self.value(buffer);
        if value >= self.values[highest.min(before + 1)] {
            let below = self.values.iter().rposition(|of| *of < value);
            return below.unwrap_or(0).max(before);
        }
        if value <= self.values[before.saturating_sub(1)] {
            let above = self.values.iter().position(|of| *of > value);
            return above.unwrap_or(highest).min(before);
        }
        before
    }
}
