//! A congestion control for media written as a Python class.

use std::sync::Arc;

use ackclock_congestion::media::{
    MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart, PacketFate,
};
use ackclock_units::{Duration, Time};
use pyo3::prelude::*;

use crate::answers::{self, FEEDBACK_INTERVAL, PACING, TARGET, WINDOW, number};
use crate::python_controller::{Shared, show_gauges};

/// The pacing rate of a class that names none, as a multiple of its target.
const PACING_OF_TARGET: f64 = 1.5;
/// The time between two reports of a class that names none.
const USUAL_INTERVAL: Duration = Duration::from_millis(100);

/// The facts with which a call begins. Rates are in bit/s, sizes in bytes, times in seconds.
#[pyclass(frozen, get_all, name = "MediaStart", module = "ackclock._native")]
pub(crate) struct StartFacts {
    min_rate: f64,
    max_rate: f64,
    initial_rate: f64,
    frame_period: f64,
    mss: u32,
    l4s: bool,
}

/// A packet whose fate has become known.
#[pyclass(frozen, get_all, name = "MediaPacket", module = "ackclock._native")]
struct PacketFacts {
    sequence: u64,
    size: u32,
    sent: f64,
    arrived: Option<f64>,
    marked: bool,
}

/// Feedback that has arrived.
#[pyclass(frozen, get_all, name = "MediaReport", module = "ackclock._native")]
struct ReportFacts {
    now: f64,
    packets: Vec<Py<PacketFacts>>,
    rtt: Option<f64>,
    in_flight: u64,
    most_in_flight: u64,
}

/// A frame that the encoder hands over.
#[pyclass(frozen, get_all, name = "MediaFrame", module = "ackclock._native")]
struct FrameFacts {
    now: f64,
    size: u64,
    queued: f64,
    queued_bytes: u64,
}

impl From<&MediaStart> for StartFacts {
    fn from(start: &MediaStart) -> StartFacts {
        let MediaStart { min_rate, max_rate, initial_rate, frame_period, mss, l4s } = *start;
        StartFacts { min_rate, max_rate, initial_rate, frame_period: frame_period.as_secs_f64(), mss, l4s }
    }
}

impl ReportFacts {
    fn new(py: Python<'_>, report: &MediaReport<'_>) -> PyResult<ReportFacts> {
        let packet = |packet: &PacketFate| {
            let PacketFate { sequence, size, sent, arrived, marked } = *packet;
            let [sent, arrived] = [Some(sent), arrived].map(|time| time.map(Time::as_secs_f64));
            Py::new(py, PacketFacts { sequence, size, sent: sent.unwrap_or_default(), arrived, marked })
        };
        Ok(ReportFacts {
            now: report.now.as_secs_f64(),
            packets: report.packets.iter().map(packet).collect::<PyResult<_>>()?,
            rtt: report.rtt.map(ackclock_units::Duration::as_secs_f64),
            in_flight: report.in_flight,
            most_in_flight: report.most_in_flight,
        })
    }
}

/// Calls a Python object that has `on_report` and `target`, and may have `on_frame`, `pacing`, `window`, `feedback_interval` and `observe`.
/// After an exception it is not called any more.
pub(crate) struct PythonMedia {
    object: Py<PyAny>,
    shared: Arc<Shared>,
    decision: MediaDecision,
    interval: Duration,
}

impl PythonMedia {
    pub fn new(object: Py<PyAny>, shared: Arc<Shared>, start: &MediaStart) -> PythonMedia {
        let decision = MediaDecision {
            target: start.initial_rate,
            pacing: PACING_OF_TARGET * start.initial_rate,
            window: f64::INFINITY,
        };
        let mut media = PythonMedia { object, shared, decision, interval: USUAL_INTERVAL };
        let mut interval = None;
        media.call("__init__", |object| {
            interval = number(object, &FEEDBACK_INTERVAL, "__init__")?;
            Ok(())
        });
        media.interval = interval.map_or(USUAL_INTERVAL, Duration::from_secs_f64);
        media
    }

    /// Acts on the object, then asks for its decision. `name` is the method that was called.
    fn call(&mut self, name: &str, act: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) {
        if self.shared.has_failed() {
            return;
        }
        Python::attach(|py| {
            let object = self.object.bind(py).clone();
            if let Err(error) = act(&object).and_then(|()| self.consult(&object, name)) {
                self.shared.fail(error);
            }
        });
    }

    fn consult(&mut self, object: &Bound<'_, PyAny>, after: &str) -> PyResult<()> {
        let Some(target) = number(object, &TARGET, after)? else {
            let none = object.py().None();
            let place = format!("target, after {after}");
            return Err(answers::wrong(object, &place, none.bind(object.py()), TARGET.expected));
        };
        let pacing = number(object, &PACING, after)?.unwrap_or(PACING_OF_TARGET * target);
        let window = number(object, &WINDOW, after)?.unwrap_or(f64::INFINITY);
        self.decision = MediaDecision { target, pacing, window };
        Ok(())
    }
}

impl MediaControl for PythonMedia {
    fn feedback_interval(&self) -> Duration {
        self.interval
    }

    fn on_report(&mut self, report: &MediaReport<'_>) -> MediaDecision {
        self.call("on_report", |object| {
            let facts = ReportFacts::new(object.py(), report)?;
            answers::call(object, "on_report", (facts,), "on_report(self, report)")
        });
        self.decision
    }

    fn on_frame(&mut self, frame: &MediaFrame) -> MediaDecision {
        let MediaFrame { now, size, queued, queued_bytes } = *frame;
        self.call("on_frame", |object| {
            let facts =
                FrameFacts { now: now.as_secs_f64(), size, queued: queued.as_secs_f64(), queued_bytes };
            let arguments = (facts,).into_pyobject(object.py())?;
            answers::call_if_any(object, "on_frame", arguments, "on_frame(self, frame)")
        });
        self.decision
    }

    fn decision(&self) -> MediaDecision {
        self.decision
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        show_gauges(&self.object, &self.shared, gauge);
    }
}
