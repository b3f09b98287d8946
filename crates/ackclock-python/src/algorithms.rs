//! What algorithms there are.

use ackclock_catalogue::{Entry, Parameter};
use ackclock_congestion::registry;
use ackclock_network::QUEUES;
use ackclock_simulation::scenario::ScenarioError as Invalid;
use ackclock_transport::tcp::Recovery;
use ackclock_transport::{Transport, Variant};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::scenario::raise;

/// The shortest way to write a variant.
#[pyfunction]
#[pyo3(signature = (spec, custom=Vec::new()), text_signature = "(spec, custom=())")]
pub(crate) fn parse_algorithm(py: Python<'_>, spec: &str, custom: Vec<String>) -> PyResult<String> {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    match Variant::parse(spec, &custom) {
        Ok(variant) => Ok(variant.to_string()),
        Err(error) => {
            let message = error.to_string();
            let (found, nearest) = (Some(error.found), error.nearest);
            Err(raise(py, &Invalid { key: None, found, message, nearest }))
        }
    }
}

/// Recoveries, transports beside TCP, slow starts and avoidances, with their parameters and sources.
#[pyfunction]
pub(crate) fn list_algorithms(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let recoveries = Recovery::ENTRIES.iter().map(|recovery| &recovery.entry);
    let entries = recoveries.chain(Transport::ENTRIES).chain(registry::entries());
    entries.map(|entry| row(py, entry)).collect()
}

/// Queue disciplines, with their parameters and sources.
#[pyfunction]
pub(crate) fn list_queues(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    QUEUES.iter().map(|entry| row(py, entry)).collect()
}

fn row<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", entry.name)?;
    row.set_item("kind", entry.kind)?;
    row.set_item("title", entry.title)?;
    row.set_item("source", entry.source)?;
    let parameters = entry.parameters.iter().map(|parameter| parameter_row(py, parameter));
    row.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    Ok(row)
}

fn parameter_row<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", parameter.name)?;
    row.set_item("unit", parameter.unit.name())?;
    row.set_item("default", parameter.default)?;
    row.set_item("min", parameter.min)?;
    row.set_item("max", parameter.max)?;
    row.set_item("meaning", parameter.meaning)?;
    Ok(row)
}
