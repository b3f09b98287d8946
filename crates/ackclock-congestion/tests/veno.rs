//! Veno: consequences that Fu and Liew (2003) state.

use crate::common::stream::mean_window;
use crate::common::{BASE_RTT, Path, assert_near};
use ackclock_congestion::Signal;
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;

/// A window of 40 packets of which 40 (1 - 50 ms / srtt) wait.
fn path_with_srtt(millis: u64) -> Path {
    let mut path = Path::wide("veno", 40.0, 20.0);
    path.srtt = Duration::from_millis(millis);
    path.ack(1.0, Some(BASE_RTT), false);
    path
}

/// 3 packets wait of a window of 40 at 54.05 ms: at 52 ms 1.5 do, at 60 ms 6.7.
#[test]
fn a_loss_with_a_short_queue_leaves_four_fifths_and_half_with_a_long_one() {
    for (millis, kept) in [(50, 32.0), (52, 32.0), (54, 32.0), (55, 20.0), (60, 20.0)] {
        let mut path = path_with_srtt(millis);
        path.loss();
        assert_near(path.cwnd(), kept, EXACT);
        assert_near(path.controller.ssthresh(), kept, EXACT);
    }
}

#[test]
fn timeouts_and_marks_halve_whatever_waits() {
    let mut path = path_with_srtt(50);
    path.timeout();
    assert_near(path.controller.ssthresh(), 20.0, EXACT);
    assert_near(path.cwnd(), 1.0, EXACT);
    let mut path = path_with_srtt(50);
    path.congestion(Signal::Ecn, false);
    assert_near(path.cwnd(), 20.0, EXACT);
}

/// With fewer than `beta` packets in the queue, Veno grows as Reno does; with more, by one packet in two round trips.
#[test]
fn growth_halves_while_three_packets_wait() {
    let mut reno = Path::wide("reno", 40.0, 20.0);
    let mut free = path_with_srtt(50);
    let mut full = path_with_srtt(60);
    for _ in 0..10 {
        reno.round();
        free.round();
        full.round();
        full.round();
    }
    assert_near(free.cwnd(), reno.cwnd(), EXACT);
    // A little less than ten packets: each increase is a part of a window that has grown already.
    assert_near(reno.cwnd(), 50.0, 0.3);
    assert_near(full.cwnd(), 50.0, 0.3);
}

/// By hand: after a loss behind a queue of 10 ms all samples are of 60 ms, which the reset makes the base. Nothing waits
/// beyond it, and another loss is taken for a random one. Without the reset 3.3 of 20 packets would wait.
#[test]
fn a_loss_resets_the_smallest_round_trip_time() {
    let mut path = path_with_srtt(60);
    path.loss();
    assert_near(path.cwnd(), 20.0, EXACT);
    path.ack(1.0, Some(Duration::from_millis(60)), false);
    path.loss();
    assert_near(path.cwnd(), 16.0, EXACT);
}

/// The first loss resets the base round-trip time. Without a new sample, the second counts as congestion and halves the
/// window.
#[test]
fn a_loss_before_any_measurement_halves() {
    let mut path = path_with_srtt(50);
    path.loss();
    path.loss();
    assert_near(path.cwnd(), 16.0, EXACT);
}

/// With random losses of every n-th packet on an idle path, a period leads from 4/5 W to W: n = (1 - 16/25) W^2 / 2
/// packets. The mean window is 0.9 W, 2.12 sqrt(n), where Reno has 1.22 sqrt(n).
#[test]
fn random_losses_cost_less_than_reno_pays() {
    let rtt = Duration::from_millis(100);
    let root = 10_000_f64.sqrt();
    let veno = mean_window("veno", 10_000, rtt, 200.0, 40, 10);
    let reno = mean_window("reno", 10_000, rtt, 200.0, 40, 10);
    assert_near(veno / root, 0.9 * (2.0_f64 / 0.36).sqrt(), 0.02);
    assert_near(reno / root, 1.5_f64.sqrt(), 0.02);
}
