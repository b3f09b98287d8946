//! Learning agents: the observations of a step of a flow, the meaning of an agent's number, and a trained policy as a
//! controller.

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
