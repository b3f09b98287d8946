#![doc = include_str!("../README.md")]

mod experiment;

pub use ackclock_catalogue as catalogue;
pub use ackclock_congestion as congestion;
pub use ackclock_congestion::CongestionControl;
pub use ackclock_simulation::scenario::{self, Scenario, ScenarioError};
pub use ackclock_simulation::{Column, Output, Simulation, Table};
pub use ackclock_transport as transport;
pub use ackclock_units::{Bytes, Duration, Rate, Time};

pub use experiment::Experiment;
