//! The two ends of the ACK/NAK transport, driven from Python to compare them with the reference.

use std::sync::Arc;

use ackclock_congestion::Start;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_transport::Transfer;
use ackclock_transport::acknak::{self, Kind, Message, Settings};
use ackclock_units::{Duration, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{start, to_value_error, wake};
use crate::locked::Locked;

/// A segment in Python: kind, number, and the time at which the data was sent, in nanoseconds.
type Fields = (&'static str, u64, u64);

const KINDS: [(Kind, &str); 5] = [
    (Kind::Syn, "syn"),
    (Kind::SynAck, "syn-ack"),
    (Kind::Data, "data"),
    (Kind::Ack, "ack"),
    (Kind::Nak, "nak"),
];

fn fields(segment: Message) -> Fields {
    let name = KINDS.iter().find(|(kind, _)| *kind == segment.kind).map_or("", |(_, name)| *name);
    (name, segment.number, segment.sent_at.as_nanos())
}

fn segment(kind: &str, number: u64, sent_at_ns: u64) -> PyResult<Message> {
    let unknown = || PyValueError::new_err(format!("\"{kind}\" is no kind of segment"));
    let (kind, _) = KINDS.iter().find(|(_, name)| *name == kind).ok_or_else(unknown)?;
    Ok(Message { kind: *kind, number, sent_at: Time::from_nanos(sent_at_ns) })
}

/// A receiver of ACK/NAK flows. Times are in nanoseconds.
#[pyclass(module = "ackclock._native")]
pub struct AckNakReceiver(acknak::Receiver);

#[pymethods]
impl AckNakReceiver {
    #[new]
    fn new() -> AckNakReceiver {
        AckNakReceiver(acknak::Receiver::default())
    }

    fn on_segment(&mut self, now_ns: u64, kind: &str, number: u64, sent_at_ns: u64) -> PyResult<()> {
        let segment = segment(kind, number, sent_at_ns)?;
        self.0.on_segment(Time::from_nanos(now_ns), &segment);
        Ok(())
    }

    /// The reply to send now, if there is one.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Fields> {
        self.0.poll_transmit(Time::from_nanos(now_ns)).map(fields)
    }
}

/// The source of an ACK/NAK flow. Times are in nanoseconds, windows in packets.
#[pyclass(module = "ackclock._native")]
pub struct AckNakSender(Locked<acknak::Sender>);

#[pymethods]
impl AckNakSender {
    #[new]
    #[pyo3(signature = (
        spec, *, round_trip_ns, initial_window = 2.0, initial_ssthresh = f64::INFINITY, packets = None,
        stop_ns = None,
    ))]
    fn new(
        spec: &str,
        round_trip_ns: u64,
        initial_window: f64,
        initial_ssthresh: f64,
        packets: Option<u64>,
        stop_ns: Option<u64>,
    ) -> PyResult<AckNakSender> {
        let spec: ControllerSpec = spec.parse().map_err(to_value_error)?;
        let begin = Start { restart_window: initial_window, ..start(initial_window, initial_ssthresh)? };
        let controller = spec.build(&begin);
        let settings = Arc::new(Settings { initial_window, initial_ssthresh, ..Settings::default() });
        let stop = stop_ns.map_or(Time::MAX, Time::from_nanos);
        let transfer = Transfer { start: Time::ZERO, stop, packets };
        let round_trip = Duration::from_nanos(round_trip_ns);
        Ok(AckNakSender(Locked::new(acknak::Sender::new(settings, controller, transfer, round_trip))))
    }

    fn on_segment(&mut self, now_ns: u64, kind: &str, number: u64, sent_at_ns: u64) -> PyResult<()> {
        let segment = segment(kind, number, sent_at_ns)?;
        self.0.change().on_segment(Time::from_nanos(now_ns), &segment);
        Ok(())
    }

    fn on_timer(&mut self, now_ns: u64) {
        self.0.change().on_timer(Time::from_nanos(now_ns));
    }

    /// The segment to send now, if there is one.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Fields> {
        self.0.change().poll_transmit(Time::from_nanos(now_ns)).map(fields)
    }

    #[getter]
    fn next_wake_ns(&self) -> Option<u64> {
        wake(self.0.ask(acknak::Sender::next_wake))
    }

    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.ask(acknak::Sender::cwnd)
    }

    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ask(|sender| sender.controller().ssthresh())
    }

    #[getter]
    fn rto_ns(&self) -> u64 {
        self.0.ask(acknak::Sender::rto).as_nanos()
    }

    /// Packets answered for.
    #[getter]
    fn delivered(&self) -> u64 {
        self.0.ask(acknak::Sender::delivered)
    }

    /// True if all packets were answered, or no SYN was.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.ask(acknak::Sender::is_over)
    }

    /// True if the connection failed: no SYN was answered.
    #[getter]
    fn has_failed(&self) -> bool {
        self.0.ask(acknak::Sender::has_failed)
    }
}
