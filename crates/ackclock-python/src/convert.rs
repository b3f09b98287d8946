//! Conversions between Python's numbers and the engine's types.

use ackclock_congestion::Start;
use ackclock_units::Time;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// The initial windows of a controller, in packets.
///
/// # Errors
/// If a window is less than one packet or NaN, or the initial window is infinite.
pub(crate) fn start(initial_window: f64, initial_ssthresh: f64) -> Result<Start, PyErr> {
    // Negated so that NaN is refused too.
    if !(initial_window >= 1.0 && initial_window.is_finite() && initial_ssthresh >= 1.0) {
        return Err(PyValueError::new_err("initial_window and initial_ssthresh must be at least 1 packet"));
    }
    Ok(Start { initial_window, initial_ssthresh, ..Start::default() })
}

/// A deadline in nanoseconds; [`Time::MAX`] is none.
pub(crate) fn wake(time: Time) -> Option<u64> {
    (time < Time::MAX).then_some(time.as_nanos())
}

pub(crate) fn to_value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
