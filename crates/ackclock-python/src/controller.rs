//! One congestion controller by itself, driven from Python: to compare it with the reference, and to look at it.

use ackclock_congestion::conformance::{Call, Contract};
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Event, LossSample, RateSample, Signal};
use ackclock_units::{Duration, PacketRate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::driven::{Driven, start, to_value_error};

/// A congestion controller: facts in, a window out. Windows are in packets, times in nanoseconds.
///
/// A call that breaks the contract between a transport and its controller raises `ValueError`.
#[pyclass(module = "ackclock._native")]
pub struct Controller {
    spec: ControllerSpec,
    contract: Contract,
    inner: Driven<Box<dyn CongestionControl>>,
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
        let inner = Driven::new(spec.build(&start(initial_window, initial_ssthresh)?));
        Ok(Controller { spec, contract: Contract::default(), inner })
    }

    #[expect(clippy::too_many_arguments, reason = "facts by name: they are keywords in Python")]
    #[pyo3(signature = (
        *, now_ns, delivered, in_flight, srtt_ns, min_rtt_ns, round, suspended = false, advanced = true,
        window_limited = true, acks = 1, rtt_ns = None, lost = 0.0, ce_marked = 0.0, recovering = false, rate_packet_per_s = None, app_limited = false,
        rate_interval_ns = 0, rate_delivered = 0.0, rate_prior_delivered = 0.0, rate_lost = 0.0,
        rate_tx_in_flight = 0.0, latest_loss = None,
    ))]
    fn on_ack(
        &mut self,
        now_ns: u64,
        delivered: f64,
        in_flight: f64,
        srtt_ns: u64,
        min_rtt_ns: u64,
        round: u64,
        suspended: bool,
        advanced: bool,
        window_limited: bool,
        acks: u32,
        rtt_ns: Option<u64>,
        lost: f64,
        ce_marked: f64,
        recovering: bool,
        rate_packet_per_s: Option<f64>,
        app_limited: bool,
        rate_interval_ns: u64,
        rate_delivered: f64,
        rate_prior_delivered: f64,
        rate_lost: f64,
        rate_tx_in_flight: f64,
        latest_loss: Option<(f64, f64, bool)>,
    ) -> PyResult<()> {
        self.call(&Call::Ack(Ack {
            now: Time::from_nanos(now_ns),
            delivered,
            lost,
            ce_marked,
            in_flight,
            rtt: rtt_ns.map(Duration::from_nanos),
            srtt: Duration::from_nanos(srtt_ns),
            min_rtt: Duration::from_nanos(min_rtt_ns),
            round,
            suspended,
            advanced,
            window_limited,
            acks,
            recovering,
            loss: latest_loss.map(|(tx_in_flight, lost, app_limited)| LossSample {
                tx_in_flight,
                lost,
                app_limited,
            }),
            rate: rate_packet_per_s.map(|rate| RateSample {
                rate: PacketRate(rate),
                app_limited,
                interval: Duration::from_nanos(rate_interval_ns),
                delivered: rate_delivered,
                prior_delivered: rate_prior_delivered,
                lost: rate_lost,
                tx_in_flight: rate_tx_in_flight,
            }),
        }))
    }

    #[pyo3(signature = (*, now_ns, signal, flight, restart, repeated = false))]
    fn on_congestion(
        &mut self,
        now_ns: u64,
        signal: &str,
        flight: f64,
        restart: bool,
        repeated: bool,
    ) -> PyResult<()> {
        let signal = match signal {
            "loss" => Signal::Loss,
            "ecn" => Signal::Ecn,
            "timeout" => Signal::Timeout,
            other => {
                let message = format!("signal is \"{other}\", not \"loss\", \"ecn\" or \"timeout\"");
                return Err(PyValueError::new_err(message));
            }
        };
        self.call(&Call::Congestion(Congestion {
            now: Time::from_nanos(now_ns),
            signal,
            flight,
            restart,
            repeated,
        }))
    }

    fn on_spurious(&mut self) -> PyResult<()> {
        self.call(&Call::Event(Event::Spurious))
    }

    fn on_idle_restart(&mut self, restart_window: f64) -> PyResult<()> {
        self.call(&Call::Event(Event::IdleRestart { restart_window }))
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
        let inner = Driven::new(self.ask(|controller| controller.clone_box()));
        Controller { spec: self.spec.clone(), contract: self.contract.clone(), inner }
    }
}
