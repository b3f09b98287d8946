//! A simulation that goes on in steps, with flows whose windows agents set between them.

use std::cell::RefCell;

use ackclock_congestion::Start;
use ackclock_units::Duration;

use crate::agent::{Actions, AgentPort, Meaning, StepFacts};
use crate::scenario::Scenario;
use crate::simulation::Simulation;
use crate::summary::Output;

/// Simulated time between two looks for the first round-trip time.
const LOOK: Duration = Duration::from_millis(1);

/// A run of a scenario in which agents set windows.
pub struct World {
    simulation: Simulation,
    agents: Vec<AgentPort>,
    actions: Actions,
    over: bool,
}

impl World {
    /// Builds the network and all endpoints. The flows whose algorithm is `name` are the agents', in file order; `actions` is
    /// the meaning of their numbers, and they are paced where that is a rate.
    ///
    /// # Errors
    /// When no flow is an agent's, or one opens more connections than one.
    pub fn new(scenario: &Scenario, name: &str, actions: Actions) -> Result<World, String> {
        let is_agent = |spec: &str| spec.rsplit('+').next().is_some_and(|last| last.trim() == name);
        let flows = scenario.flows();
        let segments = flows.iter().filter(|flow| is_agent(flow.algorithm));
        let segments: Vec<u64> = segments.map(|flow| flow.group.tcp.mss.get()).collect();
        if segments.is_empty() {
            return Err(format!("no flow of {:?} has the algorithm {name:?}", scenario.name));
        }
        let ports = RefCell::new(Vec::new());
        let make = |_: &str, start: &Start| {
            let (port, controller) = AgentPort::new(start, actions.meaning == Meaning::Rate);
            ports.borrow_mut().push(port);
            controller
        };
        let simulation = Simulation::with_controllers(scenario, &[name], &make);
        let agents = ports.into_inner();
        if agents.len() != segments.len() {
            return Err(format!(
                "flows with the algorithm {name:?} keep one connection each, which they open once; those of {:?} open others",
                scenario.name
            ));
        }
        agents.iter().zip(segments).for_each(|(agent, bytes)| agent.set_segment_bytes(bytes));
        Ok(World { simulation, agents, actions, over: false })
    }

    /// The number of flows whose windows agents set.
    pub fn agents(&self) -> usize {
        self.agents.len()
    }

    /// True once the run is at its end.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Carries out the number of each agent and goes on for `span`, or for the longest smoothed round-trip time of the
    /// agents; before the first measurement, until there is one and then for a round trip. True at the end of the run.
    pub fn step(&mut self, numbers: &[f64], span: Option<Duration>) -> bool {
        let before = self.simulation.now();
        self.agents.iter().zip(numbers).for_each(|(agent, number)| agent.act(&self.actions, *number));
        let span = span.unwrap_or_else(|| self.round_trip());
        self.over = self.simulation.run_until(self.simulation.now() + span);
        let duration = self.simulation.now().since(before);
        self.agents.iter().for_each(|agent| agent.end(duration));
        self.over
    }

    /// The longest smoothed round-trip time of the agents; time passes until there is one.
    fn round_trip(&mut self) -> Duration {
        loop {
            let longest = self.agents.iter().map(|agent| agent.facts().srtt).max().unwrap_or_default();
            if !longest.is_zero() || self.simulation.run_until(self.simulation.now() + LOOK) {
                return longest;
            }
        }
    }

    /// The facts of the latest step, of each agent.
    pub fn facts(&self) -> impl Iterator<Item = StepFacts> {
        self.agents.iter().map(AgentPort::facts)
    }

    /// Ends the run here; its tables.
    pub fn finish(self) -> Output {
        self.simulation.finish()
    }
}
