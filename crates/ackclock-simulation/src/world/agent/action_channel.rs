//! The end of a controller whose agent decides at every call: the controller shows the facts and waits for a number.

use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};

use ackclock_congestion::learning::{Actions, StepFacts};

/// The two channels, and the meaning of a number.
pub(crate) struct ActionChannel {
    pub(super) actions: Actions,
    facts: Sender<StepFacts>,
    /// The lock serves only the type system: no thread but the simulation's waits here.
    numbers: Mutex<Receiver<f64>>,
}

impl ActionChannel {
    pub fn new(actions: Actions, facts: Sender<StepFacts>, numbers: Receiver<f64>) -> ActionChannel {
        ActionChannel { actions, facts, numbers: Mutex::new(numbers) }
    }

    /// The agent's number for these facts; none once the agent is gone.
    pub(super) fn ask(&self, facts: StepFacts) -> Option<f64> {
        self.facts.send(facts).ok()?;
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}
