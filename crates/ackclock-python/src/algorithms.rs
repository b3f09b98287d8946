//! Specifications of algorithms.

use ackclock_simulation::scenario::ScenarioError as Invalid;
use ackclock_transport::Variant;
use pyo3::prelude::*;

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
