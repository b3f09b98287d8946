//! The catalogue entry.

use ackclock_catalogue::{Entry, Parameter, Unit};

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "bbr1",
    title: "BBR version 1: pace at the measured bandwidth, two bandwidth-delay products in flight at the most",
    source: "Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    parameters: &[
        Parameter::new(
            "startup_gain",
            Unit::Number,
            2.885,
            (1.1, 10.0),
            "pacing and window gain of Startup, BBRHighGain (2/ln 2); Drain paces by its inverse",
        ),
        Parameter::new(
            "cwnd_gain",
            Unit::Number,
            2.0,
            (1.0, 10.0),
            "window of ProbeBW in bandwidth-delay products",
        ),
        Parameter::new(
            "bw_window",
            Unit::Count,
            10.0,
            (1.0, 1000.0),
            "round trips over which the largest delivery rate is the bandwidth, BtlBwFilterLen",
        ),
        Parameter::new(
            "probe_rtt_window",
            Unit::Seconds,
            10.0,
            (0.1, 1e6),
            "lifetime of the smallest round-trip time, RTpropFilterLen; ProbeRTT follows",
        ),
        Parameter::new(
            "probe_rtt_duration",
            Unit::Seconds,
            0.2,
            (0.0, 10.0),
            "duration of ProbeRTT, with four packets in flight",
        ),
        Parameter::new(
            "phase",
            Unit::Count,
            2.0,
            (0.0, 7.0),
            "phase of the gain cycle that ProbeBW begins with, 0 (probe) or 2 to 7 (cruise); random in the source",
        ),
        Parameter::new(
            "quantum",
            Unit::Packets,
            1.0,
            (1.0, 64.0),
            "packets sent in one burst, send_quantum: three bursts are added to the packets in flight",
        ),
    ],
    check: Some(|values| match values.get("phase") {
        phase if phase.to_bits() == 1.0_f64.to_bits() => {
            Err(format!("phase={phase} must be a whole number, and not 1, the draining phase"))
        }
        _ => Ok(()),
    }),
    aliases: &["bbr", "bbrv1"],
    ..Entry::PLAIN
};
