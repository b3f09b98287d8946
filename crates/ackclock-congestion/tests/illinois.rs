//! Illinois: consequences that Liu, Basar and Srikant (2008) state.

mod common;

use ackclock_units::Duration;
use common::stream::mean_window;
use common::{BASE_RTT, Path, assert_near};

/// A window of 100 packets in avoidance, whose largest queueing delay was 100 ms.
fn measured_path() -> Path {
    let mut path = Path::wide("illinois", 100.0, 50.0);
    path.round_of(|index| Some(BASE_RTT + Duration::from_millis(if index == 0 { 100 } else { 0 })), false);
    path
}

/// A round trip in which all packets wait for this many milliseconds; growth rests.
fn wait(path: &mut Path, millis: f64) {
    path.round_of(|_| Some(BASE_RTT + Duration::from_secs_f64(millis / 1e3)), false);
}

fn gauges(path: &Path) -> (f64, f64) {
    let mut shown = vec![];
    path.controller.observe(&mut |_, value| shown.push(value));
    (shown[0], shown[1])
}

/// By hand, with `d_m` = 100 ms, d1 = 1 ms, k1 = 99 * 3 / 9.7 = 30.62 ms and k2 = 99 * 0.3 / 9.7 - 1 = 2.062 ms:
/// alpha is 0.3 at 100 ms, k1 / (k2 + 50.5) = 0.5825 at 50.5 ms and 30.62 / 12.06 = 2.538 at 10 ms. Beta is a half from
/// 80 ms on, an eighth up to 10 ms, and 0.3125 in their middle.
#[test]
fn alpha_falls_and_beta_rises_with_the_delay() {
    for (delay, alpha, beta) in [
        (100.0, 0.3, 0.5),
        (80.0, 30.618_557 / 82.061_856, 0.5),
        (50.5, 0.582_5, 0.125 + 0.375 * 40.5 / 70.0),
        (45.0, 30.618_557 / 47.061_856, 0.3125),
        (10.0, 2.538_5, 0.125),
        (1.001, 9.997, 0.125),
    ] {
        let mut path = measured_path();
        wait(&mut path, delay);
        wait(&mut path, 0.0);
        let found = gauges(&path);
        assert_near(found.0, alpha, 1e-3);
        assert_near(found.1, beta, 1e-6);
    }
}

/// The reaction to a loss is an eighth where the queue is short, and a half where it is long.
#[test]
fn a_loss_takes_the_part_that_the_delay_says() {
    for (delay, kept) in [(0.0, 87.5), (45.0, 68.75), (90.0, 50.0)] {
        let mut path = measured_path();
        wait(&mut path, delay);
        wait(&mut path, 0.0);
        path.loss();
        assert_near(path.cwnd(), kept, 1e-6);
    }
}

/// Once the delay was high, five round trips of low delay pass before growth is ten packets again.
#[test]
fn the_largest_growth_returns_after_five_round_trips_of_low_delay() {
    let mut path = measured_path();
    wait(&mut path, 50.5);
    for _ in 0..5 {
        wait(&mut path, 0.0);
        assert_near(gauges(&path).0, 0.5825, 1e-3);
    }
    wait(&mut path, 0.0);
    assert_near(gauges(&path).0, 10.0, 1e-9);
    // One round trip of high delay begins the wait anew, however many passed before.
    wait(&mut path, 50.5);
    wait(&mut path, 0.0);
    assert_near(gauges(&path).0, 0.5825, 1e-3);
}

/// On an idle path: the first round trip as standard TCP, then ten packets in each.
#[test]
fn an_idle_path_gives_ten_packets_per_round_trip() {
    let mut path = Path::wide("illinois", 1_000.0, 2.0);
    path.round();
    assert_near(path.cwnd(), 1_001.0, 0.01);
    path.rounds(10);
    assert_near(path.cwnd(), 1_101.0, 0.8);
}

/// Below ten packets it is standard TCP.
#[test]
fn small_windows_are_standard_tcp() {
    let (mut illinois, mut reno) = (Path::wide("illinois", 4.0, 2.0), Path::wide("reno", 4.0, 2.0));
    illinois.rounds(5);
    reno.rounds(5);
    assert_near(illinois.cwnd(), reno.cwnd(), 1e-9);
    illinois.loss();
    reno.loss();
    assert_near(illinois.cwnd(), reno.cwnd(), 1e-9);
}

/// Losses of every n-th packet without queues: n = W^2 (1 - 49/64) / 20, and the mean window is 15/16 W.
#[test]
fn random_losses_without_queues_leave_a_large_window() {
    let expected = 15.0 / 16.0 * (20.0 * 10_000.0 / (1.0 - 49.0 / 64.0_f64)).sqrt();
    let found = mean_window("illinois", 10_000, Duration::from_millis(100), 900.0, 60, 20);
    assert_near(found / expected, 1.0, 0.02);
}

#[test]
fn a_timeout_keeps_half_and_begins_anew() {
    let mut path = Path::wide("illinois", 1_000.0, 2.0);
    path.rounds(3);
    let before = path.cwnd();
    path.timeout();
    assert_near(path.controller.ssthresh(), before / 2.0, 1e-9);
    assert_near(gauges(&path).0, 1.0, 1e-9);
}
