//! The catalogue: the entries of every kind.

use ackclock_catalogue::{Entry, Key, Parameter};
use ackclock_simulation::entries;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The entries of all kinds, grouped by kind, with their parameters, keys and sources.
#[pyfunction]
pub(crate) fn list_entries(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    entries().map(|entry| row(py, entry)).collect()
}

fn row<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", entry.name)?;
    row.set_item("kind", entry.kind)?;
    row.set_item("title", entry.title)?;
    row.set_item("source", entry.source)?;
    let parameters = entry.parameters.iter().map(|parameter| parameter_row(py, parameter));
    row.set_item("parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    row.set_item("table", entry.table)?;
    let keys = entry.keys.iter().map(|key| key_row(py, key));
    row.set_item("keys", keys.collect::<PyResult<Vec<_>>>()?)?;
    Ok(row)
}

fn parameter_row<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", parameter.name)?;
    row.set_item("unit", parameter.unit.name())?;
    row.set_item("default", (!parameter.is_required()).then_some(parameter.default))?;
    row.set_item("min", parameter.min)?;
    row.set_item("max", parameter.max)?;
    row.set_item("meaning", parameter.meaning)?;
    row.set_item("names", parameter.unit.names())?;
    Ok(row)
}

fn key_row<'py>(py: Python<'py>, key: &Key) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", key.name)?;
    row.set_item("meaning", key.meaning)?;
    row.set_item("example", key.example)?;
    row.set_item("required", key.required)?;
    Ok(row)
}
