//! A congestion controller written as a Python class, for teaching and experiments. It is some hundred times
//! slower.

use std::sync::{Arc, Mutex};

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs};
use ackclock_units::PacketRate;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::facts::{Shown, call_of, time};

/// The first exception that any controller of a run raised; the run ends with it.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

/// Calls a Python object that has `on_ack`, `on_congestion` and `cwnd`. Its answers are stored, so that it
/// is called once per event. After an exception it is not called any more.
pub(crate) struct PythonController {
    object: Py<PyAny>,
    failure: Failure,
    needs: Needs,
    decision: Decision,
    ssthresh: f64,
}

impl PythonController {
    pub fn new(object: Py<PyAny>, failure: Failure) -> PythonController {
        let (decision, ssthresh) = (Decision::window(1.0), f64::INFINITY);
        let needs = Needs::stated(|_| false);
        let mut controller = PythonController { object, failure, needs, decision, ssthresh };
        let mut stated = Vec::new();
        controller.call(|_, object| {
            for (name, _) in Needs::FLAGS {
                stated.push((*name, object.getattr_opt(*name)?.map_or(Ok(false), |need| need.is_truthy())?));
            }
            Ok(())
        });
        controller.needs = Needs::stated(|name| stated.contains(&(name, true)));
        controller
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().is_ok_and(|failure| failure.is_some())
    }

    /// Acts on the object, then asks for its decision.
    fn call(&mut self, act: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<()>) {
        if self.has_failed() {
            return;
        }
        Python::attach(|py| {
            let object = self.object.bind(py).clone();
            if let Err(error) = act(py, &object).and_then(|()| self.consult(py, &object))
                && let Ok(mut failure) = self.failure.lock()
            {
                failure.get_or_insert(error);
            }
        });
    }

    fn consult(&mut self, py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(cwnd) = number(object, intern!(py, "cwnd"))? else {
            return Err(PyValueError::new_err("a congestion controller needs `cwnd`, its window in packets"));
        };
        if !(cwnd.is_finite() && cwnd > 0.0) {
            return Err(PyValueError::new_err(format!("cwnd is {cwnd}; it must be finite and above zero")));
        }
        let pacing_rate = number(object, intern!(py, "pacing_rate"))?.filter(|rate| *rate != f64::INFINITY);
        let wake = number(object, intern!(py, "wake"))?.map(time);
        if let Some(rate) = pacing_rate.filter(|rate| rate.is_nan() || *rate <= 0.0) {
            return Err(PyValueError::new_err(format!(
                "pacing_rate is {rate}; it must be above zero, or None"
            )));
        }
        self.decision = Decision { cwnd, pacing_rate: pacing_rate.map(PacketRate), wake };
        self.ssthresh = number(object, intern!(py, "ssthresh"))?.unwrap_or(f64::INFINITY);
        Ok(())
    }
}

/// The number that an attribute, property or method returns; none if it is missing or `None`.
fn number(object: &Bound<'_, PyAny>, name: &Bound<'_, pyo3::types::PyString>) -> PyResult<Option<f64>> {
    let Some(mut value) = object.getattr_opt(name)? else { return Ok(None) };
    if value.is_callable() {
        value = value.call0()?;
    }
    value.extract()
}

impl CongestionControl for PythonController {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let facts = ack.show();
        self.call(|py, object| object.call_method1(intern!(py, "on_ack"), (facts,)).map(drop));
        self.decision
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let facts = signal.show();
        self.call(|py, object| object.call_method1(intern!(py, "on_congestion"), (facts,)).map(drop));
        self.decision
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.call(|py, object| {
            let (method, arguments) = call_of(py, event)?;
            object.getattr_opt(method)?.map_or(Ok(()), |method| method.call1(arguments).map(drop))
        });
        self.decision
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        // The names of Python controllers' gauges are stored for as long as the program runs.
        let shown = Python::attach(|py| -> PyResult<Vec<(String, f64)>> {
            let Some(observe) = self.object.bind(py).getattr_opt(intern!(py, "observe"))? else {
                return Ok(Vec::new());
            };
            let dict = observe.call0()?.cast_into::<PyDict>()?;
            dict.iter().map(|(name, value)| Ok((name.extract()?, value.extract()?))).collect()
        });
        match shown {
            Ok(values) => values.iter().for_each(|(name, value)| gauge(interned(name), *value)),
            Err(error) => {
                if let Ok(mut failure) = self.failure.lock() {
                    failure.get_or_insert(error);
                }
            }
        }
    }
}

impl Clone for PythonController {
    fn clone(&self) -> PythonController {
        let copied = Python::attach(|py| {
            let copy = py.import(intern!(py, "copy"))?;
            copy.call_method1(intern!(py, "deepcopy"), (&self.object,)).map(Bound::unbind)
        });
        let object = copied.unwrap_or_else(|error| {
            if let Ok(mut failure) = self.failure.lock() {
                failure.get_or_insert(error);
            }
            Python::attach(|py| self.object.clone_ref(py))
        });
        PythonController { object, failure: Arc::clone(&self.failure), ..*self }
    }
}

/// A gauge's name for as long as the program runs; each is stored once.
fn interned(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.push(name);
    name
}
