//! Bytes as a source of choices.

use ackclock_catalogue::{Entry, Parameter, Part, Unit};

/// Bytes as a source of choices: when they are used up, zeros.
pub struct Draws<'a>(pub &'a [u8]);

impl<'a> Draws<'a> {
    /// The next `n` bytes, or all that are left.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn word(&mut self) -> u16 {
        let mut byte = || self.0.split_off_first().copied().unwrap_or_default();
        u16::from_be_bytes([byte(), byte()])
    }

    /// From 0 to 1, both included.
    fn part(&mut self) -> f64 {
        f64::from(self.word()) / f64::from(u16::MAX)
    }

    /// From 0 to `count - 1`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.word()) % count
    }

    /// True in this many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// Uniform between the two.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.part()
    }

    /// Between the two, every order of magnitude equally likely.
    pub fn scale(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.part())
    }

    /// One of these.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// An entry of a catalogue with values for some of its parameters. A value that the catalogue refuses is left out.
    pub fn part_of(&mut self, entry: &'static Entry) -> String {
        let written = |chosen: &[(&str, f64)]| {
            let pairs: Vec<_> = chosen.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{}({})", entry.name, pairs.join(","))
        };
        let mut chosen: Vec<(&str, f64)> = Vec::new();
        for parameter in entry.parameters.iter().filter(|parameter| parameter.is_required()) {
            chosen.push((parameter.name, self.value_of(parameter)));
        }
        for parameter in entry.parameters.iter().filter(|parameter| !parameter.is_required()) {
            if self.chance(30) {
                chosen.push((parameter.name, self.value_of(parameter)));
                if !matches!(Part::read(entry, &written(&chosen)), Ok(Some(_))) {
                    chosen.pop();
                }
            }
        }
        if chosen.is_empty() { entry.name.to_owned() } else { written(&chosen) }
    }

    /// A value within the parameter's range, its ends and its default among them.
    fn value_of(&mut self, parameter: &Parameter) -> f64 {
        let Parameter { default, min, max, unit, .. } = *parameter;
        let plain = if default.is_nan() { min.max(5.0).min(max) } else { default };
        let (near, far) = ((plain / 8.0).max(min), (plain * 8.0).min(max));
        let value = match self.below(8) {
            0 => plain,
            1 => min,
            2 if max.is_finite() => max,
            3 => self.between(min, max.min(min + 1000.0)),
            _ if near > 0.0 && far > near => self.scale(near, far),
            _ => self.between(min, max.min(min + 10.0)),
        };
        if matches!(unit, Unit::Count | Unit::Switch | Unit::Choice(_)) { value.round() } else { value }
    }
}
