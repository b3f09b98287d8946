//! Bit-rate adaptation: which quality of a film's next segment a player requests, and when.
//!
//! To add one: a file here with the type, its entry and its function `make`, and a line in the list below.

mod bba0;
mod bba2;
mod bola;
mod bola_o;
mod bola_u;
mod rate;
mod robust_mpc;
mod rule;

use std::fmt;
use std::str::FromStr;

use ackclock_catalogue::{Entry, Part, Piece, SpecError, find, names, nearest_entry};

pub use rule::{Adaptation, Choice, Download, Manifest, Moment, utility};

macro_rules! adaptations {
    ($($module:ident),+ $(,)?) => {
        /// The catalogue entries of bit-rate adaptations.
        pub static ADAPTATIONS: &[Entry] = &[$($module::ENTRY),+];

        impl AdaptationSpec {
            /// Makes the adaptation for one film.
            pub fn build(&self) -> Box<dyn Adaptation> {
                let values = self.0.values();
                match self.0.entry().name {
                    $(name if name == $module::ENTRY.name => Box::new($module::make(&values)),)+
                    name => unreachable!("{name} is no adaptation"),
                }
            }
        }
    };
}

adaptations! {
    rate,
    bba0,
    bba2,
    bola,
    bola_u,
    bola_o,
    robust_mpc,
}

/// A bit-rate adaptation with its parameters, written `bola(gp=5)`.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptationSpec(Part);

impl AdaptationSpec {
    /// Its entry.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry()
    }
}

impl FromStr for AdaptationSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<AdaptationSpec, SpecError> {
        let piece = Piece::read(text.trim(), text)?;
        let Some(entry) = find(ADAPTATIONS, piece.name) else {
            let known: Vec<&str> = names(ADAPTATIONS).collect();
            let nearest = nearest_entry(piece.name, ADAPTATIONS);
            return Err(SpecError::unknown("bit-rate adaptation", piece.name, &known, nearest));
        };
        Part::of_piece(entry, &piece).map(AdaptationSpec)
    }
}

impl fmt::Display for AdaptationSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
