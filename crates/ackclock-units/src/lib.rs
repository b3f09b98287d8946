//! Quantities as types: a rate cannot be added to a time, and packets per second cannot pass for bits per second.
//!
//! Times are integer nanoseconds, rates integer bits per second, so the same run gives the same numbers on every
//! machine. The text forms (`"35 ms"`, `"1.5 Mbit/s"`) are read here too, with errors that list the units there are.

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
