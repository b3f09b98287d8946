//! TCP-LP: consequences that Kuzmanovic and Knightly (2003) state.

mod common;
mod link;

use ackclock_congestion::Start;
use ackclock_units::Duration;
use common::{BASE_RTT, Path, assert_near};
use link::Link;

const EXACT: f64 = 1e-9;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A window of 40 packets that has seen delays from 50 to 150 ms: congestion is inferred above 65 ms. The delay is not
/// smoothed, so that the timelines are those of the samples.
fn path() -> Path {
    let mut path = Path::wide("lp(gamma=1)", 40.0, 20.0);
    path.ack(1.0, Some(millis(150)), false);
    path.ack(1.0, Some(millis(50)), false);
    path
}

/// One round trip of acknowledgments that measure this delay.
fn round(path: &mut Path, delay: u64) {
    path.round_of(|_| Some(millis(delay)), true);
}

#[test]
fn it_grows_as_standard_tcp_below_the_threshold() {
    let (mut lp, mut reno) = (path(), Path::wide("reno", 40.0, 20.0));
    for _ in 0..5 {
        round(&mut lp, 64);
        reno.round();
    }
    assert_near(lp.cwnd(), reno.cwnd(), EXACT);
}

/// By hand, a round trip of 50 ms each: the first sample above 65 ms halves the window at 50 ms. No growth until 200 ms;
/// from then on a packet per round trip.
#[test]
fn an_early_indication_halves_and_holds_for_three_round_trips() {
    let mut path = path();
    round(&mut path, 66);
    assert_near(path.cwnd(), 20.0, EXACT);
    for _ in 0..2 {
        round(&mut path, 50);
        assert_near(path.cwnd(), 20.0, EXACT);
    }
    round(&mut path, 50);
    assert_near(path.cwnd(), 21.0, 0.05);
}

/// A delay that stays is that of other traffic: one packet is left after two round trips.
#[test]
fn persistent_congestion_leaves_one_packet_after_two_round_trips() {
    let mut path = path();
    round(&mut path, 100);
    assert_near(path.cwnd(), 20.0, EXACT);
    round(&mut path, 100);
    assert_near(path.cwnd(), 20.0, EXACT);
    round(&mut path, 100);
    assert_near(path.cwnd(), 1.0, EXACT);
    // There it stays as long as the delay does, in avoidance.
    for _ in 0..30 {
        round(&mut path, 100);
        assert!(path.cwnd() <= 1.0 + EXACT);
    }
    for _ in 0..8 {
        round(&mut path, 50);
    }
    assert!((3.0..=8.0).contains(&path.cwnd()), "{}", path.cwnd());
}

/// The smoothed delay rises by an eighth of the distance: of samples of 150 ms after many of 50 ms it takes two to pass
/// 65 ms: 62.5, 73.4.
#[test]
fn the_delay_is_smoothed_over_eight_samples() {
    let mut path = Path::wide("lp", 40.0, 20.0);
    path.ack(1.0, Some(millis(150)), false);
    path.round_of(|_| Some(BASE_RTT), false);
    path.round_of(|_| Some(BASE_RTT), false);
    let before = path.cwnd();
    path.ack(1.0, Some(millis(150)), true);
    assert!(path.cwnd() > before);
    path.ack(1.0, Some(millis(150)), true);
    assert_near(path.cwnd(), before / 2.0, 0.1);
}

#[test]
fn a_loss_halves() {
    let mut path = path();
    path.loss();
    assert_near(path.cwnd(), 20.0, EXACT);
}

/// Flows on a link of 2000 packets per second and 50 ms, with a buffer of its 100 packets.
fn mean_windows(specs: &[&str]) -> Vec<f64> {
    let start = Start { initial_window: 2.0, ..Start::default() };
    let mut link = Link::new(2_000.0, millis(50), specs, start);
    link.buffer = 100.0;
    link.run(Duration::from_secs(60));
    link.mean_windows(Duration::from_secs(240))
}

/// Alone it uses most of the path; with standard TCP, whose queue it mistakes for congestion, nearly nothing.
#[test]
fn it_uses_what_is_left_over() {
    let alone = mean_windows(&["lp"]);
    assert!(alone[0] > 70.0, "{alone:?} of 100 packets");
    let beside = mean_windows(&["lp", "reno"]);
    assert!(beside[0] < 0.15 * beside[1], "{beside:?}");
    let fair = mean_windows(&["lp", "lp"]);
    assert!((0.5..2.0).contains(&(fair[0] / fair[1])), "{fair:?}");
}
