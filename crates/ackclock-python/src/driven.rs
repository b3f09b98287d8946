//! What the parts have in common that Python drives by themselves: controllers, and the ends of transports.

use std::sync::{Mutex, PoisonError};

use ackclock_congestion::Start;
use ackclock_units::Time;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

/// A part that Python may hand to another thread: the lock is what makes that safe, and is never waited for.
pub(crate) struct Driven<T>(Mutex<T>);

impl<T> Driven<T> {
    pub(crate) fn new(part: T) -> Driven<T> {
        Driven(Mutex::new(part))
    }

    pub(crate) fn change(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ask<A>(&self, question: impl FnOnce(&T) -> A) -> A {
        question(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What a controller begins with.
///
/// # Errors
/// If a window is no number of at least one packet; the first has to be finite.
pub(crate) fn start(initial_window: f64, initial_ssthresh: f64) -> Result<Start, PyErr> {
    // Negated so that NaN is refused too.
    if !(initial_window >= 1.0 && initial_window.is_finite() && initial_ssthresh >= 1.0) {
        return Err(PyValueError::new_err("initial_window and initial_ssthresh must be at least 1 packet"));
    }
    Ok(Start { initial_window, initial_ssthresh, ..Start::default() })
}

/// When something is to be woken, in nanoseconds; [`Time::MAX`] is never.
pub(crate) fn wake(time: Time) -> Option<u64> {
    (time < Time::MAX).then_some(time.as_nanos())
}

pub(crate) fn to_value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
