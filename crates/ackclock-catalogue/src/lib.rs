#![doc = include_str!("../README.md")]

mod entry;
mod error;
mod key;
mod known;
mod nearest;
mod parameter;
mod part;
mod piece;
mod unit;

pub use entry::{Check, Entry, by_alias, find, names, nearest_entry};
pub use error::SpecError;
pub use key::Key;
pub use known::advice;
pub use nearest::nearest;
pub use parameter::{Parameter, Values};
pub use part::Part;
pub use piece::{Piece, name_of, split};
pub use unit::Unit;
