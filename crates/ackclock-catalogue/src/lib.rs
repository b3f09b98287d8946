//! Catalogue entries: a name, a source and parameters with units and ranges for everything that a specification such
//! as `vegas(alpha=2, beta=4)` or a scenario can choose.
//!
//! Each algorithm, queue, loss recovery and transport declares its [`Entry`] in its own file, beside a constructor
//! that takes [`Values`]; loss models, applications and topologies, whose settings are keys of a scenario's tables,
//! declare it beside their code likewise. The crate that owns the kind keeps the list of entries. This crate reads specifications
//! ([`split`], [`Piece`], [`Part`]), reports errors with the [`nearest`] name, and depends on no mechanism.

mod entry;
mod error;
mod key;
mod nearest;
mod parameter;
mod part;
mod piece;
mod unit;

pub use entry::{Check, Entry, find, names};
pub use error::SpecError;
pub use key::Key;
pub use nearest::{by_alias, nearest, nearest_entry};
pub use parameter::{Parameter, Values};
pub use part::Part;
pub use piece::{Piece, name_of, split};
pub use unit::Unit;
