//! What algorithms there are.

use ackclock_congestion::registry::{self, Parameter};
use ackclock_simulation::scenario::{ScenarioError as Invalid, queue_entries};
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
    let recoveries =
        Recovery::ENTRIES.iter().map(|entry| row(py, entry.name, "recovery", entry.title, entry.source, &[]));
    let transports = Transport::ENTRIES
        .iter()
        .map(|entry| row(py, entry.name, "transport", entry.title, entry.source, entry.parameters));
    let parts = registry::entries().iter().map(|entry| {
        row(py, entry.name, &entry.kind.to_string(), entry.title, entry.source, entry.parameters)
    });
    recoveries.chain(transports).chain(parts).collect()
}

/// Queue disciplines, with their parameters and sources.
#[pyfunction]
pub(crate) fn list_queues(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let entries = queue_entries().iter().map(|queue| &queue.entry);
    entries
        .map(|entry| {
            row(py, entry.name, &entry.kind.to_string(), entry.title, entry.source, entry.parameters)
        })
        .collect()
}

fn row<'py>(
    py: Python<'py>,
    name: &str,
    kind: &str,
    title: &str,
    source: &str,
    parameters: &[Parameter],
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", name)?;
    row.set_item("kind", kind)?;
    row.set_item("title", title)?;
    row.set_item("source", source)?;
    let parameters: Vec<_> =
        parameters.iter().map(|parameter| parameter_row(py, parameter)).collect::<PyResult<_>>()?;
    row.set_item("parameters", parameters)?;
    Ok(row)
}

fn parameter_row<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", parameter.name)?;
    row.set_item("default", parameter.default)?;
    row.set_item("min", parameter.min)?;
    row.set_item("max", parameter.max)?;
    row.set_item("meaning", parameter.meaning)?;
    Ok(row)
}
