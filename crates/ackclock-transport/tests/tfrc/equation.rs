use ackclock_transport::tfrc::{loss_event_rate_for, throughput};

/// Packets per round-trip time with `t_RTO` = 4 R.
fn per_rtt(p: f64) -> f64 {
    throughput(1.0, 1.0, 4.0, p)
}

#[test]
fn the_equation_agrees_with_the_table_in_linux() {
    // net/dccp/ccids/lib/tfrc_equation.c tabulates R / (s X) in millionths, computed apart from this.
    for (p, millionths) in [(0.0001, 8172.0), (0.0002, 11567.0), (0.002, 37172.0), (0.004, 53499.0)] {
        let found = 1e6 / per_rtt(p);
        assert!((found - millionths).abs() < 1.0, "f({p}) is {found}, tabulated as {millionths}");
    }
}

#[test]
fn rare_losses_follow_the_square_root_law() {
    // Padhye et al.: for small p the rate goes to sqrt(3 / (2 b p)) packets per round-trip time.
    for p in [1e-6, 1e-5, 1e-4] {
        let law = (1.5_f64 / p).sqrt();
        assert!((per_rtt(p) / law - 1.0).abs() < 2e-3, "{} packets at {p}, the law says {law}", per_rtt(p));
    }
}

#[test]
fn timeouts_dominate_frequent_losses() {
    // A hundredfold timeout hardly matters at p = 1e-5 and is all that matters at 0.3.
    let slowed = |p| throughput(1.0, 1.0, 400.0, p) / throughput(1.0, 1.0, 4.0, p);
    assert!(slowed(1e-5) > 0.98, "{}", slowed(1e-5));
    assert!(slowed(0.3) < 0.02, "{}", slowed(0.3));
}

#[test]
fn half_a_packet_per_round_trip_means_a_fifth_lost() {
    // The first loss event before any feedback: X_target = s / (2 R), "a loss rate of ~ 20.64 %" (Linux).
    let p = loss_event_rate_for(1460.0, 0.1, 0.4, 1460.0 / 0.2);
    assert!((p - 0.2064).abs() < 5e-5, "{p}");
}

#[test]
fn the_inverse_inverts() {
    for p in [1e-7, 1e-4, 0.01, 0.3, 1.0] {
        let found = loss_event_rate_for(1000.0, 0.05, 1.0, throughput(1000.0, 0.05, 1.0, p));
        assert!((found / p - 1.0).abs() < 1e-6, "{found} for {p}");
    }
    assert!(loss_event_rate_for(1000.0, 0.05, 0.2, 0.0) >= 1.0, "however slow it has to be");
}
