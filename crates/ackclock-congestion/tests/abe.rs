//! Alternative Backoff with ECN: consequences that RFC 8511 states.

use crate::common::stream::{Stream, mean_window};
use crate::common::{Path, assert_near};
use ackclock_congestion::Signal;
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;

/// A window of 100 packets after this signal.
fn kept(spec: &str, signal: Signal) -> f64 {
    let mut path = Path::wide(spec, 100.0, 50.0);
    path.congestion(signal, false);
    path.controller.ssthresh()
}

/// Section 3.1: a mark leaves `beta_ecn` of the window, a loss what it leaves without ABE.
#[test]
fn a_mark_leaves_more_than_a_loss() {
    for (spec, marked, lost) in [
        ("reno", 50.0, 50.0),
        ("reno(ecn_beta=0.8)", 80.0, 50.0),
        ("cubic", 70.0, 70.0),
        ("cubic(ecn_beta=0.85)", 85.0, 70.0),
    ] {
        assert_near(kept(spec, Signal::Ecn), marked, EXACT);
        assert_near(kept(spec, Signal::Loss), lost, EXACT);
        assert_near(kept(spec, Signal::Timeout), lost, EXACT);
    }
}

/// `ssthresh = max(FlightSize * beta_ecn, 2 * SMSS)`.
#[test]
fn two_packets_are_left() {
    let mut path = Path::wide("reno(ecn_beta=0.8)", 2.2, 1.0);
    path.congestion(Signal::Ecn, false);
    assert_near(path.cwnd(), 2.0, EXACT);
}

/// A sawtooth from 0.8 W to W holds (1 - 0.64) W^2 / 2 packets. If one in n is marked, its mean of 0.9 W is
/// 2.12 sqrt(n), where losses leave 1.22 sqrt(n).
#[test]
fn marks_leave_a_larger_mean_window() {
    let mut stream = Stream::new("reno(ecn_beta=0.8)", 200.0, Duration::from_millis(100));
    let mut begin = 0.0;
    for tooth in 0..40 {
        if tooth == 30 {
            begin = stream.rounds;
        }
        stream.packets(10_000);
        stream.mark();
    }
    let root = 10_000_f64.sqrt();
    assert_near(100_000.0 / (stream.rounds - begin) / root, 0.9 * (2.0_f64 / 0.36).sqrt(), 0.02);
    let lost = mean_window("reno(ecn_beta=0.8)", 10_000, Duration::from_millis(100), 200.0, 40, 10);
    assert_near(lost / root, 1.5_f64.sqrt(), 0.02);
}
