//! Keys of a scenario: the places of values.

use std::fmt;
use std::ops::{Deref, RangeInclusive};

use ackclock_units::{Duration, Rate};

use super::error::{Checked, ScenarioError};
use crate::read::limits::{HIGHEST_RATE, LONGEST_DELAY, SHORTEST_TIMEOUT};

/// The path of a value from the top of a scenario, with list elements by number: `flow.0.start`.
#[derive(Clone, Debug)]
pub(crate) struct Key(String);

impl Key {
    /// A key at the top.
    pub fn top(name: &str) -> Key {
        Key(name.to_owned())
    }

    /// The key `name` in the table at this key, or the element of that number in the list.
    pub fn then(&self, name: impl fmt::Display) -> Key {
        Key(format!("{}.{name}", self.0))
    }

    /// An error at this key.
    pub fn error(&self, message: impl Into<String>) -> ScenarioError {
        ScenarioError::at(self.0.as_str(), message)
    }

    /// An error at this key, with the value found there.
    pub fn wrong(&self, found: impl fmt::Display, message: impl Into<String>) -> ScenarioError {
        self.error(message).with_found(found.to_string())
    }

    /// The error of a name at this key that is not among the `known` ones; `problem` describes it.
    pub fn unknown(&self, found: &str, problem: &str, known: &[String]) -> ScenarioError {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        ScenarioError::unknown_name(self.0.as_str(), found, problem, &known)
    }

    /// Refuses a count outside 1 to `most`.
    pub fn within(&self, count: u32, most: u32) -> Checked {
        self.count(count, &(1..=most))
    }

    /// Refuses a count outside a range.
    pub fn count(&self, count: u32, range: &RangeInclusive<u32>) -> Checked {
        if range.contains(&count) {
            return Ok(());
        }
        let (least, most) = range.clone().into_inner();
        Err(self.wrong(count, format!("found {count}; expected a whole number from {least} to {most}")))
    }

    /// A duration above zero.
    pub fn above_zero(&self, span: Duration) -> Checked {
        if span.is_zero() { Err(self.wrong(span, "found zero; expected more than that")) } else { Ok(()) }
    }

    /// Refuses a duration above `longest`.
    pub fn at_most(&self, span: Duration, longest: Duration) -> Checked {
        if span <= longest {
            Ok(())
        } else {
            Err(self.wrong(span, format!("found {span}; at most {longest}")))
        }
    }

    /// A duration of a range.
    pub fn span(&self, span: Duration, range: &RangeInclusive<Duration>) -> Checked {
        if span < *range.start() {
            return Err(self.wrong(span, format!("found {span}; at least {}", range.start())));
        }
        self.at_most(span, *range.end())
    }

    /// A timeout.
    pub fn timeout(&self, span: Duration) -> Checked {
        self.span(span, &(SHORTEST_TIMEOUT..=LONGEST_DELAY))
    }

    /// Refuses a rate of zero, and one that whole nanoseconds cannot express.
    pub fn rate(&self, rate: Rate) -> Checked {
        if rate.bits_per_second() == 0 {
            return Err(self.wrong(rate, "found a rate of zero; at least 1 bit/s is needed"));
        }
        if rate > HIGHEST_RATE {
            let message = format!(
                "found {rate}; at most {HIGHEST_RATE}, since transmission times are whole nanoseconds"
            );
            return Err(self.wrong(rate, message));
        }
        Ok(())
    }
}

impl Deref for Key {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
