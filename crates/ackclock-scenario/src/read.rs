//! Reading: from a text to a tree of values, some of which the seed draws, and from the tree to the types of the
//! schema. Errors name the key.

pub(super) mod csv;
pub(super) mod draw;
pub(super) mod error;
pub(super) mod files;
pub(super) mod flatten;
pub(super) mod key;
pub(super) mod limits;
pub(super) mod part;
pub(super) mod quantity;
pub(super) mod reader;
pub(super) mod settings;
mod traces;
pub(super) mod tree;
