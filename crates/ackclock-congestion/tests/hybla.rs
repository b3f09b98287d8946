//! Hybla: consequences that Caini and Firrincieli (2004) state.

use crate::common::stream::{Stream, mean_window};
use crate::common::{Path, assert_near};
use ackclock_units::Duration;

/// By hand: rho is 2 at 50 ms, so each packet adds 2^2 - 1 = 3 in slow start: the window doubles in every 25 ms.
#[test]
fn slow_start_doubles_in_every_25_ms() {
    let mut path = Path::wide("hybla", 10.0, f64::INFINITY);
    for expected in [40.0, 160.0, 640.0, 2560.0] {
        path.round();
        assert_near(path.cwnd(), expected, 1e-9);
    }
}

/// At 50 ms and a reference of 20 ms rho is 2.5, and a round trip multiplies the window by 2^2.5 = 5.657.
#[test]
fn a_round_trip_multiplies_the_window_by_two_to_the_rho() {
    let mut path = Path::wide("hybla(rtt0=20)+hybla", 100.0, f64::INFINITY);
    path.round();
    assert_near(path.cwnd(), 565.685_424_949, 1e-6);
}

#[test]
fn slow_start_stops_at_the_threshold_and_where_it_must() {
    let mut path = Path::wide("hybla", 10.0, 100.0);
    path.round();
    path.round_of(|_| None, false);
    path.ack(1.0, None, true);
    assert!((40.0..=100.0).contains(&path.cwnd()), "{}", path.cwnd());
    let mut path = Path::wide("hybla(most=100)+hybla", 10.0, f64::INFINITY);
    path.rounds(5);
    assert_near(path.cwnd(), 100.0, 1e-9);
    // 2^50 packets for each.
    let mut path = Path::wide("hybla(rtt0=1)+hybla", 10.0, f64::INFINITY);
    path.round();
    assert_near(path.cwnd(), 65_535.0, 1e-9);
}

/// By hand: rho^2 = 4 packets per round trip of 50 ms; as each packet adds to the window by which the next is divided, a
/// little less.
#[test]
fn avoidance_adds_rho_squared_packets_per_round_trip() {
    let mut path = Path::wide("hybla", 1_000.0, 2.0);
    path.rounds(10);
    assert_near(path.cwnd(), 1_040.0, 0.2);
}

/// The rate grows by 1 / RTT0^2 = 1600 packets per second in every second, at any round-trip time from 25 ms on.
#[test]
fn the_rate_grows_alike_at_any_round_trip_time() {
    for millis in [25, 100, 400] {
        let rtt = Duration::from_millis(millis);
        let window = 40_000.0 * rtt.as_secs_f64();
        let mut stream = Stream::new("hybla", window, rtt);
        stream.for_seconds(20.0);
        let per_second = (stream.cwnd() - window) / rtt.as_secs_f64() / 20.0;
        assert_near(per_second / 1_600.0, 1.0, 0.02);
    }
}

/// With every n-th packet lost, standard TCP's window is sqrt(1.5 n) in the mean; Hybla's is rho times that, so that
/// the rate is sqrt(1.5 n) / 25 ms at any round-trip time: 4899 packets per second for 10000.
#[test]
fn equal_losses_leave_equal_rates() {
    for millis in [25, 50, 200, 600] {
        let rtt = Duration::from_millis(millis);
        let window = 4_899.0 * rtt.as_secs_f64();
        let rate = mean_window("hybla", 10_000, rtt, window, 40, 10) / rtt.as_secs_f64();
        assert_near(rate / 4_899.0, 1.0, 0.03);
    }
}

/// Rho is one at least: below 25 ms both phases are standard TCP's.
#[test]
fn short_paths_are_standard_tcp() {
    let rtt = Duration::from_millis(10);
    let (mut hybla, mut reno) = (Stream::new("hybla", 50.0, rtt), Stream::new("reno", 50.0, rtt));
    hybla.for_rounds(20.0);
    reno.for_rounds(20.0);
    assert_near(hybla.cwnd(), reno.cwnd(), 1e-9);
    let (mut hybla, mut standard) = (
        Path::wide("hybla(rtt0=50)+hybla", 10.0, f64::INFINITY),
        Path::wide("standard+reno", 10.0, f64::INFINITY),
    );
    hybla.rounds(4);
    standard.rounds(4);
    assert_near(hybla.cwnd(), standard.cwnd(), 1e-9);
}

#[test]
fn a_loss_halves() {
    let mut path = Path::wide("hybla", 300.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 150.0, 1e-9);
}
