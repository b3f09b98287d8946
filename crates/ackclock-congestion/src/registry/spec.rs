//! Reading, writing and building what names a controller: `vegas(gamma=2)+reno`.

use std::fmt;
use std::str::FromStr;

use ackclock_catalogue::{Entry, Part, Piece, SpecError, find, nearest_entry, split};
use ackclock_units::Duration;

use super::entries;
use crate::control::CongestionControl;
use crate::facts::Start;
use crate::{avoidance, controllers, slow_start};

/// A slow start and an avoidance with their parameters, or a whole controller instead of both.
///
/// Written as `slow start + avoidance`, either of them optional, each with optional parameters:
/// `standard(limit=2)+vegas(alpha=2, beta=4)`. A name that is both stands for the avoidance if it is alone. The
/// default slow start is the companion of the avoidance, or `standard`; the default avoidance is `reno`; the empty
/// text means both defaults. A whole controller, `bbr1`, stands alone. [`Display`](fmt::Display) writes the shortest form, so
/// equal controllers are written alike.
#[derive(Clone, Debug, PartialEq)]
pub struct ControllerSpec(Parts);

#[derive(Clone, Debug, PartialEq)]
enum Parts {
    Windowed { slow_start: Part, avoidance: Part },
    Controller(Part),
}

impl ControllerSpec {
    /// Makes the controller.
    pub fn build(&self, start: &Start) -> Box<dyn CongestionControl> {
        match &self.0 {
            Parts::Controller(part) => controllers::make(part, start),
            Parts::Windowed { slow_start, avoidance } => match slow_start::make(slow_start) {
                // Nearly every controller has the standard slow start, which takes little room. A module of WebAssembly is downloaded: there
                // the code of any slow start serves for the standard one too.
                #[cfg(not(target_family = "wasm"))]
                slow_start::AnySlowStart::Standard(standard) => {
                    avoidance::controller(avoidance, start, standard)
                }
                other => avoidance::controller(avoidance, start, other),
            },
        }
    }

    /// This controller with a memory for the slow start `careful-resume`: a window in packets, and a round-trip time. Controllers without
    /// that slow start stay as they are.
    #[must_use]
    pub fn remembering(&self, window: f64, rtt: Duration) -> ControllerSpec {
        let mut found = self.clone();
        let kept = match &mut found.0 {
            Parts::Windowed { slow_start, .. } if slow_start.entry().name == "careful-resume" => slow_start
                .set("saved_cwnd", window)
                .and_then(|()| slow_start.set("saved_rtt", 1e3 * rtt.as_secs_f64())),
            _ => return found,
        };
        // A path too long to be remembered is forgotten.
        if kept.is_ok() { found } else { self.clone() }
    }

    /// The algorithm below the threshold; none of a whole controller.
    pub fn slow_start(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { slow_start, .. } => Some(slow_start.entry()),
            Parts::Controller(_) => None,
        }
    }

    /// The algorithm from the threshold on; none of a whole controller.
    pub fn avoidance(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { avoidance, .. } => Some(avoidance.entry()),
            Parts::Controller(_) => None,
        }
    }

    /// The whole controller, if it is one.
    pub fn whole(&self) -> Option<&'static Entry> {
        match &self.0 {
            Parts::Windowed { .. } => None,
            Parts::Controller(part) => Some(part.entry()),
        }
    }
}

impl Default for ControllerSpec {
    /// Standard TCP: standard slow start and Reno's avoidance.
    fn default() -> ControllerSpec {
        let avoidance = default_avoidance();
        ControllerSpec(Parts::Windowed { slow_start: companion(&avoidance), avoidance })
    }
}

impl FromStr for ControllerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<ControllerSpec, SpecError> {
        if text.trim().is_empty() {
            return Ok(ControllerSpec::default());
        }
        let pieces: Vec<Piece> =
            split(text)?.into_iter().map(|piece| Piece::read(piece, text)).collect::<Result<_, _>>()?;
        let (slow_start, avoidance) = match pieces.as_slice() {
            [only] if avoidance_of(only).is_some() => (None, Some(only)),
            [only] if slow_start_of(only).is_some() => (Some(only), None),
            [only] => {
                let entry = whole_of(only).ok_or_else(|| unknown_name(only, entries()))?;
                return Ok(ControllerSpec(Parts::Controller(read(only, entry)?)));
            }
            [first, second] => (Some(first), Some(second)),
            _ => {
                return Err(SpecError::new(
                    pieces.last().map_or(text, |last| last.text),
                    format!("{} parts, but a controller is one slow start and one avoidance", pieces.len()),
                ));
            }
        };
        if let (Some(first), Some(second)) = (slow_start, avoidance) {
            check_order(first, second)?;
        }
        let part = |(piece, entry)| read(piece, entry);
        let avoidance = avoidance.and_then(|piece| Some((piece, avoidance_of(piece)?)));
        let avoidance = avoidance.map_or_else(|| Ok(default_avoidance()), part)?;
        let slow_start = slow_start.and_then(|piece| Some((piece, slow_start_of(piece)?)));
        let slow_start = slow_start.map_or_else(|| Ok(companion(&avoidance)), part)?;
        Ok(ControllerSpec(Parts::Windowed { slow_start, avoidance }))
    }
}

impl fmt::Display for ControllerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (slow_start, avoidance) = match &self.0 {
            Parts::Controller(part) => return write!(f, "{part}"),
            Parts::Windowed { slow_start, avoidance } => (slow_start, avoidance),
        };
        let is_default = *avoidance == default_avoidance();
        let ambiguous = find(avoidance::ENTRIES, slow_start.entry().name).is_some();
        match (*slow_start == companion(avoidance), is_default && !ambiguous) {
            (true, _) if is_default => Ok(()),
            (true, _) => write!(f, "{avoidance}"),
            (false, true) => write!(f, "{slow_start}"),
            (false, false) => write!(f, "{slow_start}+{avoidance}"),
        }
    }
}

pub(super) fn slow_start_of(piece: &Piece) -> Option<&'static Entry> {
    find(slow_start::ENTRIES, piece.name)
}

pub(super) fn avoidance_of(piece: &Piece) -> Option<&'static Entry> {
    find(avoidance::ENTRIES, piece.name)
}

fn whole_of(piece: &Piece) -> Option<&'static Entry> {
    find(controllers::ENTRIES, piece.name)
}

fn default_avoidance() -> Part {
    Part::of(find(avoidance::ENTRIES, "reno").expect("Reno is in the catalogue"))
}

/// The slow start that an avoidance is defined with, with its defaults.
fn companion(avoidance: &Part) -> Part {
    let name = avoidance.entry().companion("slow start").unwrap_or("standard");
    Part::of(find(slow_start::ENTRIES, name).expect("a companion is in the catalogue"))
}

/// The algorithm with the values of this piece.
pub(super) fn read(piece: &Piece, entry: &'static Entry) -> Result<Part, SpecError> {
    // Vegas is a slow start and an avoidance, and a reader may look for the parameters of one at the other.
    let namesake = entries().find(|other| other.name == entry.name && other.kind != entry.kind);
    let is_misplaced = |key: &str| entry.parameter(key).is_none();
    Part::of_piece(entry, piece).map_err(|error| {
        let key = piece.keys().find(|key| *key == error.found && is_misplaced(key));
        let Some((other, key)) = namesake.zip(key).filter(|(other, key)| other.parameter(key).is_some())
        else {
            return error;
        };
        let Entry { name, kind, .. } = other;
        error.with_hint(&format!("; {key} belongs to the {kind} {name}: write \"{name}(...)+{name}(...)\""))
    })
}

/// Checks that two pieces are a slow start and an avoidance, in that order.
fn check_order(first: &Piece, second: &Piece) -> Result<(), SpecError> {
    if let Some(whole) = [first, second].into_iter().find(|piece| whole_of(piece).is_some()) {
        let name = whole.name;
        return Err(SpecError::new(
            whole.text,
            format!(
                "\"{name}\" is a whole controller, a model of the path with no slow start or avoidance to \
                 exchange: write \"{name}\" alone, or a recovery and \"{name}\""
            ),
        ));
    }
    let kinds = |piece| (slow_start_of(piece).is_some(), avoidance_of(piece).is_some());
    match (kinds(first), kinds(second)) {
        ((true, _), (_, true)) => Ok(()),
        ((false, false), _) => Err(unknown_name(first, slow_start::ENTRIES)),
        (_, (false, false)) => Err(unknown_name(second, avoidance::ENTRIES)),
        ((_, true), (true, _)) => {
            let right = format!("{}+{}", second.text, first.text);
            Err(SpecError::new(
                first.text,
                format!("the slow start comes before the avoidance: write \"{right}\""),
            ))
        }
        ((_, true), _) => Err(same_kind(first, first, second, "avoidance", "slow start")),
        _ => Err(same_kind(second, first, second, "slow start", "avoidance")),
    }
}

fn same_kind(wrong: &Piece, first: &Piece, second: &Piece, kind: &str, other: &str) -> SpecError {
    let (first, second) = (first.name, second.name);
    let message =
        format!("\"{first}\" and \"{second}\" are both of the kind {kind}: one of them, and a {other}");
    SpecError::new(wrong.text, message)
}

pub(super) fn unknown_name(
    piece: &Piece,
    known: impl IntoIterator<Item = &'static Entry> + Clone,
) -> SpecError {
    let names: Vec<_> = known.clone().into_iter().map(|entry| entry.name).collect();
    SpecError::unknown("algorithm", piece.name, &names, nearest_entry(piece.name, known))
}
