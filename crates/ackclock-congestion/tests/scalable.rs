//! Scalable TCP: consequences that Kelly (2003) and mesonet, 5.2.6, state.

use crate::common::stream::{Stream, mean_window};
use crate::common::{BASE_RTT, Path, assert_near};
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;

fn rounds_back(spec: &str, window: f64) -> f64 {
    let mut stream = Stream::new(spec, window, BASE_RTT);
    stream.loss();
    let begin = stream.rounds;
    while stream.cwnd() < window {
        stream.packet();
    }
    stream.rounds - begin
}

/// Its name: the time from a loss back to the window it came at is the same for all windows. A round trip multiplies
/// the window by 1.01, a loss by 0.875; between acknowledgments the window moves in steps, which is 0.07 rounds here.
#[test]
fn recovery_takes_as_many_round_trips_at_any_window() {
    let expected = -0.875_f64.ln() / 1.01_f64.ln();
    assert_near(expected, 13.42, 0.005);
    for window in [100.0, 1_000.0, 10_000.0] {
        assert_near(rounds_back("scalable", window), expected, 0.1);
    }
}

/// In the packets that standard TCP takes for one more packet, or more.
#[test]
fn standard_tcp_needs_half_its_window_of_round_trips() {
    assert_near(rounds_back("reno", 1_000.0), 500.0, 1.0);
    assert_near(rounds_back("scalable", 15.0), 7.5, 1.0);
}

/// One packet lost of every 1/p: a cycle has 13.35 windows of packets (ln (8/7) / 0.01), so the window is 0.0749/p.
#[test]
fn the_response_function_is_a_straight_line() {
    for spacing in [1_000, 10_000, 100_000] {
        let expected = 0.01 * f64::from(spacing) / (8.0_f64 / 7.0).ln();
        let found = mean_window("scalable", spacing, BASE_RTT, expected, 30, 10);
        assert_near(found / expected, 1.0, 0.01);
    }
}

/// Mesonet's eq. 40 keeps as much after a timeout as after a loss, unlike the other algorithms.
#[test]
fn a_timeout_keeps_seven_eighths_for_the_threshold() {
    let mut path = Path::wide("scalable", 400.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 350.0, EXACT);
    let mut path = Path::wide("scalable", 400.0, 2.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, EXACT);
    assert_near(path.controller.ssthresh(), 350.0, EXACT);
}

#[test]
fn below_the_low_window_it_is_standard_tcp() {
    let mut path = Path::wide("scalable", 15.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 7.5, EXACT);
    let mut path = Path::wide("scalable", 16.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 14.0, EXACT);
    let mut path = Path::wide("scalable(low_window=20)", 16.0, 2.0);
    path.round();
    assert_near(path.cwnd(), 17.0, 0.05);
}

/// An acknowledgment of two packets counts once, or twice if it is told to, on both sides of the threshold.
#[test]
fn delayed_acknowledgments_count_as_they_are_told_to() {
    for (spec, window, gain) in [
        ("scalable", 100.0, 0.5),
        ("scalable(limit=2)", 100.0, 1.0),
        ("scalable", 10.0, 0.5),
        ("scalable(limit=2)", 10.0, 1.0),
    ] {
        let mut path = Path::wide(spec, window, 2.0);
        path.segments_per_ack = 2;
        path.round();
        assert_near(path.cwnd() - window, gain, 0.05);
    }
}

/// Two flows that lose together keep their ratio.
#[test]
fn it_does_not_converge() {
    let mut flows = [200.0, 800.0].map(|window| Stream::new("scalable", window, Duration::from_millis(100)));
    for _ in 0..20 {
        for flow in &mut flows {
            flow.for_rounds(13.4);
            flow.loss();
        }
    }
    assert_near(flows[1].cwnd() / flows[0].cwnd(), 4.0, 0.05);
}
