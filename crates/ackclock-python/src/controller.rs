//! One congestion controller, driven from Python to compare it with the reference and to inspect
//! it.

use ackclock_congestion::conformance::{Call, Contract};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Event};
use ackclock_units::{PacketRate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{start, to_value_error};
use crate::facts::{Told, time};
use crate::locked::Locked;

/// A congestion controller: facts in, a decision out. Windows are in packets, times in
/// seconds.
///
/// A call that breaks the contract between a transport and its controller raises `ValueError`.
#[pyclass(module = "ackclock._native")]
pub struct Controller {
    spec: ControllerSpec,
    contract: Contract,
    inner: Locked<Box<dyn CongestionControl>>,
}

impl Controller {
    fn call(&mut self, call: &Call) -> PyResult<()> {
        self.contract.accept(call).map_err(PyValueError::new_err)?;
        call.apply(self.inner.change().as_mut());
        Ok(())
    }

    fn ask<T>(&self, question: impl FnOnce(&dyn CongestionControl) -> T) -> T {
        self.inner.ask(|controller| question(controller.as_ref()))
    }
}

#[pymethods]
impl Controller {
    #[new]
    #[pyo3(signature = (spec = "", initial_window = 10.0, initial_ssthresh = f64::INFINITY))]
    fn new(spec: &str, initial_window: f64, initial_ssthresh: f64) -> PyResult<Controller> {
        let spec: ControllerSpec = spec.parse().map_err(to_value_error)?;
        let inner = Locked::new(spec.build(&start(initial_window, initial_ssthresh)?));
        Ok(Controller { spec, contract: Contract::default(), inner })
    }

    /// One acknowledgment: anything with the attributes of `ackclock.Ack`.
    fn on_ack(&mut self, ack: Told<Ack>) -> PyResult<()> {
        self.call(&Call::Ack(ack.0))
    }

    /// The start of a congestion episode: anything with the attributes of `ackclock.Congestion`.
    fn on_congestion(&mut self, event: Told<Congestion>) -> PyResult<()> {
        self.call(&Call::Congestion(event.0))
    }

    fn on_spurious(&mut self) -> PyResult<()> {
        self.call(&Call::Event(Event::Spurious))
    }

    fn on_idle_restart(&mut self, restart_window: f64) -> PyResult<()> {
        self.call(&Call::Event(Event::IdleRestart { restart_window }))
    }

    /// The window was not validated by its use, or by what was lost.
    fn on_not_validated(&mut self, window: f64, ssthresh: f64) -> PyResult<()> {
        self.call(&Call::Event(Event::NotValidated { window, ssthresh }))
    }

    /// The time of `wake` passed.
    fn on_deadline(&mut self, now: f64) -> PyResult<()> {
        self.call(&Call::Event(Event::Deadline { now: time(now) }))
    }

    /// The size of segments changed, in bytes.
    fn on_segment_size(&mut self, from_bytes: u32, to_bytes: u32) -> PyResult<()> {
        self.call(&Call::Event(Event::SegmentSize { from: from_bytes, to: to_bytes }))
    }

    /// The shortest specification of this controller.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.ask(|controller| controller.decision().cwnd)
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.ask(|controller| controller.ssthresh())
    }

    /// Packets per second, or none.
    #[getter]
    fn pacing_rate(&self) -> Option<f64> {
        self.ask(|controller| controller.decision().pacing_rate).map(|PacketRate(rate)| rate)
    }

    /// The time in seconds of its deadline, or none.
    #[getter]
    fn wake(&self) -> Option<f64> {
        self.ask(|controller| controller.decision().wake).map(Time::as_secs_f64)
    }

    /// Internal quantities by name.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut gauges = Vec::new();
        self.ask(|controller| controller.observe(&mut |name, value| gauges.push((name, value))));
        let shown = PyDict::new(py);
        for (name, value) in gauges {
            shown.set_item(name, value)?;
        }
        Ok(shown)
    }

    /// A copy with the whole state, to ask "what would a loss do now?".
    fn copy(&self) -> Controller {
        let inner = Locked::new(self.inner.ask(Clone::clone));
        Controller { spec: self.spec.clone(), contract: self.contract.clone(), inner }
    }
}
