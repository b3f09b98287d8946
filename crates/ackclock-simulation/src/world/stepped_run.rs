//! A simulation in a thread of its own, whose one agent answers every acknowledgment and congestion signal.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time;

use ackclock_congestion::learning::{Actions, StepFacts};
use ackclock_units::Duration;

use crate::simulation::Simulation;
use crate::summary::Output;
use crate::world::agent::ActionChannel;

/// Simulated time between two checks whether the world was dropped.
const LOOK: Duration = Duration::from_millis(100);

/// The wait for a call between two looks for an interruption.
const PATIENCE: time::Duration = time::Duration::from_millis(100);

/// The agent's side of the channels before the simulation begins.
pub(super) struct AgentChannels {
    numbers: Sender<f64>,
    facts: Receiver<StepFacts>,
}

/// The controller's side and the agent's.
pub(super) fn channels(actions: Actions) -> (ActionChannel, AgentChannels) {
    let (numbers, asked) = channel();
    let (shown, facts) = channel();
    (ActionChannel::new(actions, shown, asked), AgentChannels { numbers, facts })
}

impl AgentChannels {
    /// Runs the simulation to the first call of the controller.
    pub fn begin(self, mut simulation: Simulation) -> SteppedRun {
        let stopped = Arc::new(AtomicBool::new(false));
        let looked = Arc::clone(&stopped);
        let thread = thread::spawn(move || {
            while !simulation.run_until(simulation.now() + LOOK) && !looked.load(Ordering::Relaxed) {}
            simulation.finish()
        });
        let facts = self.facts.recv().unwrap_or_default();
        SteppedRun { numbers: Some(self.numbers), incoming: self.facts, facts, stopped, thread: Some(thread) }
    }
}

/// A run that waits for the agent.
pub(super) struct SteppedRun {
    /// None once the run is to end.
    numbers: Option<Sender<f64>>,
    incoming: Receiver<StepFacts>,
    facts: StepFacts,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<Output>>,
}

impl SteppedRun {
    /// Answers and waits for the next call, for as long as `goes_on`; true at the end of the run.
    pub fn step(&mut self, number: f64, goes_on: &mut dyn FnMut() -> bool) -> bool {
        let went = self.numbers.as_ref().is_some_and(|numbers| numbers.send(number).is_ok());
        let next = loop {
            match self.incoming.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Timeout) if goes_on() => {}
                Err(RecvTimeoutError::Timeout) => return false,
                told => break told.ok().filter(|_| went),
            }
        };
        self.facts = next.unwrap_or(self.facts);
        next.is_none()
    }

    pub fn facts(&self) -> &StepFacts {
        &self.facts
    }

    pub fn finish(mut self) -> Output {
        self.stop();
        let ended =
            self.thread.take().map_or_else(|| unreachable!("a run is finished once"), JoinHandle::join);
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Releases the waiting controller, and makes the simulation pause soon.
    fn stop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.numbers = None;
    }
}

impl Drop for SteppedRun {
    fn drop(&mut self) {
        self.stop();
    }
}
