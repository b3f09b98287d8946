//! The parser of quantities with units.

use std::error::Error;
use std::fmt;

/// A unit's name and its size in base units.
pub(crate) type Scale = (&'static str, f64);

/// The error of a text that is not a quantity. The message quotes the text and lists the units.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseQuantityError {
    message: String,
}

impl ParseQuantityError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> ParseQuantityError {
        ParseQuantityError { message: message.into() }
    }
}

impl fmt::Display for ParseQuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ParseQuantityError {}

/// Splits `"1.5 Mbit/s"` into its number and its unit; the unit may be empty.
///
/// # Errors
/// If the text does not begin with a finite number.
pub fn split_quantity(text: &str) -> Result<(f64, &str), ParseQuantityError> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | '_');
    let mut end = text.find(|c| !is_number(c)).unwrap_or(text.len());
    // An exponent belongs to the number only if digits follow: "1e6 bit/s", but not the unit of "3 e".
    let rest = &text[end..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let digits = exponent.trim_start_matches(['+', '-']);
        if end > 0 && digits.starts_with(|c: char| c.is_ascii_digit()) {
            let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            end = text.len() - digits.len() + length;
        }
    }
    let number = text[..end].replace('_', "");
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((value, text[end..].trim())),
        _ => Err(ParseQuantityError::new(format!("found {text:?}, which does not begin with a number"))),
    }
}

pub(crate) fn parse_scaled(
    text: &str,
    what: &str,
    units: &[Scale],
    example: &str,
) -> Result<f64, ParseQuantityError> {
    let (value, unit) = split_quantity(text)?;
    let names = || units.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let Some((_, scale)) = units.iter().find(|(name, _)| *name == unit) else {
        let found = if unit.is_empty() { "no unit".to_owned() } else { format!("the unit {unit:?}") };
        return Err(ParseQuantityError::new(format!(
            "found {text:?} with {found}; a {what} has one of the units {} (for example {example:?})",
            names()
        )));
    };
    if value < 0.0 {
        return Err(ParseQuantityError::new(format!("found {text:?}; a {what} cannot be negative")));
    }
    let scaled = value * scale;
    if scaled >= u64::MAX as f64 {
        return Err(ParseQuantityError::new(format!(
            "found {text:?}; a {what} that large cannot be represented"
        )));
    }
    Ok(scaled)
}
