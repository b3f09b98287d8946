//! Copa: consequences that Arun and Balakrishnan (2018) state.

use crate::common::{Path, assert_near};
use crate::pipe::Pipe;
use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, Signal, Start};
use ackclock_units::{Duration, PacketRate, Time};

const RTT: Duration = Duration::from_millis(50);

fn pipe(spec: &str, capacity: f64) -> Pipe {
    Pipe::new(spec, &Start { initial_window: 4.0, ..Start::default() }, capacity, RTT)
}

/// The mean and the least queue in packets, over `seconds`.
fn mean_queue(pipe: &mut Pipe, seconds: u64) -> (f64, f64) {
    let (mut sum, mut count, mut least) = (0.0, 0.0, f64::INFINITY);
    let end = pipe.now + Duration::from_secs(seconds);
    pipe.until(|pipe| {
        // The packet in transmission does not wait.
        let queue = (pipe.cwnd() - pipe.bdp() - 1.0).max(0.0);
        (sum, count) = (sum + queue, count + 1.0);
        least = queue.min(least);
        pipe.now >= end
    });
    (sum / count, least)
}

/// Section 2.1 and 3: in equilibrium the rate is 1 / (delta `d_q`): 1/delta packets are queued, about which the window
/// moves within five round trips: the queue empties once in a period, and its mean is in proportion to 1/delta.
#[test]
fn the_queue_moves_about_one_over_delta_and_empties() {
    for (delta, inverse) in [("0.5", 2.0), ("0.25", 4.0), ("0.1", 10.0)] {
        let mut pipe = pipe(&format!("copa(delta={delta})"), 4_000.0);
        pipe.run(Duration::from_secs(20));
        let (mean, least) = mean_queue(&mut pipe, 20);
        assert!(
            (0.5 * inverse..=2.0 * inverse).contains(&mean),
            "{mean} packets queued in the mean at {delta}"
        );
        assert!(least <= 0.5 * inverse, "{least}");
        assert_near(pipe.gauge("copa_delta") * inverse, 1.0, 1e-9);
    }
}

/// Slow start doubles the window in each round trip until the rate passes the target.
#[test]
fn slow_start_doubles() {
    let mut path = Path::wide("copa", 4.0, f64::INFINITY);
    for expected in [8.0, 16.0, 32.0, 64.0] {
        path.round();
        assert_near(path.cwnd(), expected, 1e-9);
    }
}

/// By hand, on an idle path after slow start: 1/delta = 2 packets in each round trip, for three round trips of one direction;
/// then the velocity doubles in each: 4, 8, 16 packets.
#[test]
fn the_velocity_doubles_after_three_round_trips_of_one_direction() {
    let mut pipe = pipe("copa", 4_000.0);
    pipe.run(Duration::from_secs(5));
    // The path becomes ten times as wide: the target is far away.
    pipe.spacing = Duration::from_micros(25);
    let before = pipe.cwnd();
    pipe.rounds(8);
    let velocity = pipe.gauge("copa_velocity");
    assert!(velocity >= 8.0, "{velocity}");
    assert!(pipe.cwnd() > before + 20.0, "{before} grew to {}", pipe.cwnd());
    pipe.run(Duration::from_secs(2));
    assert!(pipe.cwnd() > 0.9 * pipe.bdp(), "{} of {}", pipe.cwnd(), pipe.bdp());
}

/// Losses that do not come of a queue change nothing in the default mode.
#[test]
fn random_losses_change_nothing() {
    let mut pipe = pipe("copa", 4_000.0);
    pipe.run(Duration::from_secs(5));
    let before = pipe.cwnd();
    pipe.loss();
    assert_near(pipe.cwnd(), before, 1e-9);
}

/// A queue that stays is that of other flows: after five round trips 1/delta grows by one in each, and a loss halves it. In a
/// path whose queue empties again, the default returns.
#[test]
fn a_queue_that_stays_makes_it_competitive() {
    let queued = |path: &mut Path, millis: u64| {
        path.round_of(|index| Some(RTT + Duration::from_millis(millis + u64::from(index % 2) * 20)), true);
    };
    let inverse = |path: &Path| {
        let mut found = f64::NAN;
        path.controller.observe(&mut |name, value| {
            if name == "copa_delta" {
                found = 1.0 / value;
            }
        });
        found
    };
    let mut path = Path::wide("copa", 20.0, f64::INFINITY);
    queued(&mut path, 0);
    for _ in 0..5 {
        queued(&mut path, 40);
    }
    assert_near(inverse(&path), 2.0, 1e-9);
    for _ in 0..8 {
        queued(&mut path, 40);
    }
    assert_near(inverse(&path), 10.0, 1e-9);
    path.controller.on_congestion(&Congestion {
        now: ackclock_units::Time::ZERO + Duration::from_secs(60),
        signal: Signal::Loss,
        flight: 20.0,
        restart: false,
        repeated: false,
    });
    assert_near(inverse(&path), 5.0, 1e-9);
    for _ in 0..2 {
        path.round_of(|_| Some(RTT), true);
    }
    assert_near(inverse(&path), 2.0, 1e-9);
    let mut path = Path::wide("copa(competitive=0)", 20.0, f64::INFINITY);
    for _ in 0..20 {
        queued(&mut path, 40);
    }
    assert_near(inverse(&path), 2.0, 1e-9);
}

/// Twice the window in a standing round-trip time.
#[test]
fn packets_are_paced_at_twice_the_rate() {
    let mut path = Path::wide("copa", 20.0, f64::INFINITY);
    path.round();
    let Some(PacketRate(rate)) = path.controller.decision().pacing_rate else { panic!("not paced") };
    assert_near(rate, 2.0 * path.cwnd() / 0.05, 1e-6);
}

#[test]
fn a_timeout_starts_over() {
    let mut path = Path::wide("copa", 20.0, f64::INFINITY);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    path.round();
    assert_near(path.cwnd(), 2.0, 1e-9);
}

/// The test of Copa in Meta's QUIC stack mvfst (`CopaTest.cpp`): round-trip times of 50, 150 and 100 ms. Above the target rate a
/// window of 10 packets becomes 9.8 and 9.6.
#[test]
fn the_windows_of_another_implementation() {
    let spec: ControllerSpec = "copa".parse().expect("a test's specification");
    let mut controller = spec.build(&Start { initial_window: 9.0, ..Start::default() });
    let mut windows = [(0, 50, 50), (110, 150, 100), (120, 100, 100)].map(|(now, rtt, srtt)| {
        controller.on_ack(&Ack {
            now: Time::ZERO + Duration::from_millis(50 + now),
            acks: 1,
            delivered: 1.0,
            rtt: Some(Duration::from_millis(rtt)),
            min_rtt: Duration::from_millis(50),
            srtt: Duration::from_millis(srtt),
            advanced: true,
            window_limited: true,
            ..Ack::default()
        });
        controller.decision().cwnd
    });
    for window in &mut windows {
        *window = (10.0 * *window).round() / 10.0;
    }
    assert_eq!(windows.map(|window| format!("{window}")), ["10", "9.8", "9.6"]);
}
