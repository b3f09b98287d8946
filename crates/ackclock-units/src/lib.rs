//! Quantities as types: a rate cannot be added to a time, and packets per second cannot pass for bits per second.
//!
//! Times are integer nanoseconds and rates integer bits per second, so a run gives the same numbers on every machine.
//! The parsers of the text forms (`"35 ms"`, `"1.5 Mbit/s"`) report errors that list the units.

mod bytes;
mod link_rate;
mod parse;
mod rate;
mod time;

pub use bytes::Bytes;
pub use link_rate::LinkRate;
pub use parse::{ParseQuantityError, split_quantity};
pub use rate::{PacketRate, Rate};
pub use time::{Duration, Time};
