#![doc = include_str!("../README.md")]

mod counts;
mod factory;
mod ledger;
mod watch;

#[cfg(any(feature = "quinn", feature = "noq"))]
mod adapter;
#[cfg(feature = "simulation")]
mod simulated;
#[cfg(all(feature = "sockets", target_os = "linux"))]
pub mod sockets;

pub use ackclock_policy::FactoryError;
pub use ackclock_transport::Stack;
pub use counts::Counts;
pub use factory::{Factory, factory};
pub use ledger::Ledger;
#[cfg(feature = "simulation")]
pub use simulated::SimulatedStacks;
pub use watch::Watch;
