//! Why a text names no variant, and what would be right.

use std::error::Error;
use std::fmt;

use ackclock_catalogue::{SpecError, by_alias, name_of, nearest};
use ackclock_congestion::Start;
use ackclock_congestion::registry::{self, ControllerSpec};

use super::{Transport, Variant};
use crate::tcp::Recovery;
use crate::tfrc;

/// Why a text names no variant: what was found, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantError {
    /// The piece of the text that is wrong.
    pub found: String,
    /// The name that was probably meant.
    pub nearest: Option<String>,
    message: String,
}

impl VariantError {
    fn new(found: &str, nearest: Option<String>, message: String) -> VariantError {
        VariantError { found: found.to_owned(), nearest, message }
    }

    /// With those of the texts that are variants.
    fn suggesting(found: &str, message: String, texts: &[String], custom: &[&str]) -> VariantError {
        let mut right: Vec<_> = texts.iter().filter(|text| Variant::parse(text, custom).is_ok()).collect();
        right.dedup();
        let written: Vec<_> = right.iter().map(|text| format!("{text:?}")).collect();
        let hint =
            if written.is_empty() { String::new() } else { format!("; write {}", written.join(" or ")) };
        VariantError::new(found, right.first().map(|text| (*text).clone()), message + &hint)
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
        let hint = nearest.as_ref().map(|name| format!("; did you mean {name:?}?")).unwrap_or_default();
        let message = format!("unknown algorithm {found:?}{hint} (known: {})", names.join(", "));
        VariantError::new(found, nearest, message)
    }
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

pub(super) fn is_part(name: &str, custom: &[&str]) -> bool {
    registry::entries().any(|entry| entry.name == name) || custom.contains(&name)
}

/// A recovery or a transport, and no algorithm of the same name.
fn is_transport_only(name: &str, custom: &[&str]) -> bool {
    Transport::find(name).is_some() && !is_part(name, custom)
}

/// Whether the pieces of a text, split at every `+`, stand where such pieces may, and no name is missing.
pub(super) fn check_places(text: &str, pieces: &[&str], custom: &[&str]) -> Result<(), VariantError> {
    if pieces.len() > 1 && pieces.iter().any(|piece| name_of(piece) == tfrc::ENTRY.name) {
        let message = format!("{text:?} joins something to tfrc, which controls its rate itself");
        return Err(VariantError::new(text, Some(tfrc::ENTRY.name.to_owned()), message));
    }
    if pieces.len() > 1 && pieces.contains(&"") {
        return Err(missing(text, pieces, custom));
    }
    let names: Vec<&str> = pieces.iter().map(|piece| name_of(piece)).collect();
    let is_transport = |name: &str| is_transport_only(name, custom);
    if let Some(at) = (0..names.len()).find(|&at| is_transport(names[at]) && pieces[at] != names[at])
        && names[at] != tfrc::ENTRY.name
    {
        let message = format!("{:?}: {} has no parameters", pieces[at], names[at]);
        return Err(VariantError::new(pieces[at], Some(names[at].to_owned()), message));
    }
    match (1..names.len()).find(|&at| is_transport(names[at])) {
        Some(at) if is_transport(names[0]) => Err(one_too_many(text, pieces, at, custom)),
        Some(at) if is_part(names[0], custom) => Err(too_late(text, pieces, at, custom)),
        _ => Ok(()),
    }
}

/// A `+` with nothing before or after it; some protocols have one in their names, as `HyStart++`.
fn missing(text: &str, pieces: &[&str], custom: &[&str]) -> VariantError {
    let named = pieces.iter().copied().filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("+");
    let texts = [named.clone(), named.to_lowercase()];
    let message = format!("{text:?}: a name is missing before or after a \"+\"");
    VariantError::suggesting(text, message, &texts, custom)
}

/// Two recoveries, or a transport beside a recovery: the first piece and another.
fn one_too_many(text: &str, pieces: &[&str], at: usize, custom: &[&str]) -> VariantError {
    let (first, second) = (pieces[0], pieces[at]);
    let acknak = Transport::AckNak.name();
    let why = if first == second {
        format!("{first} is named twice")
    } else if first == acknak {
        format!("{acknak} takes the place of a recovery, and {second} is one")
    } else if second == acknak {
        format!("{acknak} takes the place of a recovery, and {first} is one")
    } else {
        format!("{first} and {second} are both recoveries")
    };
    let mut rest = pieces.to_vec();
    rest.remove(at);
    let either = [first, second].map(|kept| {
        rest[0] = kept;
        rest.join("+")
    });
    VariantError::suggesting(text, format!("{text:?}: {why}"), &either, custom)
}

/// A recovery or a transport behind an algorithm.
fn too_late(text: &str, pieces: &[&str], at: usize, custom: &[&str]) -> VariantError {
    let mut right = pieces.to_vec();
    let late = right.remove(at);
    right.insert(0, late);
    let kind = if late.parse::<Recovery>().is_ok() { "recovery" } else { "transport" };
    let message = format!("{text:?}: {late} is a {kind}, which comes first");
    VariantError::suggesting(text, message, &[right.join("+")], custom)
}

/// Whether the abstract transport has what the controller goes by.
pub(super) fn check_acknak(text: &str, spec: &ControllerSpec) -> Result<(), VariantError> {
    let (name, lacking) = if let Some(whole) = spec.whole() {
        (whole.name, "measures delivery rates and sends at one, and acknak has neither")
    } else if let Some(avoidance) = spec.avoidance()
        && spec.build(&Start::default()).needs().accurate_ecn
    {
        (avoidance.name, "goes by marks, and packets of acknak carry none")
    } else {
        return Ok(());
    };
    let message = format!("{text:?}: {name} {lacking}; write {name:?}");
    Err(VariantError::new(text, Some(name.to_owned()), message))
}
