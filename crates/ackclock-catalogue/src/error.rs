use std::error::Error;
use std::fmt::{self, Write as _};

use crate::known::advice;

/// The error of a text that is not a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecError {
    /// The piece of the text that is wrong.
    pub found: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    message: String,
}

impl SpecError {
    /// An error with what was found and what would be right.
    pub fn new(found: impl Into<String>, message: impl Into<String>) -> SpecError {
        SpecError { found: found.into(), nearest: None, message: message.into() }
    }

    /// An unknown name among the `known` ones.
    pub fn unknown(what: &str, found: &str, known: &[&str], nearest: Option<&str>) -> SpecError {
        let message = format!("unknown {what}{}", advice(nearest, known.iter().copied()));
        SpecError { found: found.to_owned(), nearest: nearest.map(str::to_owned), message }
    }

    /// Adds advice to the error.
    pub fn with_hint(mut self, hint: &str) -> SpecError {
        self.message.push_str(hint);
        self
    }

    /// The problem and what would be right, without the piece found.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The piece found may have several lines; the error has one.
        for letter in format!("\"{}\": {}", self.found, self.message).chars() {
            if letter.is_control() { write!(f, "{}", letter.escape_debug())? } else { f.write_char(letter)? }
        }
        Ok(())
    }
}

impl Error for SpecError {}
