//! The error of a text that names no variant, with texts that would be right.

use std::error::Error;
use std::fmt;
use std::path::Path;

use ackclock_catalogue::{SpecError, advice, by_alias, nearest};
use ackclock_congestion::registry;

use super::transport::Transport;
use crate::tcp::Recovery;

/// The error of a text that names no variant: the found text, and the probable intention.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VariantError {
    /// The piece of the text that is wrong.
    pub found: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    message: String,
}

impl VariantError {
    pub(super) fn new(found: &str, nearest: Option<String>, message: String) -> VariantError {
        VariantError { found: found.to_owned(), nearest, message }
    }

    /// The error with the texts that would be right.
    pub(super) fn suggesting(mut self, right: &[String]) -> VariantError {
        if let Some(first) = right.first() {
            let written: Vec<_> = right.iter().map(|text| format!("{text:?}")).collect();
            self.message.push_str("; write ");
            self.message.push_str(&written.join(" or "));
            self.nearest = Some(first.clone());
        }
        self
    }

    pub(super) fn unknown(found: &str, custom: &[&str]) -> VariantError {
        let recoveries = Recovery::ENTRIES.iter().map(|recovery| recovery.entry.name);
        let transports = Transport::ENTRIES.iter().map(|entry| entry.name);
        let parts = registry::entries().map(|entry| entry.name);
        let mut names: Vec<&str> = recoveries.chain(transports).chain(parts).collect();
        names.extend(custom);
        names.sort_unstable();
        names.dedup();
        let nearest = by_alias(found, registry::entries()).or_else(|| nearest(found, names.iter().copied()));
        let nearest = nearest.map(str::to_owned);
        let message = if Path::new(found).extension().is_some_and(|ending| ending == "py") {
            format!("unknown algorithm {found:?}; write the file and its class, as {:?}", with_class(found))
        } else {
            format!("unknown algorithm {found:?}{}", advice(nearest.as_deref(), names.iter().copied()))
        };
        VariantError::new(found, nearest, message)
    }
}

/// A file of Python with the class that it probably holds: `my_rule.py:MyRule`.
fn with_class(file: &str) -> String {
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file).trim_end_matches(".py");
    let words = stem.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let class: String = words.map(capitalised).collect();
    format!("{file}:{}", if class.is_empty() { "Class" } else { &class })
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

impl From<SpecError> for VariantError {
    fn from(error: SpecError) -> VariantError {
        VariantError { message: error.to_string(), found: error.found, nearest: error.nearest }
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for VariantError {}
