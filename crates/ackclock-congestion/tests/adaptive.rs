//! Adaptive Start: consequences that burst-tcp, 3.3.3, states.

use crate::common::{BASE_RTT, Path};
use ackclock_units::Duration;

/// A path whose bottleneck spaces acknowledgments by a round-trip time over `capacity`.
fn round(path: &mut Path, capacity: u32) {
    let spacing = BASE_RTT / u64::from(capacity);
    let packets = path.cwnd().floor() as u32;
    let queued = packets.saturating_sub(capacity);
    path.srtt = BASE_RTT + spacing * u64::from(queued);
    for _ in 0..packets {
        path.advance(spacing);
        path.ack(1.0, Some(path.srtt), true);
    }
    path.advance(BASE_RTT.saturating_sub(spacing * u64::from(packets)));
}

fn after(spec: &str, initial: f64, capacity: u32, rounds: u32) -> Path {
    let mut path = Path::wide(spec, initial, f64::INFINITY);
    for _ in 0..rounds {
        round(&mut path, capacity);
    }
    path
}

/// "If the congestion window is less than ssthresh then it will grow exponentially [..], else [..] it enters in congestion
/// avoidance": the threshold is the estimate of the bandwidth-delay product, from the first two acknowledgments on.
#[test]
fn the_threshold_becomes_the_bandwidth_delay_product() {
    for capacity in [10, 20, 50, 200] {
        let path = after("adaptive", 2.0, capacity, 12);
        let (ssthresh, product) = (path.controller.ssthresh(), f64::from(capacity));
        assert!((ssthresh - product).abs() < 0.1 * product, "{ssthresh} for {product} packets");
    }
}

/// "Such mechanism can avoid overestimates": standard slow start would send 64 packets into a path of 20.
#[test]
fn the_window_does_not_overshoot() {
    let path = after("adaptive", 2.0, 20, 5);
    assert!(path.cwnd() > 18.0 && path.cwnd() < 23.0, "{}", path.cwnd());
    assert!(after("", 2.0, 20, 5).cwnd() > 63.0);
}

/// "... as well as underestimates": a low threshold of the connection is raised.
#[test]
fn a_low_threshold_is_raised() {
    let mut path = Path::wide("adaptive", 2.0, 4.0);
    for _ in 0..6 {
        round(&mut path, 50);
    }
    assert!(path.cwnd() > 40.0, "{}", path.cwnd());
    let mut standard = Path::wide("", 2.0, 4.0);
    for _ in 0..6 {
        round(&mut standard, 50);
    }
    assert!(standard.cwnd() < 10.0, "{}", standard.cwnd());
}

/// On a congested path, where the round trip is long for the window, the sample is the rate of a round trip: the share of
/// this connection, not the bandwidth of the bottleneck.
#[test]
fn on_a_congested_path_the_estimate_is_the_share() {
    let mut path = Path::wide("adaptive(filter=0)", 10.0, 10.0);
    path.srtt = BASE_RTT * 2;
    for _ in 0..5 {
        // Ten packets in two base round-trip times, in pairs that came back to back.
        for _ in 0..5 {
            path.advance(Duration::from_millis(19));
            path.ack(1.0, Some(path.srtt), false);
            path.advance(Duration::from_millis(1));
            path.ack(1.0, Some(path.srtt), false);
        }
    }
    let ssthresh = path.controller.ssthresh();
    assert!(ssthresh < 12.0, "{ssthresh}: the pairs alone would give 50 packets");
}

#[test]
fn after_a_loss_the_threshold_is_the_avoidances() {
    let mut path = after("adaptive", 2.0, 20, 6);
    path.loss();
    let kept = path.controller.ssthresh();
    round(&mut path, 20);
    assert!((path.controller.ssthresh() - kept).abs() < 1e-9);
}

/// 6.2: with Burst TCP's steps the estimate is the mice threshold, which large steps first lead to.
#[test]
fn burst_tcps_steps_lead_to_the_estimate() {
    let path = after("adaptive(f=2)", 4.0, 50, 12);
    assert!(path.cwnd() > 40.0 && path.cwnd() < 60.0, "{}", path.cwnd());
}
