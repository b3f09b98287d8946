//! A slow start and an avoidance of which the caller makes one or both: `mine+reno`, `hystart+mine`.

use std::fmt;

use ackclock_catalogue::{Part, Piece, SpecError, split};

use super::spec::{avoidance_of, read, slow_start_of, unknown_name};
use crate::control::CongestionControl;
use crate::facts::Start;
use crate::windowed::{Avoidance, SlowStart, Windowed};
use crate::{avoidance, slow_start};

/// A slow start and an avoidance of which the caller makes one or both.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnParts {
    slow_start: Half,
    avoidance: Half,
}

#[derive(Clone, Debug, PartialEq)]
enum Half {
    Known(Part),
    /// The caller's, by its name.
    Own(String),
}

impl OwnParts {
    /// Reads a controller of two parts. None if it has another number of parts, or names none of the caller's, `own`.
    ///
    /// # Errors
    /// If the other part is unknown, or none that stands in its place.
    pub fn read(text: &str, own: &[&str]) -> Result<Option<OwnParts>, SpecError> {
        let pieces = split(text)?;
        let &[first, second] = pieces.as_slice() else { return Ok(None) };
        if ![first, second].iter().any(|piece| own.contains(piece)) {
            return Ok(None);
        }
        let half = |text_of: &str, kind: &str| {
            if own.contains(&text_of) {
                return Ok(Half::Own(text_of.to_owned()));
            }
            let piece = Piece::read(text_of, text)?;
            let (here, elsewhere) = (slow_start_of(&piece), avoidance_of(&piece));
            let (found, other, entries) = match kind {
                SLOW_START => (here, elsewhere, slow_start::ENTRIES),
                _ => (elsewhere, here, avoidance::ENTRIES),
            };
            match (found, other) {
                (Some(entry), _) => read(&piece, entry).map(Half::Known),
                (None, Some(other)) => Err(misplaced(text_of, other.kind, kind)),
                (None, None) => Err(unknown_name(&piece, entries)),
            }
        };
        Ok(Some(OwnParts { slow_start: half(first, SLOW_START)?, avoidance: half(second, AVOIDANCE)? }))
    }

    /// Makes the controller; the caller makes the parts that are its own, by their names.
    pub fn build<S, A>(
        &self,
        start: &Start,
        own_slow_start: impl FnOnce(&str) -> S,
        own_avoidance: impl FnOnce(&str) -> A,
    ) -> Box<dyn CongestionControl>
    where
        S: SlowStart + 'static,
        A: Avoidance + 'static,
    {
        match (&self.slow_start, &self.avoidance) {
            (Half::Own(first), Half::Known(second)) => {
                avoidance::controller(second, start, own_slow_start(first))
            }
            (Half::Known(first), Half::Own(second)) => {
                Box::new(Windowed::new(start, slow_start::make(first), own_avoidance(second)))
            }
            (Half::Own(first), Half::Own(second)) => {
                Box::new(Windowed::new(start, own_slow_start(first), own_avoidance(second)))
            }
            (Half::Known(_), Half::Known(_)) => unreachable!("one part is the caller's own"),
        }
    }
}

const SLOW_START: &str = "slow start";
const AVOIDANCE: &str = "avoidance";

fn misplaced(found: &str, kind: &str, place: &str) -> SpecError {
    SpecError::new(
        found,
        format!("\"{found}\" is of the kind {kind}, and stands in the place of the {place}"),
    )
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Half::Known(part) => part.fmt(f),
            Half::Own(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for OwnParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.slow_start, self.avoidance)
    }
}
