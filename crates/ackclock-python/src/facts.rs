//! A controller's facts in the shape that Python sees, both from the simulator and for a compiled controller: times in
//! seconds, windows in packets. The package documents them as protocols (`ackclock.Ack`), `reference/facts.py` has them
//! as dataclasses; a test holds the three equal.

use ackclock_congestion::{Ack, Congestion, LossSample, RateSample, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An acknowledgment's facts.
#[pyclass(frozen, get_all, name = "Ack", module = "ackclock._native")]
#[derive(Clone, FromPyObject)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct AckFacts {
    now: f64,
    acks: u32,
    delivered: f64,
    lost: f64,
    ce_marked: f64,
    in_flight: f64,
    rtt: Option<f64>,
    srtt: f64,
    min_rtt: f64,
    round: u64,
    suspended: bool,
    advanced: bool,
    window_limited: bool,
    may_grow: bool,
    recovering: bool,
    rate: Option<RateFacts>,
    loss: Option<LossFacts>,
    feedback: Option<f64>,
}

/// A delivery-rate sample's facts.
#[pyclass(frozen, get_all, name = "RateSample", module = "ackclock._native")]
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct RateFacts {
    rate: f64,
    app_limited: bool,
    interval: f64,
    delivered: f64,
    prior_delivered: f64,
    lost: f64,
    tx_in_flight: f64,
}

/// The facts of a packet declared lost.
#[pyclass(frozen, get_all, name = "LossSample", module = "ackclock._native")]
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct LossFacts {
    tx_in_flight: f64,
    lost: f64,
    app_limited: bool,
}

/// A congestion signal's facts.
#[pyclass(frozen, get_all, name = "Congestion", module = "ackclock._native")]
#[derive(Clone, FromPyObject)]
pub(crate) struct CongestionFacts {
    now: f64,
    signal: String,
    flight: f64,
    restart: bool,
    repeated: bool,
}

/// The windows a connection begins with.
#[pyclass(frozen, get_all, name = "Start", module = "ackclock._native")]
pub(crate) struct StartFacts {
    initial_window: f64,
    initial_ssthresh: f64,
    restart_window: f64,
}

impl From<&Ack> for AckFacts {
    fn from(ack: &Ack) -> AckFacts {
        AckFacts {
            now: ack.now.as_secs_f64(),
            acks: ack.acks,
            delivered: ack.delivered,
            lost: ack.lost,
            ce_marked: ack.ce_marked,
            in_flight: ack.in_flight,
            rtt: ack.rtt.map(Duration::as_secs_f64),
            srtt: ack.srtt.as_secs_f64(),
            min_rtt: ack.min_rtt.as_secs_f64(),
            round: ack.round,
            suspended: ack.suspended,
            advanced: ack.advanced,
            window_limited: ack.window_limited,
            may_grow: ack.may_grow(),
            recovering: ack.recovering,
            rate: ack.rate.map(RateFacts::from),
            loss: ack.loss.map(LossFacts::from),
            feedback: ack.feedback.map(|feedback| feedback.0),
        }
    }
}

impl From<AckFacts> for Ack {
    fn from(facts: AckFacts) -> Ack {
        Ack {
            now: time(facts.now),
            acks: facts.acks,
            delivered: facts.delivered,
            lost: facts.lost,
            ce_marked: facts.ce_marked,
            in_flight: facts.in_flight,
            rtt: facts.rtt.map(Duration::from_secs_f64),
            srtt: Duration::from_secs_f64(facts.srtt),
            min_rtt: Duration::from_secs_f64(facts.min_rtt),
            round: facts.round,
            suspended: facts.suspended,
            advanced: facts.advanced,
            window_limited: facts.window_limited,
            recovering: facts.recovering,
            rate: facts.rate.map(RateSample::from),
            loss: facts.loss.map(LossSample::from),
            feedback: facts.feedback.map(PacketRate),
        }
    }
}

impl From<RateSample> for RateFacts {
    fn from(sample: RateSample) -> RateFacts {
        let RateSample { rate, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight } =
            sample;
        let interval = interval.as_secs_f64();
        RateFacts { rate: rate.0, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight }
    }
}

impl From<RateFacts> for RateSample {
    fn from(facts: RateFacts) -> RateSample {
        let RateFacts { rate, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight } = facts;
        let interval = Duration::from_secs_f64(interval);
        let rate = PacketRate(rate);
        RateSample { rate, app_limited, interval, delivered, prior_delivered, lost, tx_in_flight }
    }
}

impl From<LossSample> for LossFacts {
    fn from(LossSample { tx_in_flight, lost, app_limited }: LossSample) -> LossFacts {
        LossFacts { tx_in_flight, lost, app_limited }
    }
}

impl From<LossFacts> for LossSample {
    fn from(LossFacts { tx_in_flight, lost, app_limited }: LossFacts) -> LossSample {
        LossSample { tx_in_flight, lost, app_limited }
    }
}

impl From<&Congestion> for CongestionFacts {
    fn from(event: &Congestion) -> CongestionFacts {
        let Congestion { now, signal, flight, restart, repeated } = *event;
        CongestionFacts {
            now: now.as_secs_f64(),
            signal: signal.name().to_owned(),
            flight,
            restart,
            repeated,
        }
    }
}

impl TryFrom<CongestionFacts> for Congestion {
    type Error = PyErr;

    fn try_from(facts: CongestionFacts) -> PyResult<Congestion> {
        let CongestionFacts { now, signal, flight, restart, repeated } = facts;
        let found = Signal::ALL.iter().find(|known| known.name() == signal);
        let signal = *found.ok_or_else(|| {
            PyValueError::new_err(format!("signal is {signal:?}, not \"loss\", \"ecn\" or \"timeout\""))
        })?;
        Ok(Congestion { now: time(now), signal, flight, restart, repeated })
    }
}

impl From<&Start> for StartFacts {
    fn from(start: &Start) -> StartFacts {
        let Start { initial_window, initial_ssthresh, restart_window } = *start;
        StartFacts { initial_window, initial_ssthresh, restart_window }
    }
}

/// A time in seconds since the start, to the nanosecond.
pub(crate) fn time(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs_f64(seconds)
}
