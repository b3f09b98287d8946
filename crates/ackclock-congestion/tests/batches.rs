//! One fact may stand for many acknowledgments: kernels and QUIC stacks report batches.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Start};

/// By how much a batch raises a window of 10 packets.
fn growth(spec: &str, ssthresh: f64, acks: u32, delivered: f64) -> f64 {
    let start = Start { initial_window: 10.0, initial_ssthresh: ssthresh, ..Start::default() };
    let mut controller = spec.parse::<ControllerSpec>().unwrap().build(&start);
    let ack = Ack { acks, delivered, advanced: true, window_limited: true, ..Ack::default() };
    controller.on_ack(&ack).cwnd - 10.0
}

#[test]
fn forty_acknowledgments_in_a_batch_count_as_forty() {
    for (acks, delivered, counted) in [(1, 1.0, 1.0), (40, 40.0, 40.0), (20, 40.0, 20.0), (1, 40.0, 1.0)] {
        let (avoidance, slow_start) =
            (growth("reno(limit=1)", 10.0, acks, delivered), growth("standard", 1e9, acks, delivered));
        assert!((avoidance - counted / 10.0).abs() < 1e-9, "{avoidance} for {acks} of {delivered}");
        assert!((slow_start - counted).abs() < 1e-9, "{slow_start} for {acks} of {delivered}");
    }
}

/// RFC 5681, 3.1, counts bytes in congestion avoidance; an acknowledgment adds no more than a packet (RFC 3465, 2.1).
#[test]
fn a_window_of_bytes_adds_a_packet_and_an_acknowledgment_no_more() {
    for (acks, delivered, packets) in
        [(1, 2.0, 0.2), (5, 10.0, 1.0), (1, 10.0, 1.0), (1, 40.0, 1.0), (20, 40.0, 4.0)]
    {
        let found = growth("reno", 10.0, acks, delivered);
        assert!((found - packets).abs() < 1e-9, "{found} for {acks} of {delivered}");
    }
}

#[test]
fn an_empty_acknowledgment_grows_nothing() {
    for spec in ["reno", "standard(limit=inf)+reno(limit=inf)", "cubic", "scalable"] {
        assert!(growth(spec, 10.0, 0, 0.0).abs() < 1e-12);
    }
}
