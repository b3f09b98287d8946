//! Transport endpoints without input or output: they answer "what to send" and "when to wake me".
//!
//! Every endpoint, of whatever transport, is driven by the same calls: a segment arrives (`on_segment`), the deadline
//! that `next_wake` says passes (`on_timer`), and it is asked for segments until it has none (`poll_transmit`). Endpoints
//! without a timer lack the two calls about it. None sees an event list, a link or a clock.

pub mod acknak;
mod flow;
pub mod tcp;
pub mod tfrc;
pub mod udp;
mod variant;
mod wire;

pub use flow::{Counters, TIMEOUTS_IN_A_ROW, Transfer};
pub use variant::{Controller, Transport, Variant, VariantError};
pub use wire::{Extension, Flags, Header, Payload, SackBlocks, Segment, Timestamps, Way};
