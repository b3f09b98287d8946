//! Random numbers that can be repeated: streams with names, and the distributions drawn from them.
//!
//! A [`RandomStream`] follows from the run's seed and its own name. A [`Distribution`] holds plain numbers in base units;
//! how scenario files write one, and which of them are refused, is the scenario's.

mod distribution;
mod stream;

pub use distribution::{Distribution, Empirical};
pub use stream::RandomStream;
