//! Linux's rules for Illinois, by timelines worked out by hand.

mod common;

use ackclock_units::Duration;
use common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

/// A window of 100 packets in avoidance, whose largest queueing delay was 100 ms.
fn measured_path() -> Path {
    let mut path = Path::wide("illinois-linux", 100.0, 50.0);
    path.round_of(|index| Some(BASE_RTT + Duration::from_millis(if index == 1 { 100 } else { 0 })), true);
    path
}

/// A round trip in which all packets wait for this many milliseconds.
fn wait(path: &mut Path, millis: f64) {
    path.round_of(|_| Some(BASE_RTT + Duration::from_secs_f64(millis / 1e3)), true);
}

/// Growth in 128ths of a packet, back-off in 64ths.
fn rates(path: &Path) -> (f64, f64) {
    let mut shown = vec![];
    path.controller.observe(&mut |_, value| shown.push(value));
    (128.0 * shown[0], 64.0 * shown[1])
}

/// By hand, with a largest delay of 100,000 us and 1,000 us of lowest delay: at 50,500 us alpha is
/// 99,000 · 1280 / (99,000 + ⌊49,500 · 1242 / 38⌋) = 73.8, cut off. Beta at 45,000 us is
/// (8 · 80,000 - 32 · 10,000 + 24 · 45,000) / 70,000 = 20.
#[test]
fn rates_are_cut_off() {
    for (delay, alpha, beta) in [
        (0.0, 1280.0, 8.0),
        (10.0, 99_000.0 * 1280.0 / (99_000.0 + 294_157.0), 8.0),
        (45.0, 99_000.0 * 1280.0 / (99_000.0 + 1_438_105.0), 20.0),
        (50.5, 73.0, 21.0),
        (100.0, 38.0, 32.0),
    ] {
        let mut path = measured_path();
        // The acknowledgment that opens a round trip measures the round before.
        wait(&mut path, delay);
        wait(&mut path, delay);
        wait(&mut path, delay);
        assert_eq!(rates(&path), (f64::floor(alpha), beta), "at {delay} ms");
    }
}

/// Growth is largest from the first acknowledgment on. A packet comes with 100 acknowledgments, and from 1001 packets on with 101,
/// since the rest is forgotten: at 100, 201, .. 908, 1009 (the first of the second round trip is the 1001st), 1110, 1212, ..
#[test]
fn growth_begins_with_ten_packets_per_round_trip() {
    let mut path = Path::wide("illinois-linux", 1_000.0, 2.0);
    for window in [1_009.0, 1_019.0, 1_029.0] {
        path.round();
        assert_near(path.cwnd(), window, EXACT);
    }
}

/// Four round trips of low delay, one of high delay, and the next of low delay is the fifth.
#[test]
fn a_round_of_high_delay_does_not_restart_the_count() {
    let mut path = measured_path();
    for delay in [50.5, 0.0, 0.0, 0.0, 0.0, 50.5, 0.0] {
        wait(&mut path, delay);
    }
    assert!(rates(&path).0 < 128.0);
    wait(&mut path, 0.0);
    assert_near(rates(&path).0, 1280.0, EXACT);
}

/// 1000 - ⌊1000 · 8/64⌋ after a loss and after a timeout; growth is standard TCP's after this one.
#[test]
fn a_timeout_leaves_as_much_as_a_loss() {
    let path = || {
        let mut path = Path::wide("illinois-linux", 1_001.0, 2.0);
        path.ack(1.0, Some(BASE_RTT), true);
        path
    };
    let (mut lost, mut timed_out) = (path(), path());
    lost.loss();
    timed_out.timeout();
    assert_near(lost.cwnd(), 876.0, EXACT);
    assert_near(timed_out.controller.ssthresh(), 876.0, EXACT);
    assert_eq!(rates(&lost), (1280.0, 8.0));
    assert_eq!(rates(&timed_out), (128.0, 32.0));
}

/// Fourteen packets are below the threshold, where the rates of the round trip are standard TCP's; fifteen are not: six packets come
/// with two acknowledgments each, up to 21, and one with three.
#[test]
fn below_fifteen_packets_it_is_standard_tcp() {
    let mut path = Path::wide("illinois-linux", 13.0, 2.0);
    for window in [14.0, 15.0, 22.0] {
        path.round();
        assert_near(path.cwnd(), window, EXACT);
    }
}
