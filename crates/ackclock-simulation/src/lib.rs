//! (being written)

pub mod scenario;
