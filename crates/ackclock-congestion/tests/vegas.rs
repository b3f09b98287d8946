//! Vegas: consequences that tcp-variants, 2.3, and Brakmo and Peterson (1995) state.

mod common;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Start};
use ackclock_units::{Duration, Time};
use common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

/// 2.3.3: the window is allowed to grow only every other round trip.
#[test]
fn slow_start_takes_twice_as_long_as_the_standard() {
    let mut vegas = Path::wide("vegas", 2.0, f64::INFINITY);
    let mut standard = Path::wide("", 2.0, f64::INFINITY);
    for doublings in 1..=6_u32 {
        vegas.rounds(2);
        standard.rounds(1);
        assert_near(vegas.cwnd(), standard.cwnd(), EXACT);
        assert_near(vegas.cwnd(), 2.0 * f64::from(1 << doublings), EXACT);
    }
}

/// In between the window rests, which is what makes the comparison valid.
#[test]
fn slow_start_rests_every_other_round_trip() {
    let mut path = Path::wide("vegas", 2.0, f64::INFINITY);
    let mut sizes = vec![];
    for _ in 0..8 {
        path.round();
        sizes.push(path.cwnd() as u32);
    }
    assert_eq!(sizes, [2, 4, 4, 8, 8, 16, 16, 32]);
}

#[test]
fn slow_start_ends_by_itself_within_a_doubling_of_the_path() {
    for capacity in [5.0, 20.0, 40.0, 100.0] {
        let mut path = Path::new("vegas", 2.0, f64::INFINITY, capacity);
        path.rounds(20);
        let ended = path.controller.ssthresh();
        assert!(ended <= 2.0 * (capacity + 1.0), "{ended} on a path of {capacity}");
        assert!(path.cwnd() >= capacity, "{} on a path of {capacity}", path.cwnd());
    }
}

/// On a path of 40 packets the window of 64 is the first to queue.
#[test]
fn slow_start_gives_back_what_cut_says() {
    for (spec, left) in [("vegas", 56.0), ("vegas(cut=0)+vegas", 64.0)] {
        let mut path = Path::new(spec, 2.0, f64::INFINITY, 40.0);
        while path.cwnd() < 64.0 {
            path.round();
        }
        assert!(path.controller.ssthresh().is_infinite(), "nobody measured yet");
        path.rounds(1);
        path.round_of(|_| None, true);
        assert_near(path.cwnd(), left, EXACT);
    }
}

#[test]
fn a_larger_gamma_ends_slow_start_later() {
    let ended = |spec| {
        let mut path = Path::new(spec, 2.0, f64::INFINITY, 60.0);
        path.rounds(40);
        path.controller.ssthresh()
    };
    assert!(ended("vegas(cut=0)+vegas") <= 64.0, "64 packets queue 4");
    assert!(ended("vegas(gamma=10,cut=0)+vegas") > 64.0, "and 4 are not above 10");
}

/// 2.3.2: between alpha and beta packets wait in the queue, from wherever the window comes.
#[test]
fn avoidance_settles_between_alpha_and_beta() {
    for (spec, alpha, beta) in
        [("vegas", 1.0, 3.0), ("vegas(alpha=2,beta=4)", 2.0, 4.0), ("vegas(alpha=5,beta=5)", 5.0, 5.0)]
    {
        for initial in [10.0, 90.0] {
            let mut path = Path::new(spec, initial, 2.0, 50.0);
            path.rounds(100);
            let settled = path.cwnd();
            assert!(
                (alpha..=beta).contains(&path.queued()),
                "{spec} from {initial} queues {}",
                path.queued()
            );
            path.rounds(20);
            assert_near(path.cwnd(), settled, EXACT);
        }
    }
}

#[test]
fn avoidance_moves_by_one_packet_per_round_trip() {
    let mut path = Path::new("vegas", 10.0, 2.0, 50.0);
    path.round();
    let mut before = path.cwnd();
    for _ in 0..30 {
        path.round();
        assert_near(path.cwnd() - before, 1.0, EXACT);
        before = path.cwnd();
    }
    let mut path = Path::new("vegas", 100.0, 2.0, 50.0);
    path.rounds(11);
    assert_near(path.cwnd(), 90.0, EXACT);
}

/// A decrease is no way back to slow start, which would double what was just found to be too much.
#[test]
fn a_decrease_stays_in_avoidance() {
    let mut path = Path::new("standard+vegas", 80.0, 80.0, 50.0);
    let mut before = path.cwnd();
    for _ in 0..100 {
        path.round();
        assert!(path.cwnd() <= before, "{before} grew to {}", path.cwnd());
        before = path.cwnd();
    }
    assert!(before < 55.0);
}

#[test]
fn a_path_that_holds_nothing_leaves_two_packets() {
    let mut path = Path::new("vegas(alpha=0.1,beta=0.2)", 10.0, 2.0, 0.5);
    path.rounds(50);
    assert_near(path.cwnd(), 2.0, EXACT);
}

/// Growth is suspended in most of the round; what it measured counts when the next one begins.
#[test]
fn measuring_goes_on_while_growth_is_suspended() {
    let mut path = Path::new("vegas", 20.0, 2.0, 1e9);
    path.round();
    let before = path.cwnd();
    path.round_of(|_| Some(BASE_RTT * 2), false);
    assert_near(path.cwnd(), before, EXACT);
    path.round_of(|_| Some(BASE_RTT), true);
    assert_near(path.cwnd(), before - 1.0, EXACT);
}

#[test]
fn a_round_without_a_measurement_decides_nothing() {
    let mut path = Path::new("vegas", 20.0, 2.0, 1e9);
    path.round();
    path.round_of(|_| None, true);
    let before = path.cwnd();
    path.round_of(|_| None, true);
    assert_near(path.cwnd(), before, EXACT);
}

/// Half of 20 packets wait for a base round-trip time's quarter: by the mean 20/9 queue, between alpha and beta;
/// by the minimum none would, by the maximum 4.
#[test]
fn the_round_trip_time_of_a_round_is_its_mean() {
    let mut path = Path::new("vegas", 20.0, 2.0, 1e9);
    let alternating = |index: u32| {
        Some(if index.is_multiple_of(2) { BASE_RTT } else { BASE_RTT + Duration::from_micros(12_500) })
    };
    path.round_of(alternating, true);
    path.round_of(alternating, true);
    assert_near(path.cwnd(), 20.0, EXACT);
}

/// With the smallest round-trip time of the same round nothing queues, and the window grows.
#[test]
fn the_smallest_round_trip_time_sees_the_emptiest_moment() {
    let mut path = Path::new("vegas(least_rtt=1)", 20.0, 2.0, 1e9);
    let alternating = |index: u32| {
        Some(if index.is_multiple_of(2) { BASE_RTT } else { BASE_RTT + Duration::from_micros(12_500) })
    };
    path.round_of(alternating, true);
    path.round_of(alternating, true);
    assert_near(path.cwnd(), 21.0, EXACT);
}

/// By hand, a round trip being that of the window a round ago: on a path of 50.4 packets a window of 52, one more than a
/// round ago, queues 52 (1 - 50.4 / 51) = 0.61, which is below 1 but rounds to it. On one of 50.7 packets a window of 53,
/// one less than a round ago, queues 53 (1 - 50.7 / 54) = 3.24, which is above 3 but rounds to it.
#[test]
fn a_rounded_difference_settles_half_a_packet_further_out() {
    for (initial, capacity, exact, rounded) in [(10.0, 50.4, 53.0, 52.0), (90.0, 50.7, 52.0, 53.0)] {
        for (spec, window) in [("vegas", exact), ("vegas(rounded=1)", rounded)] {
            let mut path = Path::new(spec, initial, 2.0, capacity);
            path.rounds(100);
            assert_near(path.cwnd(), window, EXACT);
        }
    }
}

#[test]
fn a_loss_keeps_three_quarters_and_a_timeout_starts_over_below_half() {
    let mut path = Path::new("vegas", 40.0, 2.0, 1e9);
    path.loss();
    assert_near(path.cwnd(), 30.0, EXACT);
    path.timeout();
    assert_near(path.cwnd(), 1.0, EXACT);
    assert_near(path.controller.ssthresh(), 15.0, EXACT);
    let mut path = Path::new("vegas(keep=0.5)", 40.0, 2.0, 1e9);
    path.loss();
    assert_near(path.cwnd(), 20.0, EXACT);
}

#[test]
fn what_was_measured_before_a_loss_does_not_judge_the_window_after_it() {
    let mut path = Path::new("vegas", 40.0, 2.0, 1e9);
    path.round_of(|_| Some(BASE_RTT * 3), true);
    path.loss();
    path.ack(1.0, Some(BASE_RTT), false);
    path.round_of(|_| Some(BASE_RTT), true);
    assert_near(path.cwnd(), 31.0, EXACT);
}

#[test]
fn the_difference_can_be_watched() {
    let mut path = Path::new("vegas", 52.0, 2.0, 50.0);
    path.rounds(3);
    let mut shown = vec![];
    path.controller.observe(&mut |name, value| shown.push((name, value)));
    assert_eq!(shown[0].0, "vegas_diff_packets");
    assert_near(shown[0].1, 2.0, 1e-6);
}

/// The window after this many round trips of 100 ms without a queue, that begin after one small packet took 90 ms, and nothing was in
/// flight. On a path of 40 packets that is four packets' worth.
fn after_a_small_packet(spec: &str, rounds: u64) -> f64 {
    let spec: ControllerSpec = spec.parse().expect("a specification");
    let start = Start { initial_window: 40.0, initial_ssthresh: 40.0, ..Start::default() };
    let mut controller = spec.build(&start);
    let least = Duration::from_millis(90);
    let ack = |round: u64, rtt: Duration, in_flight: f64| Ack {
        now: Time::ZERO + Duration::from_millis(100 * round),
        delivered: 1.0,
        in_flight,
        rtt: Some(rtt),
        srtt: rtt,
        min_rtt: least,
        round,
        advanced: true,
        window_limited: in_flight > 0.0,
        ..Ack::default()
    };
    controller.on_ack(&ack(1, least, 0.0));
    for round in 2..2 + rounds {
        controller.on_ack(&ack(round, Duration::from_millis(100), 40.0));
    }
    controller.decision().cwnd
}

/// diff = 40 (1 - 90 / 100) = 4 packets is more than beta, of a queue that is not there.
#[test]
fn a_small_packet_sets_the_base_too_low_unless_it_is_measured_anew() {
    assert!(after_a_small_packet("vegas", 6) < 40.0);
    let grown = after_a_small_packet("vegas(base_since_idle=1)", 6);
    assert!(grown > 40.0, "{grown}");
}
