//! A simulation that advances in steps, with flows whose windows agents set between the steps.

mod agent;
mod stepped_run;

use std::cell::RefCell;

use ackclock_congestion::Start;
use ackclock_congestion::learning::{Actions, Meaning, StepFacts};
use ackclock_scenario::Scenario;
use ackclock_units::{Duration, Time};

use crate::simulation::Simulation;
use crate::summary::Output;
use crate::world::agent::{ActionChannel, AgentPort};
use stepped_run::SteppedRun;

/// Simulated time between two checks for the first round-trip time.
const LOOK: Duration = Duration::from_millis(1);

/// Simulated time between two looks for an interruption.
const PART: Duration = Duration::from_millis(100);

const LOOKS_PER_PART: u64 = 100;

/// The length of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Span {
    /// The longest smoothed round-trip time of the agents. Before the first measurement, a step lasts until there is
    /// one and then for a round trip.
    RoundTrip,
    /// This time.
    Interval(Duration),
    /// Until the next acknowledgment or congestion signal, which waits for the agent's answer. Only one agent may do
    /// so.
    Acknowledgment,
}

/// A run of a scenario in which agents set windows.
pub struct World {
    progress: Progress,
    actions: Actions,
    over: bool,
}

enum Progress {
    /// The simulation between two steps, and its agents.
    Paused {
        simulation: Box<Simulation>,
        agents: Vec<AgentPort>,
        interval: Option<Duration>,
    },
    SteppedRun(SteppedRun),
}

impl World {
    /// Builds the network and all endpoints. The flows whose algorithm is `name` belong to the agents, in file
    /// order. `actions` is the meaning of the agents' numbers; if that is a rate, the flows are paced.
    ///
    /// # Errors
    /// When no flow belongs to an agent, when such a flow opens more than one connection, or when several agents
    /// would have to answer each call.
    pub fn new(scenario: &Scenario, name: &str, actions: Actions, span: Span) -> Result<World, String> {
        let (progress, over) = match span {
            Span::Acknowledgment => {
                let (channel, agent) = stepped_run::channels(actions);
                let (simulation, agents) = assemble(scenario, name, actions, Some(channel))?;
                if agents.len() > 1 {
                    let count = agents.len();
                    return Err(format!("{count} agents; a step for each acknowledgment is for one"));
                }
                (Progress::SteppedRun(agent.begin(simulation)), false)
            }
            Span::RoundTrip | Span::Interval(_) => {
                let (simulation, agents) = assemble(scenario, name, actions, None)?;
                let interval = if let Span::Interval(interval) = span { Some(interval) } else { None };
                (Progress::Paused { simulation: Box::new(simulation), agents, interval }, false)
            }
        };
        Ok(World { progress, actions, over })
    }

    /// The number of flows whose windows agents set.
    pub fn agents(&self) -> usize {
        match &self.progress {
            Progress::Paused { agents, .. } => agents.len(),
            Progress::SteppedRun(_) => 1,
        }
    }

    /// True once the run is at its end.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Applies the number of each agent and runs to the end of the step. Returns true at the end of the run.
    pub fn step(&mut self, numbers: &[f64]) -> bool {
        self.step_while(numbers, &mut || true)
    }

    /// As [`World::step`], with a look at `goes_on` after each tenth of a second that is simulated: a step may last for as long as
    /// the run. Where it says no, the step ends there.
    pub fn step_while(&mut self, numbers: &[f64], goes_on: &mut dyn FnMut() -> bool) -> bool {
        self.over = match &mut self.progress {
            Progress::SteppedRun(run) => run.step(numbers[0], goes_on),
            Progress::Paused { simulation, agents, interval } => {
                let before = simulation.now();
                agents.iter().zip(numbers).for_each(|(agent, number)| agent.act(&self.actions, *number));
                let span = interval.unwrap_or_else(|| round_trip(simulation, agents, goes_on));
                let over = run_while(simulation, simulation.now() + span, goes_on);
                let duration = simulation.now().since(before);
                for agent in agents.iter() {
                    agent.end(duration);
                }
                over
            }
        };
        self.over
    }

    /// Visits each agent's facts of the latest step.
    pub fn each_facts(&self, mut visit: impl FnMut(&StepFacts)) {
        match &self.progress {
            Progress::Paused { agents, .. } => agents.iter().for_each(|agent| visit(&agent.facts())),
            Progress::SteppedRun(run) => visit(run.facts()),
        }
    }

    /// Ends the run here; its tables.
    pub fn finish(self) -> Output {
        match self.progress {
            Progress::Paused { simulation, .. } => simulation.finish(),
            Progress::SteppedRun(run) => run.finish(),
        }
    }
}

/// Lets time pass until an instant, for as long as `goes_on`; true at the end of the run.
fn run_while(simulation: &mut Simulation, until: Time, goes_on: &mut dyn FnMut() -> bool) -> bool {
    loop {
        let over = simulation.run_until(until.min(simulation.now() + PART));
        if over || simulation.now() >= until || !goes_on() {
            return over;
        }
    }
}

/// The longest smoothed round-trip time of the agents; time passes until there is one, for as long as `goes_on`.
fn round_trip(
    simulation: &mut Simulation,
    agents: &[AgentPort],
    goes_on: &mut dyn FnMut() -> bool,
) -> Duration {
    let mut looks = 0_u64;
    loop {
        let longest = agents.iter().map(|agent| agent.facts().srtt).max().unwrap_or_default();
        if !longest.is_zero() || simulation.run_until(simulation.now() + LOOK) {
            return longest;
        }
        looks += 1;
        if looks.is_multiple_of(LOOKS_PER_PART) && !goes_on() {
            return longest;
        }
    }
}

/// The simulation and its agents. The first agent answers through the channel, if there is one.
fn assemble(
    scenario: &Scenario,
    name: &str,
    actions: Actions,
    channel: Option<ActionChannel>,
) -> Result<(Simulation, Vec<AgentPort>), String> {
    let is_agent = |spec: &str| spec.rsplit('+').next().is_some_and(|last| last.trim() == name);
    let flows = scenario.flows();
    let segments = flows.iter().filter(|flow| is_agent(flow.algorithm));
    let segments: Vec<u64> = segments.map(|flow| flow.group.tcp.mss.get()).collect();
    if segments.is_empty() {
        return Err(format!("no flow of {:?} has the algorithm {name:?}", scenario.name));
    }
    let (ports, channel) = (RefCell::new(Vec::new()), RefCell::new(channel));
    let make = |_: &str, start: &Start| {
        let paced = actions.meaning == Meaning::Rate;
        let (port, controller) = AgentPort::new(start, paced, channel.borrow_mut().take());
        ports.borrow_mut().push(port);
        controller
    };
    let simulation =
        Simulation::with_controllers(scenario, &[name], &make).map_err(|error| error.to_string())?;
    let agents = ports.into_inner();
    if agents.len() != segments.len() {
        return Err(format!(
            "flows with the algorithm {name:?} keep one connection each, which they open once; those of {:?} open others",
            scenario.name
        ));
    }
    agents.iter().zip(segments).for_each(|(agent, bytes)| agent.set_segment_bytes(bytes));
    Ok((simulation, agents))
}
