//! Transport endpoints without input or output: they answer "what to send" and "when to wake me".
//!
//! An endpoint is driven by three calls: a segment arrives (`on_segment`), its deadline passes (`on_timer`), and it
//! is asked for segments until it has none (`poll_transmit`). It never sees an event list, a link or a clock.

pub mod acknak;
mod flow;
pub mod tcp;
pub mod tfrc;
mod variant;
mod wire;

pub use flow::{Counters, TIMEOUTS_IN_A_ROW, Transfer};
pub use variant::{Controller, Transport, Variant, VariantError};
pub use wire::{Extension, Flags, Header, Payload, SackBlocks, Segment, Timestamps, Way};
