//! The order of a variant's pieces, and which pieces can be joined.

use ackclock_catalogue::name_of;
use ackclock_congestion::Start;
use ackclock_congestion::registry::{self, ControllerSpec};

use super::error::VariantError;
use super::transport::Transport;
use crate::tcp::Recovery;
use crate::tfrc;

/// An error of place: its message lacks the texts that would be right.
pub(super) struct Misplaced {
    error: VariantError,
    /// Texts that may have been meant; not each is a variant.
    candidates: Vec<String>,
}

impl Misplaced {
    fn new(found: &str, message: String, candidates: Vec<String>) -> Misplaced {
        Misplaced { error: VariantError::new(found, None, message), candidates }
    }

    /// The error, with the candidates that are variants.
    pub(super) fn suggesting(self, is_variant: impl Fn(&str) -> bool) -> VariantError {
        let mut right: Vec<_> = self.candidates.into_iter().filter(|text| is_variant(text)).collect();
        right.dedup();
        self.error.suggesting(&right)
    }
}

impl From<VariantError> for Misplaced {
    fn from(error: VariantError) -> Misplaced {
        Misplaced { error, candidates: Vec::new() }
    }
}

pub(super) fn is_part(name: &str, custom: &[&str]) -> bool {
    registry::entries().any(|entry| entry.name == name) || custom.contains(&name)
}

/// True for a recovery or a transport without an algorithm of the same name.
fn is_transport_only(name: &str, custom: &[&str]) -> bool {
    Transport::find(name).is_some() && !is_part(name, custom)
}

/// Checks that the pieces of a text, split at every `+`, are in places where such pieces may be,
/// and that no name is missing.
pub(super) fn check_places(text: &str, pieces: &[&str], custom: &[&str]) -> Result<(), Misplaced> {
    if pieces.len() > 1 && pieces.iter().any(|piece| name_of(piece) == tfrc::ENTRY.name) {
        let message = format!("{text:?} joins something to tfrc, which controls its rate itself");
        return Err(VariantError::new(text, Some(tfrc::ENTRY.name.to_owned()), message).into());
    }
    if pieces.len() > 1 && pieces.contains(&"") {
        return Err(missing(text, pieces));
    }
    let names: Vec<&str> = pieces.iter().map(|piece| name_of(piece)).collect();
    let is_transport = |name: &str| is_transport_only(name, custom);
    if let Some(at) = (0..names.len()).find(|&at| is_transport(names[at]) && pieces[at] != names[at])
        && names[at] != tfrc::ENTRY.name
    {
        let message = format!("{:?}: {} has no parameters", pieces[at], names[at]);
        return Err(VariantError::new(pieces[at], Some(names[at].to_owned()), message).into());
    }
    match (1..names.len()).find(|&at| is_transport(names[at])) {
        Some(at) if is_transport(names[0]) => Err(one_too_many(text, pieces, at)),
        Some(at) if is_part(names[0], custom) => Err(too_late(text, pieces, at)),
        _ => Ok(()),
    }
}

/// A `+` with nothing before or after it; some protocols have one in their names, as `HyStart++`.
fn missing(text: &str, pieces: &[&str]) -> Misplaced {
    let named = pieces.iter().copied().filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join("+");
    let texts = vec![named.clone(), named.to_ascii_lowercase()];
    let message = format!("{text:?}: a name is missing before or after a \"+\"");
    Misplaced::new(text, message, texts)
}

/// Two recoveries, or a transport together with a recovery: the first piece and another.
fn one_too_many(text: &str, pieces: &[&str], at: usize) -> Misplaced {
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
    Misplaced::new(text, format!("{text:?}: {why}"), either.to_vec())
}

/// A recovery or a transport behind an algorithm.
fn too_late(text: &str, pieces: &[&str], at: usize) -> Misplaced {
    let mut right = pieces.to_vec();
    let late = right.remove(at);
    right.insert(0, late);
    let kind = if late.parse::<Recovery>().is_ok() { "recovery" } else { "transport" };
    let message = format!("{text:?}: {late} is a {kind}, which comes first");
    Misplaced::new(text, message, vec![right.join("+")])
}

/// Checks that the abstract transport provides the facts that the controller needs.
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
