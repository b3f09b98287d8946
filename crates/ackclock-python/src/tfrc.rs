//! The two ends of TFRC, driven from Python to compare them with the reference.

use std::sync::Arc;

use ackclock_transport::Transfer;
use ackclock_transport::tfrc::{self, Data, Feedback, Settings, Spec};
use ackclock_units::{Duration, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{to_value_error, wake};

/// A TFRC receiver. Times are in nanoseconds, rates in bytes per second.
#[pyclass(module = "ackclock._native")]
pub struct TfrcReceiver(tfrc::Receiver);

/// A TFRC sender that always has data unless given a number of packets. Times are in nanoseconds, rates in bytes per
/// second.
#[pyclass(module = "ackclock._native")]
pub struct TfrcSender(tfrc::Sender);

fn settings(spec: &str, segment_size: u16) -> PyResult<Arc<Settings>> {
    let unknown = || PyValueError::new_err(format!("\"{spec}\" is not tfrc(key=value, ...)"));
    let spec = Spec::read(spec).map_err(to_value_error)?;
    Ok(Arc::new(spec.ok_or_else(unknown)?.settings(segment_size)))
}

#[pymethods]
impl TfrcReceiver {
    #[new]
    #[pyo3(signature = (spec = "tfrc", segment_size = 1460))]
    fn new(spec: &str, segment_size: u16) -> PyResult<TfrcReceiver> {
        Ok(TfrcReceiver(tfrc::Receiver::new(settings(spec, segment_size)?)))
    }

    #[pyo3(signature = (*, now_ns, sequence, timestamp_ns, rtt_ns, marked = false))]
    fn on_segment(&mut self, now_ns: u64, sequence: u64, timestamp_ns: u64, rtt_ns: u64, marked: bool) {
        let (timestamp, rtt) = (Time::from_nanos(timestamp_ns), Duration::from_nanos(rtt_ns));
        let data = Data { sequence, timestamp, rtt, length: 1, marked };
        self.0.on_segment(Time::from_nanos(now_ns), &data);
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.0.on_timer(Time::from_nanos(now_ns));
    }

    /// Timestamp and delay in nanoseconds, receive rate and loss event rate, if feedback is due.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<(u64, u64, f64, f64)> {
        let Feedback { timestamp, delay, receive_rate, loss_event_rate } =
            self.0.poll_transmit(Time::from_nanos(now_ns))?;
        Some((timestamp.as_nanos(), delay.as_nanos(), receive_rate, loss_event_rate))
    }

    #[getter]
    fn next_wake_ns(&self) -> Option<u64> {
        wake(self.0.next_wake())
    }

    #[getter]
    fn loss_event_rate(&self) -> f64 {
        self.0.loss_event_rate()
    }
}

#[pymethods]
impl TfrcSender {
    #[new]
    #[pyo3(signature = (spec = "tfrc", segment_size = 1460, packets = None))]
    fn new(spec: &str, segment_size: u16, packets: Option<u64>) -> PyResult<TfrcSender> {
        let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets };
        Ok(TfrcSender(tfrc::Sender::new(settings(spec, segment_size)?, transfer)))
    }

    #[pyo3(signature = (*, now_ns, timestamp_ns, delay_ns, receive_rate, loss_event_rate))]
    fn on_segment(
        &mut self,
        now_ns: u64,
        timestamp_ns: u64,
        delay_ns: u64,
        receive_rate: f64,
        loss_event_rate: f64,
    ) {
        let (timestamp, delay) = (Time::from_nanos(timestamp_ns), Duration::from_nanos(delay_ns));
        let feedback = Feedback { timestamp, delay, receive_rate, loss_event_rate };
        self.0.on_segment(Time::from_nanos(now_ns), &feedback);
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.0.on_timer(Time::from_nanos(now_ns));
    }

    /// Sequence number and round-trip time in nanoseconds (0 before it is known) of the packet to send, if one is due.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<(u64, u64)> {
        let data = self.0.poll_transmit(Time::from_nanos(now_ns))?;
        Some((data.sequence, data.rtt.as_nanos()))
    }

    /// The application writes this many more packets.
    fn write(&mut self, packets: u64) {
        self.0.write(packets);
    }

    #[getter]
    fn next_wake_ns(&self) -> Option<u64> {
        wake(self.0.next_wake())
    }

    /// The allowed rate, `X`.
    #[getter]
    fn rate(&self) -> f64 {
        self.0.rate()
    }

    /// The rate at which packets are spaced, `X_inst`.
    #[getter]
    fn instant_rate(&self) -> f64 {
        self.0.instant_rate()
    }

    /// Expiries of the nofeedback timer.
    #[getter]
    fn nofeedback_timeouts(&self) -> u64 {
        u64::from(self.0.counters(Time::ZERO).timeouts)
    }
}
