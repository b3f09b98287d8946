#![doc = include_str!("../README.md")]

mod answer;
mod event;
mod factory;
mod flow;
mod history;
mod machine;

#[cfg(all(feature = "bpf", target_os = "linux"))]
pub mod host;

pub use ackclock_policy::FactoryError;
pub use answer::{Answer, Windows};
pub use event::{Event, Kind, State};
pub use factory::Factory;
pub use flow::{Counts, Flow};
pub use machine::Machine;
