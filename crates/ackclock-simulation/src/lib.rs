//! From a scenario to records: network, traffic and endpoints, run packet by packet.
//!
//! A [`scenario::Scenario`] says what to simulate, [`Simulation`] does it, [`Output`] is what came of it.

mod assemble;
pub mod capture;
mod captured;
mod flows;
mod records;
pub mod scenario;
mod simulation;
mod summary;
mod trace;

pub use assemble::CustomControllers;
pub use records::{Column, Table};
pub use simulation::Simulation;
pub use summary::Output;
