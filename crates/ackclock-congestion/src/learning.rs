//! Learning agents: what one observes of a step of its flow, what its number asks for, and a trained policy as a controller.

mod action;
mod layer;
mod learnt;
mod policy;
mod step_facts;

pub use action::{Action, Actions, Meaning};
pub use layer::{Activation, Layer};
pub use learnt::controller;
pub use policy::Policy;
pub use step_facts::{OBSERVATIONS, Observation, StepFacts};
