//! Scenarios and their errors, as Python sees them.

use ackclock_simulation::scenario::{self, ScenarioError as Invalid};
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
        .and_then(|()| set("file", None));
    result.err().unwrap_or(error)
}

#[pyclass(frozen, module = "ackclock._native")]
pub(crate) struct Scenario(pub scenario::Scenario);

#[pymethods]
impl Scenario {
    #[staticmethod]
    #[pyo3(signature = (text, custom=Vec::new()))]
    fn from_toml(py: Python<'_>, text: &str, custom: Vec<String>) -> PyResult<Scenario> {
        scenario::Scenario::from_toml(text, &custom).map(Scenario).map_err(|error| raise(py, &error))
    }

    #[staticmethod]
    #[pyo3(signature = (text, custom=Vec::new()))]
    fn from_json(py: Python<'_>, text: &str, custom: Vec<String>) -> PyResult<Scenario> {
        scenario::Scenario::from_json(text, &custom).map(Scenario).map_err(|error| raise(py, &error))
    }

    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    fn with_value(&self, py: Python<'_>, path: &str, value: &str) -> PyResult<Scenario> {
        self.0.with(path, value).map(Scenario).map_err(|error| raise(py, &error))
    }

    fn with_custom(&self, names: Vec<String>) -> Scenario {
        Scenario(self.0.with_custom(&names))
    }

    /// The algorithms of the TCP flows, each once, in the order of the flows.
    fn algorithm_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for group in &self.0.flow {
            if !names.contains(&group.tcp.algorithm) {
                names.push(group.tcp.algorithm.clone());
            }
        }
        names
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn title(&self) -> &str {
        &self.0.title
    }

    #[getter]
    fn description(&self) -> &str {
        &self.0.description
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.0.duration.as_secs_f64()
    }

    #[getter]
    fn warm_up_s(&self) -> f64 {
        self.0.warm_up.as_secs_f64()
    }

    #[getter]
    fn flow_count(&self) -> u32 {
        self.0.flow_count()
    }

    fn __repr__(&self) -> String {
        format!("Scenario({:?}, {}, {} flows)", self.0.name, self.0.duration, self.0.flow_count())
    }
}
