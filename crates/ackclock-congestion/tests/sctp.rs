//! SCTP's congestion avoidance: consequences of RFC 9260, 7.2.

use crate::common::{Path, assert_near};

/// 7.2.2: "When `partial_bytes_acked` is equal to or greater than cwnd [..], cwnd is increased by PMTU": a packet per window of
/// acknowledgments, in one step.
#[test]
fn a_whole_packet_per_window_acknowledged() {
    let mut path = Path::wide("sctp", 10.0, 10.0);
    for _ in 0..9 {
        path.ack(1.0, None, true);
        assert_near(path.cwnd(), 10.0, 1e-12);
    }
    path.ack(1.0, None, true);
    assert_near(path.cwnd(), 11.0, 1e-12);
    for _ in 0..11 {
        path.ack(1.0, None, true);
    }
    assert_near(path.cwnd(), 12.0, 1e-12);
}

/// 7.2.2: "`partial_bytes_acked` = max(0, `partial_bytes_acked` - cwnd)": what is more than a window counts for the next.
#[test]
fn the_rest_of_an_acknowledgment_counts_for_the_next_packet() {
    let mut path = Path::wide("sctp", 10.0, 10.0);
    for _ in 0..3 {
        path.ack(4.0, None, true);
    }
    assert_near(path.cwnd(), 11.0, 1e-12);
    // 2 of them remain; 9 more make 11.
    path.ack(8.0, None, true);
    assert_near(path.cwnd(), 11.0, 1e-12);
    path.ack(1.0, None, true);
    assert_near(path.cwnd(), 12.0, 1e-12);
}

/// 7.2.3: "ssthresh = max(cwnd / 2, 4 * PMTU); cwnd = ssthresh", and after a timeout "cwnd = 1 * PMTU".
#[test]
fn a_loss_leaves_half_and_at_least_four_packets() {
    for (cwnd, kept) in [(100.0_f64, 50.0_f64), (9.0, 4.5), (8.0, 4.0), (6.0, 4.0), (2.0, 4.0)] {
        let mut path = Path::wide("sctp", cwnd, cwnd);
        path.loss();
        // No loss raises the window.
        assert_near(path.cwnd(), kept.min(cwnd), 1e-12);
        let mut path = Path::wide("sctp", cwnd, cwnd);
        path.timeout();
        assert_near(path.controller.ssthresh(), kept, 1e-12);
        assert_near(path.cwnd(), 1.0, 1e-12);
    }
}
