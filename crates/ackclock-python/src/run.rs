//! Runs a scenario. The GIL is released, and taken now and then to report progress.

use std::sync::Arc;

use ackclock_catalogue::nearest;
use ackclock_congestion::learning::{self, Policy};
use ackclock_congestion::media::{MediaControl, MediaStart};
use ackclock_congestion::registry::OwnParts;
use ackclock_congestion::{CongestionControl, Event, Start};
use ackclock_simulation::{Column, Output, Simulation};
use pyo3::exceptions::{PyKeyError, PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyNone};

use crate::answers;
use crate::facts::Shown;
use crate::python_controller::{PythonController, Shared};
use crate::python_media::{PythonMedia, StartFacts};
use crate::python_part::PythonPart;
use crate::scenario::{Scenario, raise};
use crate::signals::RunOfClasses;

/// Events between two checks of signals and progress: some hundredths of a second.
const EVENTS_PER_STEP: u64 = 200_000;

/// The same where classes of the caller answer, which take a hundred times as long.
const EVENTS_PER_STEP_OF_CLASSES: u64 = 2_000;

/// The results of one simulation: counts, tables as buffers, captures.
#[pyclass(module = "ackclock._native")]
pub(crate) struct RunOutput {
    output: Output,
    packets_delivered: u64,
}

impl From<Output> for RunOutput {
    fn from(output: Output) -> RunOutput {
        RunOutput { packets_delivered: output.packets_delivered(), output }
    }
}

/// Simulates a scenario to its end, or raises `OverBudgetError` after the work of `most_events` events.
#[pyfunction]
#[pyo3(signature = (scenario, algorithms=None, progress=None, most_events=None))]
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    algorithms: Option<&Bound<'_, PyDict>>,
    progress: Option<Py<PyAny>>,
    most_events: Option<u64>,
) -> PyResult<RunOutput> {
    let mut factories = Vec::new();
    for (name, factory) in algorithms.into_iter().flatten() {
        factories.push(Factory {
            name: name.extract()?,
            takes_start: takes_start(&factory)?,
            policy: policy_of(&factory)?,
            callable: factory.unbind(),
        });
    }
    let shared = Arc::new(Shared::default());
    let is_compiled = factories.iter().all(|factory| factory.policy.is_some());
    let _counted = (!is_compiled).then(RunOfClasses::begin);
    let output = py.detach(|| {
        let own: Vec<&str> = factories.iter().map(|factory| factory.name.as_str()).collect();
        let composed = scenario.scenario.composed(&own);
        let names: Vec<&str> = own.iter().copied().chain(composed.iter().map(String::as_str)).collect();
        let make = |name: &str, start: &Start| make_controller(&factories, name, start, &shared);
        let media = |name: &str, start: &MediaStart| make_media(&factories, name, start, &shared);
        #[cfg(not(feature = "quic"))]
        let begun = scenario.scenario.without_stacks().and_then(|()| {
            Simulation::with_media(
                &scenario.scenario,
                &names,
                (&make, &media),
                &ackclock_simulation::stack::NoStacks,
            )
        });
        #[cfg(feature = "quic")]
        let begun = Simulation::with_media(
            &scenario.scenario,
            &names,
            (&make, &media),
            &ackclock_quic::SimulatedStacks::default(),
        );
        let mut simulation = begun.map_err(|error| Python::attach(|py| raise(py, &error)))?;
        let events = if is_compiled { EVENTS_PER_STEP } else { EVENTS_PER_STEP_OF_CLASSES };
        while !shared.has_failed() && !simulation.advance(events) {
            Python::attach(|py| report(py, progress.as_ref(), &simulation))?;
            if most_events.is_some_and(|most| simulation.work() > most) {
                return Err(over_budget(&simulation));
            }
        }
        Ok::<_, PyErr>((!shared.has_failed()).then(|| simulation.finish()))
    })?;
    match output {
        Some(output) => Ok(RunOutput::from(output)),
        None => {
            Err(shared.take_failure().unwrap_or_else(|| PyKeyboardInterrupt::new_err("the run was stopped")))
        }
    }
}

/// A class of the caller, or a function that makes its objects.
struct Factory {
    name: String,
    callable: Py<PyAny>,
    /// True if it is called with the [`Start`] of the connection, not without arguments.
    takes_start: bool,
    /// The weights of a class that is only a trained policy: it runs compiled, some hundred times faster.
    policy: Option<Arc<Policy>>,
}

/// The policy of a class that `ackclock.gym` makes from weights only.
fn policy_of(factory: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Policy>>> {
    let Some(weights) = factory.getattr_opt("policy_weights")? else { return Ok(None) };
    let weights: String = weights.call0()?.extract()?;
    let policy = (!weights.is_empty()).then(|| ackclock_policy::from_json(&weights)).transpose();
    Ok(policy.map_err(PyValueError::new_err)?.map(Arc::new))
}

/// True if a factory has a parameter called `start`, or any that has no default.
fn takes_start(factory: &Bound<'_, PyAny>) -> PyResult<bool> {
    let inspect = factory.py().import("inspect")?;
    let Ok(signature) = inspect.call_method1("signature", (factory,)) else { return Ok(false) };
    let empty = inspect.getattr("Parameter")?.getattr("empty")?;
    for parameter in signature.getattr("parameters")?.call_method0("values")?.try_iter()? {
        let parameter = parameter?;
        let kind: String = parameter.getattr("kind")?.getattr("name")?.extract()?;
        let is_named = parameter.getattr("name")?.eq("start")?;
        if is_named || (kind.starts_with("POSITIONAL") && parameter.getattr("default")?.is(&empty)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes one of the caller's controllers, or one of which a part is the caller's. If a factory raises, its exception is
/// stored in `shared`.
fn make_controller(
    factories: &[Factory],
    name: &str,
    start: &Start,
    shared: &Arc<Shared>,
) -> Box<dyn CongestionControl> {
    let own: Vec<&str> = factories.iter().map(|factory| factory.name.as_str()).collect();
    if let Ok(Some(parts)) = OwnParts::read(name, &own) {
        let part =
            |name: &str| PythonPart::new(made(factories, name, start.show(), &CONTROLLER, shared), shared);
        return parts.build(start, part, part);
    }
    let known = factories.iter().find(|known| known.name == name);
    if let Some(policy) = known.and_then(|known| known.policy.as_ref()) {
        return learning::controller(Arc::clone(policy), start);
    }
    let takes_start = known.is_some_and(|known| known.takes_start);
    let object = made(factories, name, start.show(), &CONTROLLER, shared);
    let controller = PythonController::new(object, Arc::clone(shared));
    let cwnd = controller.decision().cwnd;
    if !takes_start && !shared.has_failed() && !begins_as(start, cwnd) {
        shared.fail(other_start(name, start, cwnd));
    }
    Box::new(controller)
}

/// Makes one of the caller's congestion controls for media. If the class raises, its exception is stored in `shared`.
fn make_media(
    factories: &[Factory],
    name: &str,
    start: &MediaStart,
    shared: &Arc<Shared>,
) -> Box<dyn MediaControl> {
    let kind = Kind {
        methods: &["on_report"],
        optional: &|| vec!["on_frame"],
        expected: "a congestion control of calls, with on_report(report) and target",
    };
    let object = made(factories, name, StartFacts::from(start), &kind, shared);
    Box::new(PythonMedia::new(object, Arc::clone(shared), start))
}

/// The methods that an object of the caller must have.
struct Kind {
    methods: &'static [&'static str],
    /// Those that it may have.
    optional: &'static (dyn Fn() -> Vec<&'static str> + Sync),
    expected: &'static str,
}

const CONTROLLER: Kind = Kind {
    methods: &["on_ack", "on_congestion"],
    optional: &|| Event::KINDS.iter().map(|kind| kind.method).collect(),
    expected: "a controller, with on_ack(ack), on_congestion(event) and cwnd",
};

/// A method that nothing calls, and the one that it was probably meant to be.
fn misspelt(object: &Bound<'_, PyAny>, kind: &Kind) -> PyResult<Option<(String, &'static str)>> {
    let known = [kind.methods.to_vec(), (kind.optional)()].concat();
    for name in object.dir()? {
        let name: String = name.extract()?;
        let is_called = !name.starts_with("on_") || known.contains(&name.as_str());
        if !is_called && let Some(meant) = nearest(&name, known.iter().copied()) {
            return Ok(Some((name, meant)));
        }
    }
    Ok(None)
}

/// An object of the caller's class; none if it could not be made, and then `shared` has the exception.
fn made<Start: for<'py> IntoPyObject<'py>>(
    factories: &[Factory],
    name: &str,
    start: Start,
    kind: &Kind,
    shared: &Shared,
) -> Py<PyAny> {
    let made = Python::attach(|py| {
        let factory = factories
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| PyKeyError::new_err(format!("no class was given for the algorithm {name:?}")))?;
        let made = if factory.takes_start {
            factory.callable.call1(py, (start,))
        } else {
            factory.callable.call0(py)
        };
        let callable = factory.callable.bind(py);
        let made = made.map_err(|error| answers::misuse(callable, "", error, "__init__(self, start)"))?;
        if let Some((found, meant)) = misspelt(made.bind(py), kind)? {
            let expected = format!("{}: it has {found}; did you mean {meant:?}?", kind.expected);
            return Err(answers::wrong(callable, "", made.bind(py), &expected));
        }
        for method in kind.methods {
            if !made.bind(py).hasattr(*method)? {
                let expected = format!("{}: it has no {method}", kind.expected);
                return Err(answers::wrong(callable, "", made.bind(py), &expected));
            }
        }
        Ok(made)
    });
    made.unwrap_or_else(|error| {
        shared.fail(error);
        none()
    })
}

/// True if a controller begins with the window of the connection.
fn begins_as(start: &Start, cwnd: f64) -> bool {
    (cwnd - start.initial_window).abs() <= 1e-9 * start.initial_window
}

/// The error of a controller that begins with another window, and so competes unequally.
fn other_start(name: &str, start: &Start, cwnd: f64) -> PyErr {
    let message = format!(
        "{name} begins with {cwnd} packets, the scenario's connections with {}: take the start, as in \
         `def __init__(self, start): self.cwnd = start.initial_window`, or set tcp.initial_window",
        start.initial_window
    );
    error_of("InputError", &message)
}

/// The error of a run that has done the work that it may.
fn over_budget(simulation: &Simulation) -> PyErr {
    let (now, end) = (simulation.now().as_secs_f64(), simulation.end().as_secs_f64());
    error_of("OverBudgetError", &format!("stopped at {now:.3} s of {end} s"))
}

/// An error of the package by the name of its class.
fn error_of(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let class = py.import("ackclock.errors").and_then(|module| module.getattr(class));
        match class.and_then(|class| class.call1((message,))) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

fn none() -> Py<PyAny> {
    Python::attach(|py| PyNone::get(py).to_owned().into_any().unbind())
}

/// Lets Python handle signals, and reports how many seconds are simulated. If the callback returns False, the run
/// stops.
fn report(py: Python<'_>, progress: Option<&Py<PyAny>>, simulation: &Simulation) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        let answer = progress.call1(py, (simulation.now().as_secs_f64(),))?;
        if !answer.is_none(py) && !answer.is_truthy(py)? {
            return Err(PyKeyboardInterrupt::new_err("the run was stopped"));
        }
    }
    Ok(())
}

#[pymethods]
impl RunOutput {
    #[getter]
    fn events(&self) -> u64 {
        self.output.events
    }

    #[getter]
    fn packets_delivered(&self) -> u64 {
        self.packets_delivered
    }

    /// The digest of all tables, before any is taken.
    #[getter]
    fn digest(&self) -> u64 {
        self.output.digest()
    }

    #[getter]
    fn conserved(&self) -> bool {
        self.output.conservation.holds()
    }

    #[getter]
    fn finished_at_s(&self) -> f64 {
        self.output.finished_at.as_secs_f64()
    }

    #[getter]
    fn pcapng<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (point, file) in self.output.captures() {
            files.set_item(point, PyBytes::new(py, &file))?;
        }
        Ok(files)
    }

    #[getter]
    fn qlog<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let files = PyDict::new(py);
        for (flow, file) in self.output.qlogs() {
            files.set_item(flow, PyBytes::new(py, file))?;
        }
        Ok(files)
    }

    /// Takes a table's columns: name, type, and a little-endian buffer. For texts it returns the names and the buffer
    /// of each row's index into them (none if each row has its own name). Each column's memory is released before the
    /// next is copied. Returns None for a table that the scenario does not ask for.
    fn take_table<'py>(&mut self, py: Python<'py>, name: &str) -> PyResult<Option<Columns<'py>>> {
        let Some(table) = self.output.take_table(name) else { return Ok(None) };
        let columns = table.into_columns().into_iter();
        columns.map(|(name, column)| column_of(py, name, &column)).collect::<PyResult<_>>().map(Some)
    }
}

/// The name, the type and the data of each column of a table.
type Columns<'py> = Vec<(&'static str, &'static str, Bound<'py, PyAny>)>;

fn column_of<'py>(
    py: Python<'py>,
    name: &'static str,
    column: &Column,
) -> PyResult<(&'static str, &'static str, Bound<'py, PyAny>)> {
    Ok(match column {
        Column::Real(values) => (name, "f8", buffer(py, values, f64::to_le_bytes)?),
        Column::Count(values) => (name, "u8", buffer(py, values, u64::to_le_bytes)?),
        Column::Index(values) => (name, "u4", buffer(py, values, u32::to_le_bytes)?),
        Column::Text(texts) => {
            let rows = texts.rows().map(|rows| buffer(py, rows, u32::to_le_bytes)).transpose()?;
            (name, "str", (PyList::new(py, texts.names())?, rows).into_pyobject(py)?.into_any())
        }
    })
}

/// The bytes of a column.
fn buffer<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    values: &[T],
    bytes_of: impl Fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new_with(py, size_of_val(values), |bytes| {
        for (place, value) in bytes.chunks_exact_mut(SIZE).zip(values) {
            place.copy_from_slice(&bytes_of(*value));
        }
        Ok(())
    })?;
    Ok(bytes.into_any())
}
