//! Slow start to another base: consequences that burst-tcp, 4.1, states.

use crate::common::{Path, assert_near};

const EXACT: f64 = 1e-9;

fn windows(spec: &str, rounds: u32) -> Vec<f64> {
    let mut path = Path::wide(spec, 1.0, f64::INFINITY);
    let mut sizes = vec![1.0];
    for _ in 0..rounds {
        path.round();
        sizes.push(path.cwnd());
    }
    sizes
}

/// "b^RTT, where b is the base".
#[test]
fn a_round_trip_multiplies_the_window_by_the_base() {
    assert_eq!(windows("base(b=3)", 5), [1.0, 3.0, 9.0, 27.0, 81.0, 243.0]);
    assert_eq!(windows("base", 10), windows("standard", 10));
    assert_eq!(windows("base(b=1)", 3), [1.0; 4]);
}

/// "Slow Start achieves the cwnd of 64 packets in six RTTs [..] reaches 64 packets in just three RTTs" with base 4.
/// Where the network holds 32 packets, "while Slow Start sends 95 packets before any loss occurs, the generalization
/// scheme sends only 53 packets".
#[test]
fn a_larger_base_anticipates_congestion() {
    for (spec, round_trips, sent) in [("standard", 6, 95.0), ("base(b=4)", 3, 53.0)] {
        let sizes = windows(spec, 6);
        assert_eq!(sizes.iter().position(|&size| size >= 64.0), Some(round_trips), "{spec}");
        let before_loss: f64 = sizes[..=round_trips].iter().map(|size| size.min(32.0)).sum();
        assert_near(before_loss, sent, EXACT);
    }
}

#[test]
fn it_stops_at_the_threshold() {
    let mut path = Path::wide("base(b=5)", 2.0, 30.0);
    path.rounds(2);
    assert_near(path.cwnd(), 30.0, 1.0);
    let before = path.cwnd();
    path.round();
    assert_near(path.cwnd(), before + 1.0, 0.1);
}
