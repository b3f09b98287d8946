//! Congestion control for media: a target rate for an encoder, from reports about single packets.
//!
//! To add one: a file here with the type, its registry entry and its function `make`, and a line in the list below.

mod constant;
mod control;
mod gcc;
mod loss_intervals;
mod nada;
mod scream2;

use std::fmt;
use std::str::FromStr;

use ackclock_catalogue::{Entry, Part, Piece, SpecError, find, names, nearest_entry};

pub use control::{MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart, PacketFate};

macro_rules! media {
    ($($module:ident::$Algorithm:ident),+ $(,)?) => {
        $(pub use $module::$Algorithm;)+

        /// The catalogue entries of congestion controls for media.
        pub static ENTRIES: &[Entry] = &[$($module::ENTRY),+];

        impl MediaSpec {
            /// Makes the controller.
            pub fn build(&self, start: &MediaStart) -> Box<dyn MediaControl> {
                let values = self.0.values();
                match self.0.entry().name {
                    $(name if name == $module::ENTRY.name => Box::new($module::make(&values, start)),)+
                    name => unreachable!("{name} is no congestion control for media"),
                }
            }
        }
    };
}

media! {
    constant::ConstantMedia,
    gcc::Gcc,
    nada::Nada,
    scream2::Scream2,
}

/// A congestion control for media with its parameters, written `nada(priority=2)`.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaSpec(Part);

impl MediaSpec {
    /// Its entry.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry()
    }
}

impl Default for MediaSpec {
    /// NADA with its defaults.
    fn default() -> MediaSpec {
        MediaSpec(Part::of(find(ENTRIES, nada::ENTRY.name).expect("NADA is in the catalogue")))
    }
}

impl FromStr for MediaSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<MediaSpec, SpecError> {
        let piece = Piece::read(text.trim(), text)?;
        let Some(entry) = find(ENTRIES, piece.name) else {
            let known: Vec<&str> = names(ENTRIES).collect();
            let nearest = nearest_entry(piece.name, ENTRIES);
            return Err(SpecError::unknown("congestion control for media", piece.name, &known, nearest));
        };
        Part::of_piece(entry, &piece).map(MediaSpec)
    }
}

impl fmt::Display for MediaSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
