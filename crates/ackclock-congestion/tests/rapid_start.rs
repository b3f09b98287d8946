//! Rapid Start: consequences that the draft states.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Signal, Start};
use ackclock_units::{Duration, Time};

use crate::common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

/// 3.2: "a 3x growth of cwnd per round-trip".
#[test]
fn the_window_triples_in_a_round_trip() {
    let mut path = Path::wide("rapid-start", 10.0, f64::INFINITY);
    for expected in [30.0, 90.0, 270.0, 810.0] {
        path.round();
        assert_near(path.cwnd(), expected, EXACT);
    }
}

/// 3.2: above min(50 ms + 4 ms, 55 ms) of the smallest round trip of a round the growth is 2x; one early packet shows that no
/// queue builds.
#[test]
fn a_queue_makes_it_double() {
    let factor = |spec: &str, rtt: &dyn Fn(u32) -> u64| {
        let mut path = Path::wide(spec, 10.0, f64::INFINITY);
        path.round();
        path.round_of(|index| Some(BASE_RTT + Duration::from_micros(rtt(index))), true);
        path.cwnd() / 30.0
    };
    for (spec, micros, expected) in [
        ("rapid-start", 4_000, 3.0),
        ("rapid-start", 4_001, 2.0),
        ("rapid-start(rise=10)", 5_000, 3.0),
        ("rapid-start(rise=10)", 5_001, 2.0),
        ("rapid-start(rise=10,factor=1.2)", 9_999, 3.0),
    ] {
        assert_near(factor(spec, &|_| micros), expected, EXACT);
    }
    assert_near(factor("rapid-start", &|index| if index == 0 { 0 } else { 30_000 }), 3.0, EXACT);
    // The first packet finds the queue, and so do the others up to the tenth.
    let late = factor("rapid-start", &|index| if index == 9 { 0 } else { 30_000 });
    assert_near(late, (30.0 + 9.0 + 2.0 * 21.0) / 30.0, EXACT);
}

/// A sender whose window is full when it finds the first loss, and whose path and queue hold `full` packets.
struct Recovery {
    controller: Box<dyn CongestionControl>,
    in_flight: f64,
}

impl Recovery {
    fn new(avoidance: &str, window: f64, signal: Signal) -> Recovery {
        let spec: ControllerSpec =
            format!("rapid-start+{avoidance}").parse().expect("a test's specification");
        let mut controller = spec.build(&Start { initial_window: window, ..Start::default() });
        let event = Congestion { now: Time::ZERO, signal, flight: window, restart: false, repeated: false };
        controller.on_congestion(&event);
        Recovery { controller, in_flight: window }
    }

    fn ack(&mut self, delivered: f64, lost: f64) {
        self.in_flight -= delivered + lost;
        self.controller.on_ack(&Ack {
            delivered,
            lost,
            in_flight: self.in_flight,
            suspended: true,
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
    }

    fn cwnd(&self) -> f64 {
        self.controller.decision().cwnd
    }
}

/// Appendix A: whatever the loss ratio, "the congestion window becomes the full BDP multiplied by beta": 100 packets delivered of
/// 150, 200 or 300 leave 50 under Reno and 70 under CUBIC, and slow start is over.
#[test]
fn the_window_becomes_a_share_of_what_was_delivered() {
    for (avoidance, expected) in [("reno", 50.0), ("cubic", 70.0)] {
        for window in [150.0, 200.0, 300.0] {
            let mut recovery = Recovery::new(avoidance, window, Signal::Loss);
            recovery.ack(40.0, 0.0);
            recovery.ack(0.0, window - 100.0);
            recovery.ack(60.0, 0.0);
            assert_near(recovery.cwnd(), expected, EXACT);
            assert_near(recovery.controller.ssthresh(), expected, EXACT);
        }
    }
}

/// 3.3.1: the factors at the beginning: 5/6 for a beta of a half, 9/10 for CUBIC's 0.7.
#[test]
fn the_first_cut_is_small() {
    assert_near(Recovery::new("reno", 300.0, Signal::Loss).cwnd(), 250.0, EXACT);
    assert_near(Recovery::new("cubic", 300.0, Signal::Loss).cwnd(), 270.0, EXACT);
}

/// Appendix A: with two packets lost for each one delivered, the sender resumes when `1 - beta` of the 100 packets are delivered.
#[test]
fn the_silence_drains_what_avoidance_would() {
    for (avoidance, resumes) in [("reno", 50), ("cubic", 30)] {
        let mut recovery = Recovery::new(avoidance, 300.0, Signal::Loss);
        let first = (1..=100).find(|_| {
            recovery.ack(1.0, 2.0);
            recovery.cwnd() >= recovery.in_flight - EXACT
        });
        assert_eq!(first, Some(resumes), "{avoidance}");
    }
}

/// 3.3.2: after a mark without a loss the window is beta times what it was.
#[test]
fn a_mark_leaves_a_share_of_the_window() {
    let mut recovery = Recovery::new("reno", 300.0, Signal::Ecn);
    for _ in 0..300 {
        recovery.ack(1.0, 0.0);
    }
    assert_near(recovery.cwnd(), 150.0, 1e-6);
}

/// 3.3: not below a third of what the avoidance keeps, and not below two packets.
#[test]
fn losses_alone_leave_a_third() {
    let mut recovery = Recovery::new("reno", 300.0, Signal::Loss);
    recovery.ack(0.0, 300.0);
    assert_near(recovery.cwnd(), 50.0, EXACT);
    let mut recovery = Recovery::new("reno", 6.0, Signal::Loss);
    recovery.ack(0.0, 6.0);
    assert_near(recovery.cwnd(), 2.0, EXACT);
}

/// 3.3: "Upon exiting the first recovery period, Rapid Start ends".
#[test]
fn it_ends_with_the_first_recovery() {
    let mut path = Path::wide("rapid-start", 100.0, f64::INFINITY);
    path.loss();
    path.round_of(|_| Some(BASE_RTT), false);
    let left = path.cwnd();
    path.round();
    assert_near(path.cwnd(), left + 1.0, 0.1);
    path.loss();
    assert_near(path.cwnd(), 0.5 * (left + 1.0), 0.1);
    path.timeout();
    for expected in [2.0, 4.0, 8.0] {
        path.round();
        assert_near(path.cwnd(), expected, EXACT);
    }
}

/// A loss in avoidance, which began at a threshold, is no loss of Rapid Start.
#[test]
fn a_loss_after_slow_start_is_an_ordinary_one() {
    let mut path = Path::wide("rapid-start", 10.0, 30.0);
    path.round();
    assert_near(path.cwnd(), 30.0, EXACT);
    path.loss();
    assert_near(path.cwnd(), 15.0, EXACT);
}

/// 3.1: "pace the packets over a full RTT [..] when it first sends more data than classic slow start with pacing would permit":
/// the flight of 30 packets that ten let go. None before a round-trip time is known, and none after that flight.
#[test]
fn the_first_flight_is_paced_over_a_round_trip() {
    let rate = |path: &Path| path.controller.decision().pacing_rate.map(|rate| rate.0);
    let mut path = Path::wide("rapid-start", 10.0, f64::INFINITY);
    assert!(path.controller.needs().pacing);
    assert_eq!(rate(&path), None);
    path.round();
    assert_near(rate(&path).expect("a paced flight"), 30.0 / 0.05, 1e-6);
    path.round();
    assert_eq!(rate(&path), None);
    let mut unpaced = Path::wide("rapid-start(pacing=0)", 10.0, f64::INFINITY);
    unpaced.round();
    assert!(!unpaced.controller.needs().pacing && rate(&unpaced).is_none());
}
