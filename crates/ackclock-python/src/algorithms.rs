//! Specifications of algorithms.

use ackclock_simulation::scenario::ScenarioError as Invalid;
use ackclock_transport::Variant;
use pyo3::prelude::*;

use crate::scenario::raise;

/// The shortest way to write a variant.
#[pyfunction]
#[pyo3(signature = (spec, custom=Vec::new()), text_signature = "(spec, custom=())")]
pub(crate) fn parse_algorithm(py: Python<'_>, spec: &str, custom: Vec<String>) -> PyResult<String> {
    Ok(parse(py, spec, &custom)?.to_string())
}

/// The recovery of a variant, or the transport that replaces it.
#[pyfunction]
#[pyo3(signature = (spec, custom=Vec::new()), text_signature = "(spec, custom=())")]
pub(crate) fn recovery_of(py: Python<'_>, spec: &str, custom: Vec<String>) -> PyResult<&'static str> {
    Ok(parse(py, spec, &custom)?.transport.name())
}

fn parse(py: Python<'_>, spec: &str, custom: &[String]) -> PyResult<Variant> {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).map_err(|error| raise(py, &Invalid::from(error)))
}
