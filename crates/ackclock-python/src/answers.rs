//! The answers of a user's class, read and checked. An invalid answer becomes one sentence of
//! `ackclock.scenarios.answers`, with the file and the class, what was found and what would be right.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyTuple};

/// A number that a controller answers: its name, what it must be, and the words for that.
pub(crate) struct Quantity {
    name: &'static str,
    is_valid: fn(f64) -> bool,
    pub expected: &'static str,
}

pub(crate) const CWND: Quantity = Quantity {
    name: "cwnd",
    is_valid: |packets| packets.is_finite() && packets > 0.0,
    expected: "a finite number above zero, the window in packets",
};

pub(crate) const PACING_RATE: Quantity = Quantity {
    name: "pacing_rate",
    is_valid: |rate| rate > 0.0,
    expected: "a number above zero, in packets per second, or None",
};

pub(crate) const WAKE: Quantity = Quantity {
    name: "wake",
    is_valid: |seconds| seconds >= 0.0,
    expected: "a time in seconds since the start, or None",
};

pub(crate) const SSTHRESH: Quantity = Quantity {
    name: "ssthresh",
    is_valid: |packets| packets >= 0.0,
    expected: "a number that is not negative, in packets, or None",
};

pub(crate) const TARGET: Quantity = Quantity {
    name: "target",
    is_valid: |rate| rate.is_finite() && rate > 0.0,
    expected: "a finite number above zero, the encoder's rate in bit/s",
};

pub(crate) const PACING: Quantity = Quantity {
    name: "pacing",
    is_valid: |rate| rate.is_finite() && rate > 0.0,
    expected: "a finite number above zero, in bit/s, or None",
};

pub(crate) const WINDOW: Quantity = Quantity {
    name: "window",
    is_valid: |bytes| bytes >= 0.0,
    expected: "a number that is not negative, in bytes, or None",
};

pub(crate) const FEEDBACK_INTERVAL: Quantity = Quantity {
    name: "feedback_interval",
    is_valid: |seconds| (0.001..=10.0).contains(&seconds),
    expected: "0.001 to 10 seconds, or None",
};

/// The value of an attribute, property or method; none if it is missing or `None`. `after` is the method called before.
pub(crate) fn number(object: &Bound<'_, PyAny>, what: &Quantity, after: &str) -> PyResult<Option<f64>> {
    let Some(mut value) = attribute(object, what.name)? else { return Ok(None) };
    if !value.is_exact_instance_of::<PyFloat>() && value.is_callable() {
        value = value.call0().map_err(|error| misuse(object, what.name, error, what.expected))?;
    }
    if value.is_none() {
        return Ok(None);
    }
    match plain_number(&value) {
        Some(number) if (what.is_valid)(number) => Ok(Some(number)),
        _ => Err(wrong(object, &format!("{}, after {after}", what.name), &value, what.expected)),
    }
}

/// The number that a value of Python is. Texts, flags and arrays are none.
fn plain_number(value: &Bound<'_, PyAny>) -> Option<f64> {
    let is_plain = value.is_exact_instance_of::<PyFloat>()
        || !value.is_instance_of::<PyBool>() && !value.hasattr("__len__").unwrap_or(true);
    if is_plain { value.extract().ok() } else { None }
}

/// An attribute that may be missing. An `AttributeError` within a property does not make it a missing one.
fn attribute<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    match object.getattr_opt(name)? {
        None if object.get_type().hasattr(name)? => object.getattr(name).map(Some),
        found => Ok(found),
    }
}

/// A flag; false if it is missing or `None`.
pub(crate) fn flag(object: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    let Some(value) = attribute(object, name)?.filter(|value| !value.is_none()) else { return Ok(false) };
    // Numbers that are 0 or 1, and the truth values of NumPy, equal one of the two.
    let is_flag = value.eq(true).and_then(|same| Ok(same || value.eq(false)?));
    if is_flag.unwrap_or(false) {
        return value.is_truthy();
    }
    Err(wrong(object, name, &value, "True or False"))
}

/// Calls a method that every controller has; `shape` is how it is written.
pub(crate) fn call<'py>(
    object: &Bound<'py, PyAny>,
    name: &'static str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
    shape: &str,
) -> PyResult<()> {
    let Some(method) = attribute(object, name)? else {
        return Err(wrong(object, name, object.py().None().bind(object.py()), &format!("a method {shape}")));
    };
    called(object, name, &method, arguments, shape).map(drop)
}

/// Calls a method that a controller may have.
pub(crate) fn call_if_any<'py>(
    object: &Bound<'py, PyAny>,
    name: &'static str,
    arguments: Bound<'py, PyTuple>,
    shape: &str,
) -> PyResult<()> {
    match attribute(object, name)? {
        Some(method) => called(object, name, &method, arguments, shape).map(drop),
        None => Ok(()),
    }
}

fn called<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
    method: &Bound<'py, PyAny>,
    arguments: impl pyo3::call::PyCallArgs<'py>,
    shape: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if !method.is_callable() {
        return Err(wrong(object, name, method, &format!("a method {shape}")));
    }
    let answer = method.call1(arguments).map_err(|error| misuse(object, name, error, shape))?;
    // Nobody would run a coroutine or a generator.
    if !answer.is_none() && (answer.hasattr("__await__")? || answer.hasattr("send")?) {
        return Err(wrong(
            object,
            name,
            &answer,
            &format!("a plain method {shape}, without async and yield"),
        ));
    }
    Ok(answer)
}

/// The gauges of `observe()`, a dict of numbers by name; none if there is no such method.
pub(crate) fn gauges(object: &Bound<'_, PyAny>) -> PyResult<Vec<(String, f64)>> {
    const NAME: &str = "observe";
    const EXPECTED: &str = "a dict of numbers by their names";
    let Some(method) = attribute(object, NAME)? else { return Ok(Vec::new()) };
    let answer = called(object, NAME, &method, (), "observe(self)")?;
    let Ok(dict) = answer.cast::<PyDict>() else { return Err(wrong(object, NAME, &answer, EXPECTED)) };
    dict.iter()
        .map(|(name, value)| {
            let name = name.extract().map_err(|_| wrong(object, NAME, &name, EXPECTED))?;
            let number = plain_number(&value).or_else(|| value.extract::<bool>().ok().map(f64::from));
            let number =
                number.ok_or_else(|| wrong(object, &format!("{NAME}()[{name:?}]"), &value, "a number"));
            Ok((name, number?))
        })
        .collect()
}

/// The error for an answer that is none.
pub(crate) fn wrong(
    object: &Bound<'_, PyAny>,
    place: &str,
    found: &Bound<'_, PyAny>,
    expected: &str,
) -> PyErr {
    of_python(object.py(), "wrong", (object, place, found, expected))
}

/// The error for a call that did not reach the user's code, as with other parameters; `error` itself where it did.
pub(crate) fn misuse(object: &Bound<'_, PyAny>, place: &str, error: PyErr, expected: &str) -> PyErr {
    let py = object.py();
    if error.traceback(py).is_some() || !error.is_instance_of::<PyException>(py) {
        return error;
    }
    of_python(py, "misused", (object, place, error, expected))
}

fn of_python<'py>(py: Python<'py>, function: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    let answers = py.import("ackclock.scenarios.answers");
    match answers.and_then(|module| module.call_method1(function, arguments)) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
