//! LEDBAT: consequences that RFC 6817 states.

use crate::common::{BASE_RTT, Path, assert_near};
use crate::link::Link;
use ackclock_congestion::{Ack, Start};
use ackclock_units::Duration;

/// A window of 40 packets whose base delay is 50 ms, with a target of 100 ms.
fn path() -> Path {
    let mut path = Path::wide("ledbat", 40.0, 20.0);
    path.ack(1.0, Some(BASE_RTT), false);
    path
}

/// By hand: a packet per round trip without a queue, as standard TCP at the most; half a packet at half the target; none at
/// the target; a packet less at twice the target. The smallest of four samples counts, so the first three
/// acknowledgments of a round trip are those of the samples before.
#[test]
fn the_window_moves_in_proportion_to_the_distance_from_the_target() {
    for (queueing, step) in [(0, 1.0), (50, 0.5), (100, 0.0), (150, -0.5), (200, -1.0)] {
        let mut path = path();
        for _ in 0..4 {
            path.ack(1.0, Some(BASE_RTT + Duration::from_millis(queueing)), false);
        }
        path.round_of(|_| Some(BASE_RTT + Duration::from_millis(queueing)), true);
        assert_near(path.cwnd() - 40.0, step, 0.02);
    }
}

/// Alone on a path it rests where the target's delay is queued: at 100 packets per 50 ms, a target of 25 ms are 50 packets.
#[test]
fn alone_it_queues_the_target() {
    for (target, queued) in [("10", 20.0), ("25", 50.0), ("100", 200.0)] {
        let mut path = Path::new(&format!("ledbat(target={target})"), 60.0, 20.0, 100.0);
        path.rounds(2_000);
        assert_near(path.queued(), queued, 0.5);
    }
}

/// Slow start ends at the target.
#[test]
fn slow_start_ends_where_the_target_is_queued() {
    let mut path = Path::new("ledbat(target=25)", 2.0, f64::INFINITY, 100.0);
    path.rounds(7);
    assert!(path.controller.ssthresh().is_infinite());
    path.rounds(2);
    assert!((150.0..=260.0).contains(&path.controller.ssthresh()), "{}", path.controller.ssthresh());
}

/// The window is at most the data in flight before the acknowledgment, and one packet.
#[test]
fn the_window_stays_near_what_is_in_flight() {
    let mut path = path();
    path.controller.on_ack(&Ack {
        delivered: 1.0,
        in_flight: 9.0,
        rtt: Some(BASE_RTT),
        srtt: BASE_RTT,
        min_rtt: BASE_RTT,
        advanced: true,
        window_limited: true,
        ..Ack::default()
    });
    assert_near(path.cwnd(), 11.0, 1e-9);
}

/// By hand: the route gets 30 ms longer. For ten minutes that is queueing delay; then the old base is forgotten.
#[test]
fn a_longer_route_becomes_the_base_after_ten_minutes() {
    let mut path = path();
    let mut shown = vec![];
    for _ in 0..12 {
        path.advance(Duration::from_secs(60));
        for _ in 0..4 {
            path.ack(1.0, Some(BASE_RTT + Duration::from_millis(30)), false);
        }
        path.controller.observe(&mut |_, value| shown.push(value));
    }
    assert_near(shown[0], 0.03, 1e-9);
    assert_near(shown[8], 0.03, 1e-9);
    assert_near(shown[10], 0.0, 1e-9);
}

#[test]
fn a_loss_halves_and_two_packets_stay() {
    let mut path = path();
    path.loss();
    assert_near(path.cwnd(), 20.0, 1e-9);
    for _ in 0..6 {
        path.loss();
    }
    assert_near(path.cwnd(), 2.0, 1e-9);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
}

fn mean_windows(specs: &[&str], buffer: f64) -> Vec<f64> {
    let start = Start { initial_window: 2.0, ..Start::default() };
    let mut link = Link::new(2_000.0, Duration::from_millis(50), specs, start);
    link.buffer = buffer;
    link.run(Duration::from_secs(60));
    link.mean_windows(Duration::from_secs(240))
}

/// Section 2.1: it keeps delay low alone, and yields to standard TCP whose queue is longer than the target: one of 600 packets
/// at 2000 packets per second is 300 ms. In a queue shorter than the target it competes as standard TCP does.
#[test]
fn it_yields_to_standard_tcp_in_a_long_queue_only() {
    let long = mean_windows(&["ledbat", "reno"], 600.0);
    assert!(long[0] < 0.05 * long[1], "{long:?}");
    let short = mean_windows(&["ledbat", "reno"], 50.0);
    assert!((0.5..=1.1).contains(&(short[0] / short[1])), "{short:?}");
}
