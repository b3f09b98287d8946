//! Errors of a scenario: the key, the fault, and a value that would be right.

use std::error::Error;
use std::fmt;

use ackclock_catalogue::{advice, nearest};
use ackclock_transport::VariantError;

/// The result of a check: nothing, or the error.
pub(crate) type Checked = Result<(), ScenarioError>;

/// The error of a text that is not a scenario: one sentence, and the facts in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScenarioError {
    /// The key: `topology.dumbbell.bottleneck.rate`, with list elements by number (`flow.0.start`). None for an error
    /// of the text as a whole, such as a missing quotation mark.
    pub key: Option<String>,
    /// The value found there.
    pub found: Option<String>,
    /// The fault, and a value that would be right.
    pub message: String,
    /// The known name that the found one resembles.
    pub nearest: Option<String>,
    /// Where a key or a name does not exist, those that do.
    pub known: Vec<String>,
}

impl From<VariantError> for ScenarioError {
    /// The error of an algorithm outside of any key.
    fn from(error: VariantError) -> ScenarioError {
        let message = error.to_string();
        ScenarioError {
            key: None,
            found: Some(error.found),
            message,
            nearest: error.nearest,
            known: Vec::new(),
        }
    }
}

impl ScenarioError {
    /// An error of the text as a whole.
    pub(crate) fn of_text(message: impl Into<String>) -> ScenarioError {
        ScenarioError { key: None, found: None, message: message.into(), nearest: None, known: Vec::new() }
    }

    /// An error at a key.
    pub(crate) fn at(key: impl Into<String>, message: impl Into<String>) -> ScenarioError {
        ScenarioError { key: Some(key.into()), ..ScenarioError::of_text(message) }
    }

    /// The error with the value that was found.
    pub(crate) fn with_found(self, found: impl Into<String>) -> ScenarioError {
        ScenarioError { found: Some(found.into()), ..self }
    }

    /// A key that does not exist; `key` is its whole path.
    pub(crate) fn unknown_key(key: impl Into<String>, found: &str, known: &[&str]) -> ScenarioError {
        ScenarioError::unknown_name(key, found, "unknown key", known)
    }

    /// An error about a value that names something that does not exist. `problem` describes it;
    /// `known` are the existing names.
    pub(crate) fn unknown_name(
        key: impl Into<String>,
        found: &str,
        problem: &str,
        known: &[&str],
    ) -> ScenarioError {
        // `found` is clipped: comparing is quadratic in its length.
        let nearest = nearest(found, known.iter().copied());
        let message = format!("{problem}{}", advice(nearest, known.iter().copied()));
        let known = known.iter().map(|name| (*name).to_owned()).collect();
        ScenarioError { nearest: nearest.map(str::to_owned), known, ..ScenarioError::at(key, message) }
            .with_found(found)
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "{key}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Error for ScenarioError {}

/// The most characters of a found text in a message.
const LONGEST_NAME: usize = 100;

/// `text` shortened to fit a sentence, without control characters.
pub(crate) fn clip(text: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let mut cut: String = text.chars().take(LONGEST_NAME).map(printable).collect();
    if text.chars().nth(LONGEST_NAME).is_some() {
        cut.push('…');
    }
    cut
}
