//! BIC: consequences that mesonet, 5.2.1, and Xu, Harfoush and Rhee (2004) state.

use crate::common::stream::{Stream, mean_window};
use crate::common::{BASE_RTT, Path, assert_near};

/// Packets per round trip at the most, and near the target.
const SMAX: f64 = 32.0;
const SLOWEST: f64 = 0.2;

/// Round trips from a loss at `window` back to it: in a straight line while an eighth of the distance (half-way to the
/// target, a quarter of that) is more than `smax`; then the distance falls by an eighth of itself per round trip, until
/// that is one packet; then by a fifth of a packet.
fn phases(window: f64, smax: f64) -> [f64; 3] {
    let distance = 0.2 * window;
    let straight = (distance - 8.0 * smax).max(0.0) / smax;
    let search = 8.0 * (distance.min(8.0 * smax) / 8.0).ln().max(0.0);
    [straight, search, distance.min(8.0) / SLOWEST]
}

#[test]
fn it_comes_back_in_a_straight_line_a_search_and_a_plateau() {
    for (spec, smax) in [("bic", SMAX), ("bic(smax=16)", 16.0)] {
        for window in [200.0, 1_000.0, 10_000.0] {
            let mut stream = Stream::new(spec, window, BASE_RTT);
            stream.loss();
            assert_near(stream.cwnd(), 0.8 * window, 1e-9);
            let begin = stream.rounds;
            while stream.cwnd() < window {
                stream.packet();
            }
            let expected: f64 = phases(window, smax).iter().sum();
            assert_near((stream.rounds - begin) / expected, 1.0, 0.01);
        }
    }
    assert_near(phases(10_000.0, SMAX).iter().sum(), 122.2, 0.05);
}

/// Half of the time is spent within eight packets of the old window: the plateau that CUBIC was made after.
#[test]
fn it_stays_near_the_old_window() {
    let mut stream = Stream::new("bic", 500.0, BASE_RTT);
    stream.loss();
    let begin = stream.rounds;
    while stream.cwnd() < 492.0 {
        stream.packet();
    }
    let search = stream.rounds - begin;
    assert_near(search, 8.0 * (100.0_f64 / 8.0).ln(), 0.5);
    stream.for_rounds(39.0);
    assert!((492.0..500.0).contains(&stream.cwnd()), "{}", stream.cwnd());
    stream.for_rounds(1.5);
    assert!(stream.cwnd() >= 500.0, "{}", stream.cwnd());
}

/// Beyond the old window: a packet in the first round trip, 4/3 of the last step in each further one, and `smax` from
/// the thirteenth on.
#[test]
fn beyond_the_old_window_its_steps_grow_by_a_third() {
    let mut stream = Stream::new("bic", 1_000.0, BASE_RTT);
    stream.loss();
    while stream.cwnd() < 1_000.0 {
        stream.packet();
    }
    let mut step: f64 = 1.0;
    for _ in 0..12 {
        let before = stream.cwnd();
        stream.for_rounds(1.0);
        assert_near(stream.cwnd() - before, step, 0.05 * step);
        step *= 4.0 / 3.0;
    }
    stream.for_rounds(2.0);
    let before = stream.cwnd();
    stream.for_rounds(5.0);
    assert_near(stream.cwnd() - before, 5.0 * SMAX, 0.02 * 5.0 * SMAX);
}

/// A loss at a smaller window than the last one leaves half of the reduction to others: the search ends at 0.9 of it.
#[test]
fn it_gives_way_when_its_share_shrinks() {
    let mut stream = Stream::new("bic", 1_000.0, BASE_RTT);
    stream.loss();
    stream.for_rounds(5.0);
    let second = stream.cwnd();
    stream.loss();
    assert_near(stream.cwnd(), 0.8 * second, 1e-9);
    let mut maximum = 0.0;
    stream.controller.observe(&mut |name, value| {
        if name == "bic_max_packets" {
            maximum = value;
        }
    });
    assert_near(maximum, 0.9 * second, 1e-9);
    // The plateau is there, and not at the window of the second loss.
    stream.for_rounds(8.0 * (0.1 * second / 8.0).ln() + 20.0);
    assert_near(stream.cwnd(), 0.9 * second, 8.0);
}

/// If every 1/p-th packet is lost and each loss finds the old window, a cycle is one way back. Its packets are the
/// window summed over the three phases, in each of which the mean distance is known.
#[test]
fn the_response_function_follows_from_the_way_back() {
    for window in [200.0, 1_000.0, 5_000.0] {
        let [straight, search, plateau] = phases(window, SMAX);
        let (far, near) = (0.2 * window, (0.2 * window).min(8.0 * SMAX));
        let searched = search * window - 8.0 * (near - 8.0);
        let packets = straight * (window - f64::midpoint(far, near)) + searched + plateau * (window - 4.0);
        let expected = packets / (straight + search + plateau);
        let found = mean_window("bic", packets as u32, BASE_RTT, window, 60, 30);
        assert_near(found / expected, 1.0, 0.03);
    }
}

/// Eq. 12.
#[test]
fn a_timeout_keeps_half_for_the_threshold_and_remembers_the_window() {
    let mut path = Path::wide("bic", 100.0, 2.0);
    path.timeout();
    assert_near(path.cwnd(), 1.0, 1e-9);
    assert_near(path.controller.ssthresh(), 50.0, 1e-9);
    path.rounds(6);
    // Back in avoidance it searches for the hundred packets it had.
    path.rounds(30);
    assert!((92.0..100.0).contains(&path.cwnd()), "{}", path.cwnd());
}

#[test]
fn below_the_low_window_it_is_standard_tcp() {
    let mut path = Path::wide("bic", 13.9, 2.0);
    path.loss();
    assert_near(path.cwnd(), 6.95, 1e-9);
    let mut path = Path::wide("bic", 14.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 11.2, 1e-9);
}
