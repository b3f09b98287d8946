#![doc = include_str!("../README.md")]

mod distribution;
mod stream;

pub use distribution::{Distribution, Empirical};
pub use stream::RandomStream;
