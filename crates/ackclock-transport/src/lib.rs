#![doc = include_str!("../README.md")]

pub mod acknak;
pub mod facts;
mod flow;
pub mod media;
mod stack;
pub mod tcp;
pub mod tfrc;
pub mod udp;
mod variant;
mod wire;

pub use flow::{Counters, Incidents, TIMEOUTS_IN_A_ROW, Transfer};
pub use stack::Stack;
pub use variant::{Controller, Transport, Variant, VariantError};
pub use wire::{
    ByteCounters, CongestionHeader, Extension, Flags, Header, Payload, SackBlocks, Segment, Timestamps, Way,
};
