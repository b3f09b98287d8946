//! A congestion controller written as a Python class: for teaching and trying out, some hundred times slower.

use std::sync::{Arc, Mutex};

use ackclock_congestion::{
    Ack, Congestion, CongestionControl, Decision, Event, LossSample, Needs, RateSample, Signal,
};
use ackclock_units::PacketRate;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The first exception that any controller of a run raised; the run ends with it.
pub(crate) type Failure = Arc<Mutex<Option<PyErr>>>;

/// An acknowledgment's facts, times in seconds.
#[pyclass(frozen, get_all, name = "Ack", module = "ackclock._native")]
struct AckFacts {
    now: f64,
    delivered: f64,
    lost: f64,
    ce_marked: f64,
    in_flight: f64,
    rtt: Option<f64>,
    srtt: f64,
    min_rtt: f64,
    round: u64,
    may_grow: bool,
    recovering: bool,
    rate: Option<f64>,
    sample: Option<RateFacts>,
    loss: Option<LossFacts>,
}

/// A delivery-rate sample's facts, the interval in seconds.
#[pyclass(frozen, get_all, name = "RateSample", module = "ackclock._native")]
#[derive(Clone, Copy)]
struct RateFacts {
    rate: f64,
    app_limited: bool,
    interval: f64,
    delivered: f64,
    prior_delivered: f64,
    lost: f64,
    tx_in_flight: f64,
}

/// What is known of a packet declared lost.
#[pyclass(frozen, get_all, name = "LossSample", module = "ackclock._native")]
#[derive(Clone, Copy)]
struct LossFacts {
    tx_in_flight: f64,
    lost: f64,
    app_limited: bool,
}

impl From<RateSample> for RateFacts {
    fn from(sample: RateSample) -> RateFacts {
        let RateSample { rate, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight } =
            sample;
        let interval = interval.as_secs_f64();
        RateFacts { rate: rate.0, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight }
    }
}

impl From<LossSample> for LossFacts {
    fn from(LossSample { tx_in_flight, lost, app_limited }: LossSample) -> LossFacts {
        LossFacts { tx_in_flight, lost, app_limited }
    }
}

/// A congestion episode's facts, times in seconds.
#[pyclass(frozen, get_all, name = "Congestion", module = "ackclock._native")]
struct CongestionFacts {
    now: f64,
    signal: &'static str,
    flight: f64,
    restart: bool,
    repeated: bool,
}

/// Calls a Python object that has `on_ack`, `on_congestion` and `cwnd`. What it answers is kept, so that it is asked
/// once per event; after an exception it is not called any more.
pub(crate) struct PythonController {
    object: Py<PyAny>,
    failure: Failure,
    cwnd: f64,
    ssthresh: f64,
    pacing_rate: Option<PacketRate>,
}

impl PythonController {
    pub fn new(object: Py<PyAny>, failure: Failure) -> PythonController {
        let mut controller =
            PythonController { object, failure, cwnd: 1.0, ssthresh: f64::INFINITY, pacing_rate: None };
        controller.call(|_, _| Ok(()));
        controller
    }

    fn has_failed(&self) -> bool {
        self.failure.lock().is_ok_and(|failure| failure.is_some())
    }

    /// Does something with the object, then asks what its window is now.
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
        self.cwnd = cwnd;
        self.ssthresh = number(object, intern!(py, "ssthresh"))?.unwrap_or(f64::INFINITY);
        self.pacing_rate = number(object, intern!(py, "pacing_rate"))?.map(PacketRate);
        Ok(())
    }
}

/// An attribute, property or method that gives a number; none where it is missing or `None`.
fn number(object: &Bound<'_, PyAny>, name: &Bound<'_, pyo3::types::PyString>) -> PyResult<Option<f64>> {
    let Some(mut value) = object.getattr_opt(name)? else { return Ok(None) };
    if value.is_callable() {
        value = value.call0()?;
    }
    value.extract()
}

impl CongestionControl for PythonController {
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let facts = AckFacts {
            now: ack.now.as_secs_f64(),
            delivered: ack.delivered,
            lost: ack.lost,
            ce_marked: ack.ce_marked,
            in_flight: ack.in_flight,
            rtt: ack.rtt.map(ackclock_units::Duration::as_secs_f64),
            srtt: ack.srtt.as_secs_f64(),
            min_rtt: ack.min_rtt.as_secs_f64(),
            round: ack.round,
            may_grow: ack.may_grow(),
            recovering: ack.recovering,
            rate: ack.rate.map(|sample| sample.rate.0),
            sample: ack.rate.map(RateFacts::from),
            loss: ack.loss.map(LossFacts::from),
        };
        self.call(|py, object| object.call_method1(intern!(py, "on_ack"), (facts,)).map(drop));
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        let signal = match event.signal {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        };
        let facts = CongestionFacts {
            now: event.now.as_secs_f64(),
            signal,
            flight: event.flight,
            restart: event.restart,
            repeated: event.repeated,
        };
        self.call(|py, object| object.call_method1(intern!(py, "on_congestion"), (facts,)).map(drop));
        self.decision()
    }

    fn on_event(&mut self, _event: &Event) -> Decision {
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: self.pacing_rate, wake: None }
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        // Gauges of Python controllers have names of their own, which live as long as the program.
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

    fn clone_box(&self) -> Box<dyn CongestionControl> {
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
        Box::new(PythonController { object, failure: Arc::clone(&self.failure), ..*self })
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
