//! Scripts of packetdrill, run in virtual time.

use ackclock_packetdrill::{Failure, Options, Verdict, run_with_files};
use ackclock_units::Duration;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Verdict, line, what is expected or the reason why it is not run, what was seen, and the events around.
type Outcome = (&'static str, usize, String, String, Vec<String>);

/// Runs a script with the keys of `[tcp]` in JSON. `files` are the texts of those that it names, which the caller has read.
#[pyfunction]
#[pyo3(signature = (script, tcp, tolerance_us, read))]
pub fn run_packetdrill(
    py: Python<'_>,
    script: &str,
    tcp: &str,
    tolerance_us: u64,
    read: Py<PyAny>,
) -> PyResult<Outcome> {
    let tcp = serde_json::from_str(tcp).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let options = Options { tcp, tolerance: Duration::from_micros(tolerance_us) };
    let included = |name: &str| read.call1(py, (name,)).ok()?.extract::<Option<String>>(py).ok()?;
    Ok(match run_with_files(script, &options, &included) {
        Verdict::Passed => ("passed", 0, String::new(), String::new(), Vec::new()),
        Verdict::Failed(Failure { line, expected, seen, context }) => {
            ("failed", line, expected, seen, context)
        }
        Verdict::NotRunnable { line, reason } => ("not runnable", line, reason, String::new(), Vec::new()),
    })
}
