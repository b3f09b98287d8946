//! Congestion control for any transport: facts in, a decision out.
//!
//! The extension point is [`CongestionControl`]; most algorithms are an [`Avoidance`] inside a [`Windowed`], beside
//! any [`SlowStart`]; whole controllers, such as those that model the path, are in [`whole`]. [`registry`] gives them
//! names, parameters and sources; [`conformance`] checks every one of them, and every driver that calls them, against
//! the contract.

pub mod avoidance;
pub mod conformance;
pub mod registry;
pub mod slow_start;
pub mod whole;

mod algorithms;
mod control;
mod facts;
mod round_rtt;
mod windowed;

pub use control::{CongestionControl, Decision, Needs, Start};
pub use facts::{Ack, Congestion, Event, LossSample, RateSample, Signal};
pub use windowed::{Avoidance, SlowStart, Window, Windowed};
