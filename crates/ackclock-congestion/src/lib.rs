//! Congestion control for any transport: facts in, a window out.
//!
//! The extension point is [`CongestionControl`]; most algorithms are an [`Avoidance`] inside a [`Windowed`], beside
//! any [`SlowStart`]. [`registry`] gives them names, parameters and sources.

mod control;
mod facts;

pub use control::{CongestionControl, Start};
pub use facts::{Ack, Congestion, RateSample, Signal};
