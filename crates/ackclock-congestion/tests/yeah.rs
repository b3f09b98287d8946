//! `YeAH`: consequences that Baiocchi, Castellani and Vacirca (2007) state.

use crate::common::{Path, assert_near};

const EXACT: f64 = 1e-9;

fn gauge(path: &Path, wanted: &str) -> f64 {
    crate::common::gauge(|take| path.controller.observe(take), wanted)
}

/// Fast mode is Scalable TCP's: a packet for every hundred acknowledged. By hand: 1000, 1010, 1020.1.
#[test]
fn an_idle_path_gives_one_per_cent_per_round_trip() {
    let mut path = Path::wide("yeah", 1_000.0, 2.0);
    for expected in [1_010.0, 1_020.1, 1_030.3] {
        path.round();
        assert_near(path.cwnd(), expected, 0.02);
    }
}

/// Below a hundred packets one per cent is less than what Reno adds.
#[test]
fn small_windows_grow_as_reno() {
    let (mut yeah, mut reno) = (Path::wide("yeah", 20.0, 2.0), Path::wide("reno", 20.0, 2.0));
    yeah.rounds(10);
    reno.rounds(10);
    assert_near(yeah.cwnd(), reno.cwnd(), EXACT);
}

/// A path of 500 packets: at 562.5 the delay is an eighth above the base and growth becomes Reno's; when more than 80
/// packets wait, all of them are given up, and the queue is empty. The threshold is the window that is left, as in
/// Linux, whatever it was before.
#[test]
fn a_queue_of_its_own_is_emptied() {
    let mut path = Path::new("yeah", 400.0, 2.0, 500.0);
    let (mut emptied, mut largest) = (0, 0.0_f64);
    let mut before = path.cwnd();
    for _ in 0..400 {
        path.round();
        let after = path.cwnd();
        if after < before {
            emptied += 1;
            // One round trip's growth lies between the measurement and the cut.
            assert!((498.0..=503.0).contains(&after), "{before} became {after}");
            assert_near(path.controller.ssthresh(), after, 5.0);
        } else if before > 570.0 {
            assert!(after - before < 1.01, "{before} grew to {after}");
        }
        largest = largest.max(path.queued());
        before = after;
    }
    assert!(emptied >= 5, "{emptied} decongestions");
    assert!((80.0..100.0).contains(&largest), "{largest} packets waited");
}

/// A loss takes an eighth where nothing waits, what waits where that is more, and no more than half.
#[test]
fn a_loss_takes_the_queue_but_at_least_an_eighth() {
    for (capacity, window, kept) in [(1e9, 800.0, 700.0), (400.0, 480.0, 400.0), (50.0, 480.0, 240.0)] {
        let mut path = Path::new("yeah(q_max=1000)", window, 2.0, capacity);
        path.ack(1.0, Some(path.rtt()), false);
        path.advance(path.rtt());
        path.round();
        let grown = path.cwnd();
        path.loss();
        assert_near(path.cwnd(), kept, 0.05 * (grown - window) + 9.0);
        assert!(path.cwnd() <= 7.0 / 8.0 * grown + EXACT);
    }
}

/// Sixteen round trips of slow mode are taken for a competing Reno flow: a loss halves then, and not before.
#[test]
fn a_long_slow_mode_makes_a_loss_halve() {
    for (rounds, kept) in [(10, 0.8), (17, 0.5)] {
        // A fifth of the window waits; nothing is given up.
        let mut path = Path::new("yeah(q_max=1e6)", 500.0, 2.0, 400.0);
        path.rounds(rounds + 1);
        assert_near(gauge(&path, "yeah_slow_rounds"), f64::from(rounds), EXACT);
        let before = path.cwnd();
        path.loss();
        assert_near(path.cwnd() / before, kept, 0.03);
    }
}

/// Slow mode begins as an estimate of half the window for the Reno flow, which grows by a packet per round trip and halves
/// with a loss; a decongestion stops there. Fifty round trips of fast mode forget it.
#[test]
fn a_decongestion_leaves_what_a_reno_flow_would_have() {
    let mut path = Path::new("yeah", 1_000.0, 2.0, 100.0);
    path.rounds(2);
    assert_near(path.cwnd(), 500.0, 10.0);
    assert_near(gauge(&path, "yeah_reno_window_packets"), 250.0, 5.0);
    path.round();
    assert_near(path.cwnd(), 255.0, 5.0);
    assert_near(gauge(&path, "yeah_reno_window_packets"), 252.0, 5.0);
    let mut path = Path::wide("yeah", 100.0, 2.0);
    path.capacity = 20.0;
    path.rounds(2);
    assert!(gauge(&path, "yeah_reno_window_packets") > 2.0);
    path.capacity = 1e9;
    path.rounds(52);
    assert_near(gauge(&path, "yeah_reno_window_packets"), 2.0, EXACT);
}

/// By `phi=inf` any queueing delay is slow mode, as in ns-3.
#[test]
fn an_infinite_phi_leaves_fast_mode_at_any_delay() {
    let slow = |spec| {
        let mut path = Path::new(spec, 505.0, 2.0, 500.0);
        path.rounds(2);
        gauge(&path, "yeah_slow_rounds") > 0.0
    };
    assert!(!slow("yeah"));
    assert!(slow("yeah(phi=inf)"));
}
