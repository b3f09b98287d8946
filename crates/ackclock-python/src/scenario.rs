//! Scenarios and their errors, as Python sees them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use ackclock_simulation::scenario::{
    self, FlowGroup, ReadFile, ScenarioError as Invalid, Sketch, Unreadable,
};
use ackclock_transport::Stack;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(_native, ScenarioError, PyValueError, "A scenario that is not valid.");

/// The exception for an invalid scenario, with the facts of the message as attributes.
pub(crate) fn raise(py: Python<'_>, invalid: &Invalid) -> PyErr {
    let error = ScenarioError::new_err(invalid.to_string());
    let set = |name: &str, value: Option<&str>| error.value(py).setattr(name, value);
    let result = set("key", invalid.key.as_deref())
        .and_then(|()| set("found", invalid.found.as_deref()))
        .and_then(|()| set("message", Some(&invalid.message)))
        .and_then(|()| set("nearest", invalid.nearest.as_deref()))
        .and_then(|()| error.value(py).setattr("known", &invalid.known))
        .and_then(|()| set("file", None));
    result.err().unwrap_or(error)
}

/// The most bytes of a file that a scenario names. Tables of sizes or times have far fewer.
const LARGEST_FILE: u64 = 100_000_000;

/// The text of a file that a scenario names, from its folder on; with `within`, only of one below that folder.
fn read_file(folder: &Path, within: Option<&Path>, name: &str) -> Result<String, Unreadable> {
    let path = folder.join(name);
    let because = |reason: &str| Unreadable { reason: reason.to_owned(), others: Vec::new() };
    if let Some(within) = within
        && leads_out(within, &path, name)
    {
        return Err(because(&format!(
            "this file is not below {}, and a scenario or plan names no file elsewhere; copy it there, or trust whoever \
             wrote this (--trust, or trust=True in Python)",
            within.display()
        )));
    }
    if fs::metadata(&path).is_ok_and(|about| !about.is_file() || about.len() > LARGEST_FILE) {
        return Err(because("this is no file, or one too large for a table"));
    }
    fs::read_to_string(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Unreadable { reason: "there is no such file".to_owned(), others: tables(&path) }
        }
        ErrorKind::InvalidData => because("not a text file in UTF-8"),
        _ => because(&format!("cannot be read: {error}")),
    })
}

/// True if a path leads out of a folder, by its name or through symbolic links.
///
/// It says the same of a file that is there as of one that is not.
fn leads_out(within: &Path, path: &Path, name: &str) -> bool {
    let real =
        |path: &Path| fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let Ok(within) = real(within) else { return true };
    let Ok(found) = real(path).or_else(|_| path.parent().map_or(real(path), real)) else {
        return Path::new(name)
            .components()
            .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
    };
    !found.starts_with(within)
}

/// The names of the files with the same extension in the folder of `path`.
fn tables(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let kind = path.extension();
    let is_table = |name: &str| Path::new(name).extension() == kind;
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_table(name)).collect();
    names.sort();
    names
}

/// A node of a drawing: name, role, x, y, note.
type NodeTuple = (String, &'static str, f64, f64, String);
/// A link of a drawing: the numbers of its nodes, trunk, label.
type LinkTuple = (usize, usize, bool, Vec<String>);

/// The names without repetitions, in the order of their first occurrence.
fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// `from_toml` and its arguments.
type Reading<'py> = (Bound<'py, PyAny>, (String, Vec<String>, PathBuf, Option<PathBuf>));

/// Calls a function of the module that shows scenarios, which is loaded at the first call.
fn shown<'py>(
    scenario: &Bound<'py, Scenario>,
    function: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Py<PyAny>> {
    let view = scenario.py().import("ackclock.report.scenario_view")?;
    Ok(view.call_method1(function, arguments)?.unbind())
}

/// A valid, immutable description of one simulation: network, traffic, and what to record.
///
/// Read one with `ackclock.load_scenario`, or from text with `from_toml` and `from_json`.
#[pyclass(frozen, module = "ackclock._native")]
#[expect(clippy::struct_field_names, reason = "the field is what the class wraps")]
pub(crate) struct Scenario {
    pub scenario: scenario::Scenario,
    /// The folder to which its paths are relative.
    folder: PathBuf,
    /// The folder that holds all files that it may name.
    within: Option<PathBuf>,
}

impl Scenario {
    /// The scenario that `parse` makes, with the reader of the files that it names.
    fn read(
        py: Python<'_>,
        (folder, within): (PathBuf, Option<PathBuf>),
        parse: impl FnOnce(ReadFile<'_>) -> Result<scenario::Scenario, Invalid>,
    ) -> PyResult<Scenario> {
        let scenario = parse(&|name| read_file(&folder, within.as_deref(), name));
        scenario.map_err(|error| raise(py, &error)).map(|scenario| Scenario { scenario, folder, within })
    }

    /// The same scenario with other contents.
    fn with(&self, scenario: scenario::Scenario) -> Scenario {
        Scenario { scenario, folder: self.folder.clone(), within: self.within.clone() }
    }
}

#[pymethods]
impl Scenario {
    /// Reads TOML; `custom` names the caller's own algorithms, `folder` is where files are that it names, and `within`
    /// the folder that all of them must lie below. Raises `ScenarioError`.
    #[staticmethod]
    #[pyo3(
        signature = (text, custom=Vec::new(), folder=PathBuf::new(), within=None),
        text_signature = "(text, custom=(), folder='', within=None)"
    )]
    fn from_toml(
        py: Python<'_>,
        text: &str,
        custom: Vec<String>,
        folder: PathBuf,
        within: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        Scenario::read(py, (folder, within), |read| {
            scenario::Scenario::from_toml_and_files(text, &custom, read)
        })
    }

    /// Reads the same schema as JSON; the arguments are those of `from_toml`. Raises `ScenarioError`.
    #[staticmethod]
    #[pyo3(
        signature = (text, custom=Vec::new(), folder=PathBuf::new(), within=None),
        text_signature = "(text, custom=(), folder='', within=None)"
    )]
    fn from_json(
        py: Python<'_>,
        text: &str,
        custom: Vec<String>,
        folder: PathBuf,
        within: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        Scenario::read(py, (folder, within), |read| {
            scenario::Scenario::from_json_and_files(text, &custom, read)
        })
    }

    /// The scenario as JSON, as read.
    fn to_json(&self) -> String {
        self.scenario.to_json()
    }

    /// The scenario as TOML, as read.
    fn to_toml(&self) -> String {
        self.scenario.to_toml()
    }

    /// The tables that a run of the scenario does not record, with or without time series.
    fn unrecorded(&self, is_sampled: bool) -> Vec<&'static str> {
        self.scenario.unrecorded(is_sampled)
    }

    /// A copy with one value replaced, such as `with_value("tcp.mss", "1000 bytes")`. Raises `ScenarioError`.
    fn with_value(&self, py: Python<'_>, path: &str, value: &str) -> PyResult<Scenario> {
        self.with_values(py, vec![(path.to_owned(), value.to_owned())], PathBuf::new(), None)
    }

    /// A copy with several values replaced, checked when all are in place. Files that the values name are in `folder`,
    /// and must lie below `within`. Raises `ScenarioError`.
    #[pyo3(
        signature = (values, folder=PathBuf::new(), within=None),
        text_signature = "($self, values, folder='', within=None)"
    )]
    fn with_values(
        &self,
        py: Python<'_>,
        values: Vec<(String, String)>,
        folder: PathBuf,
        within: Option<PathBuf>,
    ) -> PyResult<Scenario> {
        let values = values.iter().map(|(path, value)| (path.as_str(), value.as_str()));
        let read = |name: &str| read_file(&folder, within.as_deref(), name);
        let changed = self.scenario.with_all_and_files(values, &read);
        changed.map_err(|error| raise(py, &error)).map(|changed| self.with(changed))
    }

    /// A copy in which these names of the caller's own algorithms may be used too.
    fn with_custom(&self, names: Vec<String>) -> Scenario {
        self.with(self.scenario.with_custom(&names))
    }

    /// The folder to which its paths are relative; empty for the working directory.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The folder below which all files lie that it may name; None if its writer is trusted.
    #[getter]
    fn within(&self) -> Option<PathBuf> {
        self.within.clone()
    }

    /// The algorithms of the TCP flows, each once, in the order of the flows.
    fn algorithm_names(&self) -> Vec<&str> {
        each_once(self.scenario.flow.iter().flat_map(FlowGroup::algorithm_names))
    }

    /// The congestion controls of the calls, each once, in the order of the calls.
    fn media_names(&self) -> Vec<&str> {
        each_once(self.scenario.call.iter().map(|group| group.algorithm.trim()))
    }

    /// The stacks that flows have instead of the simulator's TCP, each once, in the order of the flows.
    fn stack_names(&self) -> Vec<&'static str> {
        each_once(self.scenario.flow.iter().filter_map(|group| group.stack).map(Stack::name))
    }

    /// The values that the seed has drawn by the laws of `draw`, as (path, text).
    fn drawn(&self) -> Vec<(String, String)> {
        self.scenario.drawn().map(|(path, value)| (path.to_owned(), value)).collect()
    }

    /// A drawing of the network: its nodes as (name, role, x, y, note), and its links as (from, to, trunk, label) with
    /// the numbers of their nodes. Roles are "host", "router" and "text"; x goes from 0 to 1, y counts rows from the
    /// top; a trunk is a link that many share; a label is a list of lines.
    fn sketch(&self) -> (Vec<NodeTuple>, Vec<LinkTuple>) {
        let Sketch { nodes, links, .. } = self.scenario.sketch();
        let nodes = nodes.into_iter().map(|node| (node.name, node.role.name(), node.x, node.y, node.note));
        let links = links.into_iter().map(|link| (link.from, link.to, link.trunk, link.label));
        (nodes.collect(), links.collect())
    }

    /// A short name, for files and tables.
    #[getter]
    fn name(&self) -> &str {
        &self.scenario.name
    }

    /// One line for people.
    #[getter]
    fn title(&self) -> &str {
        &self.scenario.title
    }

    /// The purpose of the scenario and its source.
    #[getter]
    fn description(&self) -> &str {
        &self.scenario.description
    }

    /// The seed of all random numbers of a run.
    #[getter]
    fn seed(&self) -> u64 {
        self.scenario.seed
    }

    /// The simulated time, in seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.scenario.duration.as_secs_f64()
    }

    /// The warm-up that averages exclude, in seconds.
    #[getter]
    fn warm_up_s(&self) -> f64 {
        self.scenario.warm_up.as_secs_f64()
    }

    /// The number of flows, TCP and UDP.
    #[getter]
    fn flow_count(&self) -> u32 {
        self.scenario.flow_count()
    }

    /// The network and its facts, as notebooks show them.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        shown(slf, "html", (slf,))
    }

    /// The network as a matplotlib figure; `width` is in inches or a name, as "ieee-column".
    #[pyo3(signature = (*, width=None))]
    fn plot(slf: &Bound<'_, Self>, width: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        shown(slf, "plot", (slf, width))
    }

    /// Writes the scenario as TOML into a file, or as <name>.toml into a folder; its path. Raises `OutputError`.
    fn save(slf: &Bound<'_, Self>, path: Py<PyAny>) -> PyResult<Py<PyAny>> {
        shown(slf, "save", (slf, path))
    }

    /// Its facts as a `tabular` for LaTeX' package booktabs.
    fn to_latex(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        shown(slf, "to_latex", (slf,))
    }

    /// Its facts as a pandas data frame. Raises `InputError` where pandas is not installed.
    fn to_pandas(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        shown(slf, "to_pandas", (slf,))
    }

    /// For `pickle`: how to read the scenario again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reading<'py>> {
        let scenario = slf.get();
        let read = slf.get_type().getattr("from_toml")?;
        let custom = scenario.scenario.custom().to_vec();
        Ok((read, (scenario.scenario.to_toml(), custom, scenario.folder.clone(), scenario.within.clone())))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Scenario>().is_ok_and(|other| other.get().scenario.to_toml() == self.scenario.to_toml())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.scenario.to_toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!(
            "Scenario({:?}, {}, {} flows)",
            self.scenario.name,
            self.scenario.duration,
            self.scenario.flow_count()
        )
    }
}
