//! Every algorithm by name, with its parameters, their ranges and its source.

mod nearest;
mod spec;

pub use nearest::{nearest, nearest_algorithm};
pub use spec::{ControllerSpec, Part, SpecError};

use std::fmt;
use std::sync::LazyLock;

use crate::avoidance::{self, AnyAvoidance};
use crate::control::{CongestionControl, Start};
use crate::model;
use crate::slow_start::{self, AnySlowStart};

/// One algorithm. A rule that differs from its source gets an entry of its own, never a silent repair.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What a specification calls it; unique among its kind.
    pub name: &'static str,
    /// Which part of a controller it is.
    pub kind: Kind,
    /// One line on what it does.
    pub title: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// What can be set, with the defaults of the source.
    pub parameters: &'static [Parameter],
    /// The slow start that an avoidance comes with where none is named; none means `standard`.
    pub brings: Option<&'static str>,
    /// What must hold between parameters, beyond their ranges; the error says what does not.
    pub check: Option<Check>,
    /// Makes it.
    pub make: Make,
}

/// Which part of a controller an algorithm is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Growth below the threshold.
    SlowStart,
    /// Growth from the threshold on, and back-off.
    Avoidance,
    /// All of it: a controller that follows a model of the path and has neither of the other two.
    Model,
    /// A transport that controls congestion itself; it is registered with the transports.
    Transport,
    /// A queue discipline; it is registered with the scenarios.
    Queue,
}

/// Something that can be set. Its unit is part of its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// What a specification calls it.
    pub name: &'static str,
    /// The source's value.
    pub default: f64,
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed; infinite where that says something, as of a threshold that is never reached or a
    /// limit that never binds. What is added to a window, or counted, is finite.
    pub max: f64,
    /// What it means, with its unit.
    pub meaning: &'static str,
}

/// Says what does not hold between the values of several parameters.
pub type Check = fn(&Values) -> Result<(), String>;

/// How an algorithm is made from its values.
#[derive(Clone, Copy, Debug)]
pub enum Make {
    /// A slow start.
    SlowStart(fn(&Values) -> AnySlowStart),
    /// An avoidance.
    Avoidance(fn(&Values) -> AnyAvoidance),
    /// A whole controller.
    Model(fn(&Values, &Start) -> Box<dyn CongestionControl>),
    /// No controller: the transport makes its own endpoints.
    Transport,
    /// No controller: the network has the queue.
    Queue,
}

/// The values of an entry's parameters, in the entry's order.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    parameters: &'static [Parameter],
    values: &'a [f64],
}

impl Values<'_> {
    /// The value of a parameter the entry declares.
    ///
    /// # Panics
    /// If it does not: an entry and its constructor disagree.
    pub fn get(&self, name: &str) -> f64 {
        self.values[self.index(name)]
    }

    fn parameter(&self, name: &str) -> &'static Parameter {
        &self.parameters[self.index(name)]
    }

    fn index(&self, name: &str) -> usize {
        let index = self.parameters.iter().position(|parameter| parameter.name == name);
        index.unwrap_or_else(|| panic!("no parameter is declared as {name}"))
    }
}

/// Checks parameters that count something or switch it on, of which a fraction means nothing.
///
/// # Errors
/// Which of them is no whole number.
pub fn whole_numbers(values: &Values, names: &[&str]) -> Result<(), String> {
    for name in names {
        let (value, range) = (values.get(name), values.parameter(name));
        if value.fract() != 0.0 {
            let is_switch = range.max <= 1.0;
            let wanted = if is_switch { "0 or 1" } else { "a whole number" };
            return Err(format!("{name}={value} must be {wanted}"));
        }
    }
    Ok(())
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::SlowStart => "slow start",
            Kind::Avoidance => "avoidance",
            Kind::Model => "model",
            Kind::Transport => "transport",
            Kind::Queue => "queue",
        })
    }
}

/// All algorithms: slow starts, then avoidances, then models.
pub fn entries() -> &'static [Entry] {
    static ALL: LazyLock<Vec<Entry>> =
        LazyLock::new(|| [slow_start::ENTRIES, avoidance::ENTRIES, model::ENTRIES].concat());
    &ALL
}

/// The algorithm of that kind and name.
pub fn find(kind: Kind, name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| entry.kind == kind && entry.name == name)
}
