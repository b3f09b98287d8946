//! One congestion control for media, driven from Python to compare it with the reference.

use ackclock_congestion::media::{
    MediaControl, MediaDecision, MediaFrame, MediaReport, MediaSpec, MediaStart, PacketFate,
};
use ackclock_units::Duration;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::to_value_error;
use crate::facts::time;
use crate::locked::Locked;

/// The target and the pacing rate in bit/s, and the window in bytes.
type Decision = (f64, f64, f64);

/// A congestion control for media: facts in, a decision out. Rates are in bit/s, sizes in bytes, times in seconds.
#[pyclass(module = "ackclock._native")]
pub struct MediaController(Locked<Box<dyn MediaControl>>);

/// The attributes of a `MediaStart`.
#[derive(FromPyObject)]
struct Start {
    min_rate: f64,
    max_rate: f64,
    initial_rate: f64,
    frame_period: f64,
    mss: u32,
    l4s: bool,
}

/// The attributes of a packet whose fate has become known.
#[derive(FromPyObject)]
struct Packet {
    sequence: u64,
    size: u32,
    sent: f64,
    arrived: Option<f64>,
    marked: bool,
}

/// The attributes of a report.
#[derive(FromPyObject)]
struct Report {
    now: f64,
    packets: Vec<Packet>,
    rtt: Option<f64>,
    in_flight: u64,
    most_in_flight: u64,
}

/// The attributes of a frame.
#[derive(FromPyObject)]
struct Frame {
    now: f64,
    size: u64,
    queued: f64,
    queued_bytes: u64,
}

fn shown(MediaDecision { target, pacing, window }: MediaDecision) -> Decision {
    (target, pacing, window)
}

#[pymethods]
impl MediaController {
    #[new]
    fn new(spec: &str, start: Start) -> PyResult<MediaController> {
        let spec: MediaSpec = spec.parse().map_err(to_value_error)?;
        let Start { min_rate, max_rate, initial_rate, frame_period, mss, l4s } = start;
        if !(0.0 < min_rate && min_rate <= max_rate) {
            return Err(PyValueError::new_err(format!(
                "min_rate is {min_rate} and max_rate {max_rate}; 0 < min_rate <= max_rate"
            )));
        }
        let frame_period = Duration::from_secs_f64(frame_period);
        let start = MediaStart { min_rate, max_rate, initial_rate, frame_period, mss, l4s };
        Ok(MediaController(Locked::new(spec.build(&start))))
    }

    /// Feedback: anything with the attributes of the reference's `MediaReport`.
    fn on_report(&mut self, report: Report) -> PyResult<Decision> {
        let Report { now, packets, rtt, in_flight, most_in_flight } = report;
        if packets.is_empty() {
            return Err(PyValueError::new_err("packets is empty; a report tells of one or more"));
        }
        let packets: Vec<PacketFate> = packets
            .into_iter()
            .map(|Packet { sequence, size, sent, arrived, marked }| PacketFate {
                sequence,
                size,
                sent: time(sent),
                arrived: arrived.map(time),
                marked,
            })
            .collect();
        let rtt = rtt.map(Duration::from_secs_f64);
        let report = MediaReport { now: time(now), packets: &packets, rtt, in_flight, most_in_flight };
        Ok(shown(self.0.change().on_report(&report)))
    }

    /// A frame: anything with the attributes of the reference's `MediaFrame`.
    fn on_frame(&mut self, frame: Frame) -> Decision {
        let Frame { now, size, queued, queued_bytes } = frame;
        let queued = Duration::from_secs_f64(queued);
        shown(self.0.change().on_frame(&MediaFrame { now: time(now), size, queued, queued_bytes }))
    }

    /// The decision in force.
    fn decision(&self) -> Decision {
        self.0.ask(|controller| shown(controller.decision()))
    }
}
