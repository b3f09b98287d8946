//! Vegas' settings by ns-2 and Linux, by timelines worked out by hand.

mod common;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Start};
use ackclock_units::Duration;
use common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

fn windows(path: &mut Path, rounds: u32) -> Vec<f64> {
    let after = |_| {
        path.round();
        path.cwnd()
    };
    (0..rounds).map(after).collect()
}

/// A path of 50 packets. The third round's smallest time is still that of 50 packets, the fourth's that of 51: 52 · 1/50 is cut
/// off to one packet, below 2; then 53 · 2/50 to two, which is neither below 2 nor above 4.
#[test]
fn the_present_window_moves_in_every_round() {
    let mut path = Path::new("vegas-linux", 50.0, 2.0, 50.0);
    assert_eq!(windows(&mut path, 7), [50.0, 51.0, 52.0, 53.0, 53.0, 53.0, 53.0]);
}

/// The rules of 2.6.22 on that path: a step is from the window of the round before, and so takes place in every other round.
#[test]
fn the_window_of_the_round_before_moves_in_every_other_round() {
    let mut path = Path::new("vegas-linux(round_before=1)", 50.0, 2.0, 50.0);
    assert_eq!(windows(&mut path, 7), [50.0, 51.0, 51.0, 52.0, 52.0, 52.0, 52.0]);
}

/// A path of 50 packets again. The smallest time is that of the present window: 55 · 5/50 is cut off to five, which are too
/// many, and 54 · 4/50 to four, which are not.
#[test]
fn a_window_shrinks_to_beta() {
    let mut path = Path::new("vegas-linux", 60.0, 2.0, 50.0);
    path.rounds(40);
    assert_near(path.cwnd(), 54.0, EXACT);
}

/// Two samples are too few: each acknowledgment that closes a round counts as one of standard TCP's, so that two rounds
/// bring a packet; three samples decide.
#[test]
fn rounds_with_two_samples_are_those_of_standard_tcp() {
    let mut path = Path::wide("vegas-linux", 2.0, 2.0);
    assert_eq!(windows(&mut path, 5), [2.0, 2.0, 3.0, 3.0, 4.0]);
}

/// A path of 40 packets. The round of 64 takes 80 ms instead of 50: it is judged when 128 are in flight,
/// which shrink to 128 · 5/8 and one more; by 2.6.22 to 64 · 5/8 and one more.
#[test]
fn slow_start_ends_at_the_window_of_the_rate_and_one_more() {
    for (spec, left) in [("vegas-linux", 81.0), ("vegas-linux(round_before=1)+vegas-linux", 41.0)] {
        let mut path = Path::new(spec, 2.0, f64::INFINITY, 40.0);
        assert_eq!(windows(&mut path, 7), [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, left]);
    }
}

/// The round of the loss says nothing of the window after it; the next one is judged when it ends.
#[test]
fn a_loss_keeps_half_and_its_round_is_not_judged() {
    let mut path = Path::wide("vegas-linux", 41.0, 2.0);
    path.round();
    path.loss();
    assert_near(path.cwnd(), 20.0, EXACT);
    assert_eq!(windows(&mut path, 2), [20.0, 21.0]);
    path.timeout();
    assert_near(path.controller.ssthresh(), 10.0, EXACT);
}

/// Ten packets by two acknowledgments: a tenth of a packet with each.
#[test]
fn a_spread_increase_comes_with_the_acknowledgments() {
    for (spec, window) in [("vegas", 11.0), ("vegas(spread=1)", 10.2)] {
        let mut path = Path::wide(spec, 10.0, 2.0);
        path.segments_per_ack = 5;
        path.rounds(2);
        assert_near(path.cwnd(), window, EXACT);
    }
}

/// In the second round, of twice the time, five packets are sent, and five are in flight with the one acknowledged last:
/// 5 - 5/2 is between 1 and 3. By the window, 11 - 11/2 is above 3.
#[test]
fn the_rates_of_packets_sent_are_not_those_of_the_window() {
    for (spec, window) in [("vegas", 10.0), ("vegas(sent=1)", 11.0)] {
        let spec: ControllerSpec = spec.parse().expect("a test's specification");
        let start = Start { initial_window: 10.0, initial_ssthresh: 2.0, ..Start::default() };
        let mut controller = spec.build(&start);
        let rounds = [(1, 9.0, BASE_RTT), (2, 9.0, Duration::from_millis(100)), (3, 4.0, BASE_RTT)];
        for (round, in_flight, rtt) in rounds {
            controller.on_ack(&Ack {
                delivered: 10.0,
                in_flight,
                rtt: Some(rtt),
                min_rtt: BASE_RTT,
                round,
                advanced: true,
                window_limited: true,
                ..Ack::default()
            });
        }
        assert_near(controller.decision().cwnd, window, EXACT);
    }
}
