//! Smooth Start: consequences that burst-tcp, 3.3.3, states.

use crate::common::{Path, assert_near};

/// Windows after each round trip.
fn windows(spec: &str, ssthresh: f64, rounds: u32) -> Vec<f64> {
    let mut path = Path::wide(spec, 1.0, ssthresh);
    (0..rounds)
        .map(|_| {
            path.round();
            path.cwnd()
        })
        .collect()
}

/// "When the congestion window becomes larger than smsthresh, the algorithm slows the growth rate": below it nothing changes.
#[test]
fn below_its_threshold_it_is_standard_slow_start() {
    assert_eq!(windows("smooth", 64.0, 6), [2.0, 4.0, 8.0, 16.0, 32.0, 48.0]);
    assert_eq!(windows("smooth(depth=2)", 64.0, 7), [2.0, 4.0, 8.0, 16.0, 24.0, 36.0, 54.0]);
    assert_eq!(windows("smooth(depth=0)", 64.0, 7), windows("", 64.0, 7));
}

/// "Despite the window increase in the Smooth Start phase still being exponential": a constant factor per round trip.
#[test]
fn in_the_phase_the_growth_is_exponential_and_slower() {
    for (grain, factor) in [(1.0, 2.0), (2.0, 1.5), (4.0, 1.25)] {
        let sizes = windows(&format!("smooth(depth=8, grain={grain})"), 4096.0, 14);
        for pair in sizes.windows(2).filter(|pair| pair[0] >= 64.0 && pair[1] < 4096.0) {
            assert_near(pair[1] / pair[0], factor, 0.01);
        }
    }
}

/// Figure 6: a network that holds 32 packets, and an ssthresh of 64. "Smooth Start also decreases Slow Start bursts, reducing
/// the chance of multiple packet losses".
#[test]
fn less_is_sent_beyond_what_the_network_holds() {
    let beyond = |spec| windows(spec, 64.0, 6).last().expect("six") - 32.0;
    assert_near(beyond(""), 32.0, 1e-9);
    assert_near(beyond("smooth"), 16.0, 1e-9);
}

/// Without an ssthresh there is nothing to approach.
#[test]
fn without_a_threshold_it_is_standard_slow_start() {
    assert_eq!(windows("smooth(depth=3)", f64::INFINITY, 8), windows("", f64::INFINITY, 8));
}
