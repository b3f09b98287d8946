//! The registry's entry of BBR version 3.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::{Bbr3, Settings};
use crate::facts::Start;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "bbr3",
    title: "BBR version 3: pace at the measured bandwidth, with bounds that losses above 2 % teach",
    source: "draft-ietf-ccwg-bbr-06, 2026",
    parameters: &[
        Parameter::new(
            "startup_gain",
            Unit::Number,
            2.77,
            (1.1, 10.0),
            "pacing gain of Startup, StartupPacingGain (4 ln 2)",
        ),
        Parameter::new("drain_gain", Unit::Number, 0.5, (0.05, 1.0), "pacing gain of Drain, DrainPacingGain"),
        Parameter::new(
            "cwnd_gain",
            Unit::Number,
            2.0,
            (1.0, 10.0),
            "window in bandwidth-delay products, DefaultCwndGain",
        ),
        Parameter::new(
            "loss_threshold",
            Unit::Number,
            0.02,
            (0.0, 0.5),
            "loss rate of a round that a probe tolerates, LossThresh",
        ),
        Parameter::new(
            "beta",
            Unit::Number,
            0.7,
            (0.05, 1.0),
            "part of a bound that a round with losses keeps at least, Beta",
        ),
        Parameter::new(
            "headroom",
            Unit::Number,
            0.15,
            (0.0, 0.9),
            "part of inflight_longterm left to others, Headroom",
        ),
        Parameter::new(
            "probe_rtt_window",
            Unit::Seconds,
            5.0,
            (0.1, 1e6),
            "interval between ProbeRTT states, ProbeRTTInterval",
        ),
        Parameter::new(
            "min_rtt_window",
            Unit::Seconds,
            10.0,
            (0.1, 1e6),
            "lifetime of a smallest round-trip time, MinRTTFilterLen",
        ),
        Parameter::new(
            "probe_rtt_duration",
            Unit::Seconds,
            0.2,
            (0.0, 10.0),
            "shortest duration of ProbeRTT, ProbeRTTDuration",
        ),
        Parameter::new(
            "probe_rtt_gain",
            Unit::Number,
            0.5,
            (0.0, 1.0),
            "window of ProbeRTT in bandwidth-delay products",
        ),
        Parameter::new(
            "pacing_margin",
            Unit::Number,
            0.01,
            (0.0, 0.5),
            "part of the rate left unused, PacingMarginPercent / 100",
        ),
        Parameter::new(
            "quantum",
            Unit::Packets,
            1.0,
            (1.0, 64.0),
            "packets sent in one burst, send_quantum: at least three bursts fit in flight",
        ),
        Parameter::new(
            "wait_phase",
            Unit::Seconds,
            0.0,
            (0.0, 1.0),
            "the waits between probes begin at 2 + wait_phase s; random in the draft",
        ),
        Parameter::switch(
            "filter_after_probe_rtt",
            false,
            "whether a probe that ProbeRTT cuts off ends a cycle of the bandwidth filter; in the draft's pseudocode it does not",
        ),
        Parameter::switch(
            "save_once",
            false,
            "whether the state before a recovery is saved once; in the draft's pseudocode, in each round with losses",
        ),
    ],
    aliases: &["bbr2", "bbrv2", "bbrv3"],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Bbr3 {
    Bbr3::new(settings(values, start))
}

fn settings(values: &Values, start: &Start) -> Settings {
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
        filter_after_probe_rtt: values.get("filter_after_probe_rtt") > 0.0,
        save_once: values.get("save_once") > 0.0,
        initial_window: start.initial_window,
        restart_window: start.restart_window,
    }
}
