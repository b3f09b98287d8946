//! `HyStart++`: consequences that RFC 9406 states.

use crate::common::{BASE_RTT, Path, assert_near};
use crate::pipe::Pipe;
use ackclock_congestion::Start;
use ackclock_units::Duration;

const EXACT: f64 = 1e-9;

fn later(millis: u64) -> impl Fn(u32) -> Option<Duration> {
    move |_| Some(BASE_RTT + Duration::from_millis(millis))
}

#[test]
fn without_a_rise_it_is_standard_slow_start() {
    let mut path = Path::wide("hystart", 10.0, f64::INFINITY);
    let mut standard = Path::wide("standard", 10.0, f64::INFINITY);
    for _ in 0..8 {
        path.round();
        standard.round();
        assert_near(path.cwnd(), standard.cwnd(), EXACT);
    }
    assert!(path.controller.ssthresh().is_infinite());
}

/// `RttThresh`: an eighth of the last round's minimum, 6.25 ms of 50, within 4 and 16 ms.
#[test]
fn a_rise_of_an_eighth_makes_it_conservative() {
    for (spec, millis, conservative) in [
        ("hystart", 6, false),
        ("hystart", 7, true),
        ("hystart(max_rtt_thresh=5)", 6, true),
        ("hystart(min_rtt_thresh=10)", 7, false),
        ("hystart(min_rtt_divisor=16)", 3, false),
        ("hystart(min_rtt_divisor=16)", 4, true),
    ] {
        let mut path = Path::wide(spec, 16.0, f64::INFINITY);
        path.round();
        path.round_of(later(millis), true);
        let before = path.cwnd();
        path.round_of(later(millis), true);
        let factor = path.cwnd() / before;
        // CSS_GROWTH_DIVISOR: a quarter of slow start's growth.
        assert_near(factor, if conservative { 1.25 } else { 2.0 }, 0.02);
    }
}

/// `N_RTT_SAMPLE`: fewer samples prove nothing.
#[test]
fn seven_samples_prove_nothing() {
    for (spec, conservative) in [("hystart", false), ("hystart(n_rtt_sample=7)", true)] {
        let mut path = Path::wide(spec, 16.0, f64::INFINITY);
        path.round();
        path.round_of(|index| if index < 7 { later(20)(index) } else { None }, true);
        let before = path.cwnd();
        path.round_of(|_| None, true);
        assert_near(path.cwnd() / before, if conservative { 1.25 } else { 2.0 }, 0.02);
    }
}

/// The acknowledgment with the eighth sample grows the window as slow start does, since the window is updated before the
/// sample is tested (4.2): a round of 32 packets adds eight, and a quarter for each of the other 24.
#[test]
fn the_eighth_sample_still_grows_the_window_by_a_packet() {
    let mut path = Path::wide("hystart", 16.0, f64::INFINITY);
    path.round();
    assert_near(path.cwnd(), 32.0, EXACT);
    path.round_of(later(20), true);
    assert_near(path.cwnd(), 32.0 + 8.0 + 24.0 / 4.0, EXACT);
}

/// One early packet of a round says that the queue is not full: the minimum counts.
#[test]
fn the_smallest_sample_of_a_round_counts() {
    let mut path = Path::wide("hystart", 16.0, f64::INFINITY);
    path.round();
    path.round_of(|index| if index == 0 { Some(BASE_RTT) } else { later(30)(index) }, true);
    let before = path.cwnd();
    path.round_of(later(0), true);
    assert_near(path.cwnd() / before, 2.0, EXACT);
}

/// `CSS_ROUNDS`: five rounds, the one it began in among them, then avoidance at the window reached.
#[test]
fn five_conservative_rounds_end_slow_start() {
    for (spec, rounds) in [("hystart", 5_u32), ("hystart(css_rounds=2)", 2)] {
        let mut path = Path::wide(spec, 32.0, f64::INFINITY);
        path.round();
        for _ in 0..rounds {
            path.round_of(later(10), true);
            assert!(path.controller.ssthresh().is_infinite());
        }
        let before = path.cwnd();
        path.round_of(later(10), true);
        assert_near(path.controller.ssthresh(), before, EXACT);
        assert_near(path.cwnd(), before + 1.0, 0.1);
    }
}

/// A round below the one that raised the alarm shows that it was false.
#[test]
fn a_spurious_exit_is_taken_back() {
    let mut path = Path::wide("hystart", 16.0, f64::INFINITY);
    path.round();
    path.round_of(later(10), true);
    path.round_of(later(10), true);
    path.round_of(later(5), true);
    let before = path.cwnd();
    path.round_of(later(5), true);
    assert_near(path.cwnd() / before, 2.0, 0.01);
    // And again watchful: the round before had 55 ms.
    path.round_of(later(20), true);
    let before = path.cwnd();
    path.round_of(later(20), true);
    assert_near(path.cwnd() / before, 1.25, 0.02);
}

/// L: "a non-paced TCP implementation SHOULD use L = 8".
#[test]
fn an_acknowledgment_adds_eight_packets_at_the_most() {
    for (spec, grown) in [("hystart", 8.0), ("hystart(limit=inf)", 20.0), ("hystart(limit=1)", 1.0)] {
        let mut path = Path::wide(spec, 100.0, f64::INFINITY);
        path.ack(20.0, Some(BASE_RTT), true);
        assert_near(path.cwnd(), 100.0 + grown, EXACT);
    }
}

/// "SHOULD use `HyStart++` only for the initial slow start".
#[test]
fn later_slow_starts_are_standard() {
    let mut path = Path::wide("hystart", 200.0, f64::INFINITY);
    path.timeout();
    path.rounds(4);
    for millis in [0, 20, 40] {
        let before = path.cwnd();
        path.round_of(later(millis), true);
        assert_near(path.cwnd(), (2.0 * before).min(100.0), 1.1);
    }
    path.ack(5.0, None, true);
    assert!(path.cwnd() < 102.0);
}

/// "If packet loss [..] is observed [..] enter congestion avoidance".
#[test]
fn a_loss_ends_either_phase() {
    for spec in ["hystart", "hystart(n_rtt_sample=1,min_rtt_thresh=0,max_rtt_thresh=0)"] {
        let mut pipe = Pipe::new(spec, &Start::default(), 2_000.0, Duration::from_millis(50));
        pipe.rounds(6);
        let before = pipe.cwnd();
        pipe.loss();
        assert_near(pipe.controller.ssthresh(), before / 2.0, 1.0);
        pipe.rounds(3);
        assert_near(pipe.gauge("hystart_conservative"), 0.0, 0.0);
        assert!(pipe.cwnd() < before / 2.0 + 4.0, "{} packets", pipe.cwnd());
    }
}

/// The purpose: it leaves slow start when the path is full, while standard slow start continues to double.
#[test]
fn a_full_path_ends_slow_start() {
    for (capacity, millis) in [(2_000.0, 50), (20_000.0, 100), (8_000.0, 20)] {
        let base_rtt = Duration::from_millis(millis);
        let mut pipe = Pipe::new("hystart", &Start::default(), capacity, base_rtt);
        pipe.until(|pipe| pipe.gauge("hystart_conservative") > 0.0);
        let (alarmed, bdp) = (pipe.cwnd(), pipe.bdp());
        // The first window beyond the path, at most twice that, is seen a round trip later.
        assert!(alarmed > bdp && alarmed <= 4.1 * bdp, "{alarmed} packets on a path of {bdp}");
        pipe.until(|pipe| pipe.controller.ssthresh().is_finite());
        // Five rounds by a quarter.
        assert!(pipe.controller.ssthresh() < 1.25_f64.powi(5) * alarmed);
        let mut standard = Pipe::new("standard", &Start::default(), capacity, base_rtt);
        standard.run(pipe.now.since(ackclock_units::Time::ZERO));
        assert!(standard.cwnd() > 1.5 * pipe.cwnd(), "{} and {}", standard.cwnd(), pipe.cwnd());
    }
}
