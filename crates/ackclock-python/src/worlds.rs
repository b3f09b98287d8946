//! Many simulations that pause. One call steps them on a pool of threads, without the interpreter's lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};

use ackclock_simulation::{Actions, Meaning, OBSERVATIONS, Span, World};
use ackclock_units::{Duration, PacketRate};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::convert::to_value_error;
use crate::locked::Locked;
use crate::run::RunOutput;
use crate::scenario::{Scenario, raise};

/// The interval of looks for signals.
const LOOK: std::time::Duration = std::time::Duration::from_millis(50);

/// Many worlds, each a simulation with the same number of agents.
#[pyclass(module = "ackclock._native")]
pub(crate) struct Worlds {
    each: Locked<Vec<Option<World>>>,
    agent: String,
    agents: usize,
    span: Span,
    actions: Actions,
    pool: Option<ThreadPool>,
}

#[pymethods]
impl Worlds {
    /// `count` worlds, none of which has begun. Flows whose algorithm is `agent` belong to the agents, and `action` is
    /// the meaning of their numbers. A step lasts `interval_s` seconds, or a round trip if that is None. With
    /// `each_acknowledgment` it lasts until the next acknowledgment or congestion signal of the only agent.
    #[new]
    #[pyo3(signature = (scenario, agent, count, *, action="factor", largest_window_packets=1e4,
        largest_rate_packets_per_s=1e6, interval_s=None, each_acknowledgment=false, threads=1))]
    #[expect(clippy::too_many_arguments, reason = "keywords of a constructor")]
    fn new(
        py: Python<'_>,
        scenario: &Scenario,
        agent: String,
        count: usize,
        action: &str,
        largest_window_packets: f64,
        largest_rate_packets_per_s: f64,
        interval_s: Option<f64>,
        each_acknowledgment: bool,
        threads: usize,
    ) -> PyResult<Worlds> {
        let meaning = Meaning::ALL.iter().find(|(name, _)| *name == action);
        let meaning =
            meaning.ok_or_else(|| PyValueError::new_err(format!("no action is named {action:?}")))?;
        let actions = Actions {
            meaning: meaning.1,
            largest_window: largest_window_packets,
            largest_rate: PacketRate(largest_rate_packets_per_s),
        };
        let span = match interval_s.map(Duration::from_secs_f64) {
            _ if each_acknowledgment => Span::Acknowledgment,
            Some(interval) => Span::Interval(interval),
            None => Span::RoundTrip,
        };
        let agents = begin(py, scenario, &agent, actions, span)?.agents();
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
        Ok(Worlds {
            each: Locked::new((0..count).map(|_| None).collect()),
            agent,
            agents,
            span,
            actions,
            pool: pool.transpose().map_err(to_value_error)?,
        })
    }

    /// The meanings that a number of an agent can have.
    #[staticmethod]
    fn actions() -> Vec<&'static str> {
        Meaning::ALL.iter().map(|(name, _)| *name).collect()
    }

    /// The name, the meaning and the largest value of each quantity that an agent can observe of a step.
    #[staticmethod]
    fn observations() -> Vec<(&'static str, &'static str, f64)> {
        OBSERVATIONS.iter().map(|shown| (shown.name, shown.meaning, shown.largest)).collect()
    }

    /// Agents in each world.
    #[getter]
    fn agents(&self) -> usize {
        self.agents
    }

    /// Restarts a world with this scenario. Returns the observations of its agents before the first step.
    fn reset(&mut self, py: Python<'_>, world: usize, scenario: &Scenario) -> PyResult<Vec<Vec<f64>>> {
        let begun = begin(py, scenario, &self.agent, self.actions, self.span)?;
        if begun.agents() != self.agents {
            let message = format!("{} agents, but the worlds have {}", begun.agents(), self.agents);
            return Err(PyValueError::new_err(message));
        }
        let mut facts = Vec::new();
        begun.each_facts(|shown| facts.push(shown.observed().to_vec()));
        *self.world(world)? = Some(begun);
        Ok(facts)
    }

    /// Steps the worlds that have begun and are not over. `numbers` holds a number for each agent, world by world; `observed`
    /// receives the observations of each agent. Returns for each world whether it is over.
    fn step(
        &mut self,
        py: Python<'_>,
        numbers: PyBuffer<f64>,
        observed: PyBuffer<f64>,
    ) -> PyResult<Vec<bool>> {
        let Worlds { agents, pool, .. } = self;
        let agents = *agents;
        let worlds = self.each.change();
        let rows = worlds.len() * agents;
        let (numbers, mut values) = (numbers.to_vec(py)?, observed.to_vec(py)?);
        if numbers.len() != rows || values.len() != rows * OBSERVATIONS.len() {
            return Err(PyValueError::new_err(format!(
                "{} numbers and {} observations; {rows} agents have one and {} each",
                numbers.len(),
                values.len(),
                OBSERVATIONS.len()
            )));
        }
        numbers.iter().try_for_each(|number| finite(*number))?;
        let mut interrupt = Interrupt::default();
        let over = py.detach(|| {
            let width = agents * OBSERVATIONS.len();
            if let Some(pool) = pool {
                let (numbers, values) = (numbers.par_chunks(agents), values.par_chunks_mut(width));
                let each = worlds.par_iter_mut().zip(numbers).zip(values);
                step_on(pool, &mut interrupt, |goes_on| {
                    each.map(|((world, numbers), values)| {
                        step(world.as_mut(), numbers, values, &mut || goes_on.load(Ordering::Relaxed))
                    })
                    .collect()
                })
            } else {
                let each = worlds.iter_mut().zip(numbers.chunks(agents)).zip(values.chunks_mut(width));
                each.map(|((world, numbers), values)| {
                    step(world.as_mut(), numbers, values, &mut || interrupt.goes_on())
                })
                .collect()
            }
        });
        interrupt.raise()?;
        observed.copy_from_slice(py, &values)?;
        Ok(over)
    }

    /// Steps the world of the only agent. Returns its observations, and whether the world is over.
    fn step_one<'py>(&mut self, py: Python<'py>, number: f64) -> PyResult<(Bound<'py, PyTuple>, bool)> {
        finite(number)?;
        let agents = self.agents;
        let [world] = self.each.change().as_mut_slice() else {
            return Err(PyValueError::new_err("step_one steps one world; step has a number for each"));
        };
        let world = world.as_mut().filter(|_| agents == 1);
        let world = world.ok_or_else(|| PyValueError::new_err("step_one steps one agent, after reset"))?;
        let mut values = [0.0; OBSERVATIONS.len()];
        let mut interrupt = Interrupt::default();
        let over = py.detach(|| step(Some(world), &[number], &mut values, &mut || interrupt.goes_on()));
        interrupt.raise()?;
        Ok((PyTuple::new(py, values)?, over))
    }

    /// Ends a world at its present time. Returns the output of its run.
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

fn begin(py: Python<'_>, scenario: &Scenario, agent: &str, actions: Actions, span: Span) -> PyResult<World> {
    scenario.scenario.without_stacks().map_err(|error| raise(py, &error))?;
    World::new(&scenario.scenario, agent, actions, span).map_err(to_value_error)
}

fn finite(number: f64) -> PyResult<()> {
    let message = || PyValueError::new_err(format!("an action is {number}; actions are finite numbers"));
    number.is_finite().then_some(()).ok_or_else(message)
}

/// Ctrl-C during a step.
#[derive(Default)]
struct Interrupt(Option<PyErr>);

impl Interrupt {
    /// Lets Python handle signals; false once one has raised an exception.
    fn goes_on(&mut self) -> bool {
        if self.0.is_none() {
            self.0 = Python::attach(|py| py.check_signals().err());
        }
        self.0.is_none()
    }

    fn raise(self) -> PyResult<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// Does the work in the pool. This thread, which alone gets signals, looks for them meanwhile.
fn step_on(
    pool: &ThreadPool,
    interrupt: &mut Interrupt,
    work: impl FnOnce(&AtomicBool) -> Vec<bool> + Send,
) -> Vec<bool> {
    let goes_on = AtomicBool::new(true);
    let (tell, told) = channel();
    pool.in_place_scope(|scope| {
        let goes_on = &goes_on;
        scope.spawn(move |_| tell.send(work(goes_on)).unwrap_or_default());
        loop {
            match told.recv_timeout(LOOK) {
                Ok(over) => return over,
                Err(RecvTimeoutError::Timeout) => goes_on.store(interrupt.goes_on(), Ordering::Relaxed),
                // The scope passes the panic on.
                Err(RecvTimeoutError::Disconnected) => return Vec::new(),
            }
        }
    })
}

/// Makes one step of a world that has begun and is not over, and stores its observations. Returns whether it is over.
fn step(
    world: Option<&mut World>,
    numbers: &[f64],
    values: &mut [f64],
    goes_on: &mut dyn FnMut() -> bool,
) -> bool {
    let Some(world) = world else { return true };
    let over = world.is_over() || world.step_while(numbers, goes_on);
    let mut rows = values.chunks_exact_mut(OBSERVATIONS.len());
    world.each_facts(|facts| {
        if let Some(row) = rows.next() {
            row.copy_from_slice(&facts.observed());
        }
    });
    over
}
