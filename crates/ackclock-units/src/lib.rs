#![doc = include_str!("../README.md")]

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
