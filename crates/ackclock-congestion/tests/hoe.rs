//! Hoe's estimate: consequences that burst-tcp, 3.3.3, states, and estimates by hand.

use crate::common::{BASE_RTT, Path, assert_near};
use crate::pipe::Pipe;
use ackclock_congestion::Start;
use ackclock_units::Duration;

/// A path of 50 ms; acknowledgments arrive after these gaps, in milliseconds.
fn after(spec: &str, ssthresh: f64, gaps_ms: &[u64]) -> Path {
    let mut path = Path::wide(spec, 2.0, ssthresh);
    for gap in gaps_ms {
        path.advance(Duration::from_millis(*gap));
        path.ack(1.0, Some(BASE_RTT), true);
    }
    path
}

/// "The least squares estimation on three closely-spaced ACKs": even gaps of 5 ms are 200 packets a second, 10 in 50 ms. By
/// hand, packets 1, 2 and 3 at 0, 2 and 10 ms: means 4 ms and 2, slope (4 + 6) / (16 + 4 + 36) per ms, 125 / 14 in 50 ms; the
/// two gaps on their own would give 25 and 6.25 packets, their ends 10.
#[test]
fn three_acknowledgments_give_the_product_by_least_squares() {
    assert_near(after("hoe", f64::INFINITY, &[50, 5, 5]).controller.ssthresh(), 10.0, 1e-9);
    assert_near(after("hoe", f64::INFINITY, &[50, 2, 8]).controller.ssthresh(), 125.0 / 14.0, 1e-9);
    assert!(after("hoe", f64::INFINITY, &[50, 5]).controller.ssthresh().is_infinite());
}

/// A pair, as ns-2 takes: the latest gap alone is its estimate.
#[test]
fn two_acknowledgments_are_a_packet_pair() {
    assert_near(after("hoe(acks=2)", f64::INFINITY, &[50, 2, 8]).controller.ssthresh(), 25.0, 1e-9);
}

/// Two acknowledgments of one instant are one point, of both packets: 2 at 0 ms, 3 at 5, 4 at 10 rise as 1, 2, 3.
#[test]
fn acknowledgments_of_one_instant_are_one() {
    assert_near(after("hoe", f64::INFINITY, &[50, 0, 5, 5]).controller.ssthresh(), 10.0, 1e-9);
}

/// The estimate is made once, lowers a threshold and never raises it, and is at least two packets.
#[test]
fn the_threshold_is_lowered_once() {
    assert_near(after("hoe", f64::INFINITY, &[50, 5, 5, 20, 20, 20]).controller.ssthresh(), 10.0, 1e-9);
    assert_near(after("hoe", 8.0, &[50, 5, 5]).controller.ssthresh(), 8.0, 1e-9);
    assert_near(after("hoe", f64::INFINITY, &[50, 100, 100]).controller.ssthresh(), 2.0, 1e-9);
}

/// After a congestion the threshold is that of the avoidance.
#[test]
fn congestion_ends_the_estimate() {
    let mut path = after("hoe", f64::INFINITY, &[50, 5]);
    path.loss();
    let ssthresh = path.controller.ssthresh();
    for _ in 0..5 {
        path.advance(Duration::from_millis(40));
        path.ack(1.0, Some(BASE_RTT), true);
    }
    assert_near(path.controller.ssthresh(), ssthresh, 1e-9);
}

/// "Avoid buffer overflow and multiple loss problems": packet by packet over an empty path the window stops doubling at what the
/// path holds; one packet at a time begins, so that two rounds have no three acknowledgments.
#[test]
fn over_one_link_slow_start_ends_at_the_bandwidth_delay_product() {
    for capacity in [400.0, 2000.0, 10_000.0] {
        let start = Start { initial_window: 1.0, ..Start::default() };
        let mut pipe = Pipe::new("hoe", &start, capacity, BASE_RTT);
        pipe.rounds(2);
        assert!(pipe.controller.ssthresh().is_infinite());
        pipe.rounds(2);
        // A packet's time on the link is part of the smallest round-trip time.
        let product = pipe.bdp() + 1.0;
        assert_near(pipe.controller.ssthresh(), product, 0.01 * product);
    }
}
