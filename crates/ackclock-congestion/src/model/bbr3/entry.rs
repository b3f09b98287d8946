//! The registry's entry of BBR version 3.

use ackclock_units::Duration;

use super::{Bbr3, Settings};
use crate::control::Start;
use crate::registry::{Entry, Kind, Make, Parameter, Values};

pub(crate) const ENTRY: Entry = Entry {
    name: "bbr3",
    kind: Kind::Model,
    title: "BBR version 3: pace at the measured bandwidth, with bounds that losses above 2 % teach",
    source: "draft-ietf-ccwg-bbr-06, 2026",
    parameters: &[
        parameter("startup_gain", 2.77, 1.1, 10.0, "pacing gain of Startup, StartupPacingGain (4 ln 2)"),
        parameter("drain_gain", 0.5, 0.05, 1.0, "pacing gain of Drain, DrainPacingGain"),
        parameter("cwnd_gain", 2.0, 1.0, 10.0, "window in bandwidth-delay products, DefaultCwndGain"),
        parameter(
            "loss_threshold",
            0.02,
            0.0,
            0.5,
            "loss rate of a round that a probe tolerates, LossThresh",
        ),
        parameter("beta", 0.7, 0.05, 1.0, "part of a bound that a round with losses keeps at least, Beta"),
        parameter("headroom", 0.15, 0.0, 0.9, "part of inflight_longterm left to others, Headroom"),
        parameter("probe_rtt_window", 5.0, 0.1, 1e6, "seconds between ProbeRTT states, ProbeRTTInterval"),
        parameter("min_rtt_window", 10.0, 0.1, 1e6, "seconds that a round-trip time holds, MinRTTFilterLen"),
        parameter(
            "probe_rtt_duration",
            0.2,
            0.0,
            10.0,
            "seconds that ProbeRTT lasts at least, ProbeRTTDuration",
        ),
        parameter("probe_rtt_gain", 0.5, 0.0, 1.0, "window of ProbeRTT in bandwidth-delay products"),
        parameter("pacing_margin", 0.01, 0.0, 0.5, "part of the rate not used, PacingMarginPercent / 100"),
        parameter(
            "quantum",
            1.0,
            1.0,
            64.0,
            "packets sent together, send_quantum: three of them fit in flight",
        ),
        parameter(
            "wait_phase",
            0.0,
            0.0,
            1.0,
            "the waits between probes begin at 2 + wait_phase s; random in the draft",
        ),
    ],
    brings: None,
    check: None,
    make: Make::Model(|values, start| Box::new(Bbr3::new(values, start))),
};

const fn parameter(name: &'static str, default: f64, min: f64, max: f64, meaning: &'static str) -> Parameter {
    Parameter { name, default, min, max, meaning }
}

pub(super) fn settings(values: &Values, start: &Start) -> Settings {
    let seconds = |name| Duration::from_secs_f64(values.get(name));
    Settings {
        startup_gain: values.get("startup_gain"),
        drain_gain: values.get("drain_gain"),
        cwnd_gain: values.get("cwnd_gain"),
        loss_threshold: values.get("loss_threshold"),
        beta: values.get("beta"),
        headroom: values.get("headroom"),
        probe_rtt_window: seconds("probe_rtt_window"),
        min_rtt_window: seconds("min_rtt_window"),
        probe_rtt_duration: seconds("probe_rtt_duration"),
        probe_rtt_gain: values.get("probe_rtt_gain"),
        pacing_margin: values.get("pacing_margin"),
        quantum: values.get("quantum"),
        wait_phase: values.get("wait_phase"),
        initial_window: start.initial_window,
        restart_window: start.restart_window,
    }
}
