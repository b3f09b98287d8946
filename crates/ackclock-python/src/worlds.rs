//! Many simulations that pause, stepped by one call on a pool of threads, without the interpreter's lock.

use ackclock_simulation::{Action, FACTS, World};
use ackclock_units::{Duration, PacketRate};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::convert::to_value_error;
use crate::locked::Locked;
use crate::run::RunOutput;
use crate::scenario::{Scenario, raise};

/// Numbers of an action: the window in packets, and the pacing rate in packets per second or zero.
const ACTION: usize = 2;

/// Many worlds, each a simulation with the same number of agents.
#[pyclass(module = "ackclock._native")]
pub(crate) struct Worlds {
    each: Locked<Vec<Option<World>>>,
    agent: String,
    agents: usize,
    /// The length of a step; none for a round trip.
    interval: Option<Duration>,
    paced: bool,
    pool: Option<ThreadPool>,
}

#[pymethods]
impl Worlds {
    /// `count` worlds, none of which has begun. Flows whose algorithm is `agent` are the agents'. A step lasts `interval_s`
    /// seconds, or a round trip where that is None.
    #[new]
    #[pyo3(signature = (scenario, agent, count, *, interval_s=None, paced=false, threads=1))]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        agent: String,
        count: usize,
        interval_s: Option<f64>,
        paced: bool,
        threads: usize,
    ) -> PyResult<Worlds> {
        let agents = begin(py, scenario, &agent, paced)?.agents();
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Worlds {
            each: Locked::new((0..count).map(|_| None).collect()),
            agent,
            agents,
            interval: interval_s.map(Duration::from_secs_f64),
            paced,
            pool: pool.transpose().map_err(to_value_error)?,
        })
    }

    /// The names of the facts of a step, with their units.
    #[staticmethod]
    fn facts() -> Vec<&'static str> {
        FACTS.to_vec()
    }

    /// Agents in each world.
    #[getter]
    fn agents(&self) -> usize {
        self.agents
    }

    /// Begins a world again with this scenario; the facts of its agents before the first step.
    fn reset(&mut self, py: Python<'_>, world: usize, scenario: &Scenario) -> PyResult<Vec<Vec<f64>>> {
        let begun = begin(py, scenario, &self.agent, self.paced)?;
        if begun.agents() != self.agents {
            let message = format!("{} agents, but the worlds have {}", begun.agents(), self.agents);
            return Err(PyValueError::new_err(message));
        }
        let facts = begun.facts().map(|facts| facts.values().to_vec()).collect();
        *self.world(world)? = Some(begun);
        Ok(facts)
    }

    /// Steps the worlds that have begun and are not over. `actions` holds a window in packets and a pacing rate in packets
    /// per second (0 for none) for each agent, world by world; `facts` receives the facts of each agent. Gives for each
    /// world whether it is over.
    fn step(&mut self, py: Python<'_>, actions: PyBuffer<f64>, facts: PyBuffer<f64>) -> PyResult<Vec<bool>> {
        let Worlds { agents, interval, pool, .. } = self;
        let (agents, interval) = (*agents, *interval);
        let worlds = self.each.change();
        let rows = worlds.len() * agents;
        let (actions, mut values) = (actions.to_vec(py)?, facts.to_vec(py)?);
        if actions.len() != rows * ACTION || values.len() != rows * FACTS.len() {
            return Err(PyValueError::new_err(format!(
                "{} actions and {} facts; {rows} agents have {ACTION} and {} each",
                actions.len(),
                values.len(),
                FACTS.len()
            )));
        }
        if let Some(wrong) = actions.iter().find(|value| !(value.is_finite() && **value >= 0.0)) {
            return Err(PyValueError::new_err(format!(
                "an action has {wrong}; windows and rates are finite"
            )));
        }
        if let Some(wrong) = actions.iter().step_by(ACTION).find(|window| **window < 1.0) {
            return Err(PyValueError::new_err(format!("a window of {wrong} packets; the least is 1")));
        }
        let step = |((world, actions), values): ((&mut Option<World>, &[f64]), &mut [f64])| {
            step(world.as_mut(), actions, interval, values)
        };
        let over = py.detach(|| {
            if let Some(pool) = pool {
                let actions = actions.par_chunks(agents * ACTION);
                let values = values.par_chunks_mut(agents * FACTS.len());
                pool.install(|| worlds.par_iter_mut().zip(actions).zip(values).map(step).collect())
            } else {
                let actions = actions.chunks(agents * ACTION);
                let values = values.chunks_mut(agents * FACTS.len());
                worlds.iter_mut().zip(actions).zip(values).map(step).collect()
            }
        });
        facts.copy_from_slice(py, &values)?;
        Ok(over)
    }

    /// Ends a world where it is; the output of its run.
    fn finish(&mut self, py: Python<'_>, world: usize) -> PyResult<RunOutput> {
        let ended = self.world(world)?.take();
        let ended = ended.ok_or_else(|| PyValueError::new_err(format!("world {world} has not begun")))?;
        Ok(py.detach(|| RunOutput::from(ended.finish())))
    }
}

impl Worlds {
    fn world(&mut self, index: usize) -> PyResult<&mut Option<World>> {
        let worlds = self.each.change();
        let count = worlds.len();
        let message = || PyIndexError::new_err(format!("world {index} of {count}"));
        worlds.get_mut(index).ok_or_else(message)
    }
}

fn begin(py: Python<'_>, scenario: &Scenario, agent: &str, paced: bool) -> PyResult<World> {
    scenario.0.without_stacks().map_err(|error| raise(py, &error))?;
    World::new(&scenario.0, agent, paced).map_err(to_value_error)
}

/// One step of a world that goes on, and its facts; whether it is over.
fn step(world: Option<&mut World>, actions: &[f64], interval: Option<Duration>, values: &mut [f64]) -> bool {
    let Some(world) = world.filter(|world| !world.is_over()) else { return true };
    let actions = actions.chunks_exact(ACTION).map(|action| Action {
        window: action[0],
        pacing_rate: (action[1] > 0.0).then_some(PacketRate(action[1])),
    });
    let over = world.step(actions, interval);
    for (row, facts) in values.chunks_exact_mut(FACTS.len()).zip(world.facts()) {
        row.copy_from_slice(&facts.values());
    }
    over
}
