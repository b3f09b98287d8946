use ackclock_units::Duration;

use crate::Unit;

/// A number that a specification can set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name in a specification.
    pub name: &'static str,
    /// The unit of the default, the range and the values.
    pub unit: Unit,
    /// The value of the source; NaN if there is none and a value is required.
    pub default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed. It is infinite only if infinity has a meaning, such as a
    /// threshold that is never reached or a limit that never binds.
    pub max: f64,
    /// One line on its meaning.
    pub meaning: &'static str,
}

impl Parameter {
    /// A parameter with its range, both ends included.
    pub const fn new(
        name: &'static str,
        unit: Unit,
        default: f64,
        (min, max): (f64, f64),
        meaning: &'static str,
    ) -> Parameter {
        Parameter { name, unit, default, min, max, meaning }
    }

    /// A parameter without a default.
    pub const fn required(
        name: &'static str,
        unit: Unit,
        range: (f64, f64),
        meaning: &'static str,
    ) -> Parameter {
        Parameter::new(name, unit, f64::NAN, range, meaning)
    }

    /// A choice of one of these names; the default is the place of its name.
    pub const fn choice(
        name: &'static str,
        names: &'static [&'static str],
        default: usize,
        meaning: &'static str,
    ) -> Parameter {
        let last = names.len() - 1;
        Parameter::new(name, Unit::Choice(names), default as f64, (0.0, last as f64), meaning)
    }

    /// True if a value must be given.
    pub const fn is_required(&self) -> bool {
        self.default.is_nan()
    }

    /// True if the value is within the range.
    pub fn allows(&self, value: f64) -> bool {
        value >= self.min && value <= self.max
    }

    /// A switch: 0 is off, 1 is on.
    pub const fn switch(name: &'static str, on: bool, meaning: &'static str) -> Parameter {
        Parameter::new(name, Unit::Switch, if on { 1.0 } else { 0.0 }, (0.0, 1.0), meaning)
    }

    /// Checks the range.
    pub(crate) fn check_range(&self, value: f64) -> Result<(), String> {
        let Parameter { name, min, max, .. } = *self;
        if self.allows(value) {
            return Ok(());
        }
        let range =
            if max.is_infinite() { format!("at least {min}") } else { format!("from {min} to {max}") };
        Err(format!("{name} must be {range}"))
    }

    /// Checks that a count or a switch is a whole number.
    pub(crate) fn check_whole(&self, value: f64) -> Result<(), String> {
        let wanted = match self.unit {
            Unit::Switch => "0 or 1",
            Unit::Count | Unit::Choice(_) => "a whole number",
            _ => return Ok(()),
        };
        if value.fract() == 0.0 {
            return Ok(());
        }
        Err(format!("{}={value} must be {wanted}", self.name))
    }

    /// Reads a number in the parameter's unit, a quantity with a unit, such as `5 ms`, or a name of a choice.
    pub(crate) fn read(&self, text: &str) -> Result<f64, String> {
        let is_number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-'));
        match text.parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(value),
            _ if !self.unit.names().is_empty() => self.unit.read(text),
            Err(_) if is_number && self.unit.has_symbol() => self.unit.read(text),
            _ => Err(format!("{} must be a number, e.g. {}", self.name, self.default)),
        }
    }
}

/// The values of an entry's parameters, in the entry's order.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    pub(crate) parameters: &'static [Parameter],
    pub(crate) values: &'a [f64],
}

impl Values<'_> {
    /// The value of a parameter, in its unit.
    ///
    /// # Panics
    /// If the entry declares no such parameter.
    pub fn get(&self, name: &str) -> f64 {
        self.values[self.index(name)]
    }

    /// True if a switch is on.
    ///
    /// # Panics
    /// If the entry declares no such parameter.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name) > 0.0
    }

    /// The value of a parameter in seconds or milliseconds.
    ///
    /// # Panics
    /// If the entry declares no such parameter, or declares it in another unit.
    pub fn duration(&self, name: &str) -> Duration {
        let value = self.get(name);
        match self.parameters[self.index(name)].unit {
            Unit::Seconds => Duration::from_secs_f64(value),
            Unit::Milliseconds => Duration::from_secs_f64(value / 1e3),
            unit => panic!("{name} is in {unit:?}, which is no time"),
        }
    }

    fn index(&self, name: &str) -> usize {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        index.unwrap_or_else(|| panic!("no parameter is declared as {name}"))
    }
}
