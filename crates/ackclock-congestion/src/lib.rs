#![doc = include_str!("../README.md")]

pub mod avoidance;
pub mod conformance;
pub mod controllers;
pub mod learning;
pub mod media;
pub mod registry;
pub mod slow_start;

mod algorithms;
mod constant_rate;
mod control;
mod declaration;
mod eligible_rate;
mod facts;
mod interval_weight;
mod linux_round;
mod macroflow;
mod queueing_delay;
mod round_rtt;
mod windowed;

pub use constant_rate::ConstantRate;
pub use control::{CongestionControl, Decision};
pub use declaration::{EventKind, Fact, Field, Kind, Record};
pub use facts::{Ack, Congestion, Event, LossSample, Needs, RateSample, Signal, Start};
pub use interval_weight::interval_weight;
pub use macroflow::{Macroflow, MemberNumber};
pub use windowed::{Avoidance, SlowStart, Window, Windowed};
