//! Linux's rules for TCP-LP, by timelines worked out by hand.

mod common;
mod link;

use ackclock_congestion::Start;
use ackclock_units::Duration;
use common::{Path, assert_near};
use link::Link;

const EXACT: f64 = 1e-9;

/// One round trip of 50 ms whose acknowledgments measure this delay in milliseconds.
fn round(path: &mut Path, delay: u64) -> f64 {
    path.round_of(|_| Some(Duration::from_millis(delay)), true);
    path.cwnd()
}

/// By hand: all acknowledgments at 50 ms have timestamps alike; the first one at 100 ms differs from them, and its delay is the
/// range. The window of 41 halves to 20 packets and rests for three round trips, to 250 ms.
#[test]
fn the_first_delay_halves_the_window() {
    let mut path = Path::wide("lp-linux", 40.0, 2.0);
    for window in [41.0, 20.0, 20.0, 20.0, 21.0, 22.0] {
        assert_near(round(&mut path, 50), window, EXACT);
    }
}

/// Without a threshold that is slow start, in which the window rests, too, and goes on to double. The acknowledgment that halves
/// counts.
#[test]
fn the_threshold_of_slow_start_stays() {
    let mut path = Path::wide("lp-linux", 10.0, f64::INFINITY);
    for window in [20.0, 11.0, 11.0, 11.0, 22.0, 44.0] {
        assert_near(round(&mut path, 50), window, EXACT);
    }
    assert!(path.controller.ssthresh().is_infinite());
}

/// The range is from 50 to 100 ms after the first reduction: the smoothed delay may not reach 57 ms. Samples of 66 ms take it there:
/// in eighths 400, 416, 430, 443, 454, 464 = 58 ms. At 300 ms that is more than three of these round trips after the first.
#[test]
fn the_range_begins_anew_with_a_reduction() {
    let mut path = Path::wide("lp-linux", 40.0, 2.0);
    for _ in 0..6 {
        round(&mut path, 50);
    }
    assert_near(path.cwnd(), 22.0, EXACT);
    for _ in 0..4 {
        path.ack(1.0, Some(Duration::from_millis(66)), true);
    }
    assert!(path.cwnd() >= 22.0);
    path.ack(1.0, Some(Duration::from_millis(66)), true);
    assert_near(path.cwnd(), 11.0, EXACT);
}

/// Within three round trips of a reduction a smoothed delay of 15 % more than at the reduction leaves one packet.
#[test]
fn a_delay_that_still_rises_leaves_one_packet() {
    let mut path = Path::wide("lp-linux", 40.0, 2.0);
    round(&mut path, 50);
    round(&mut path, 50);
    assert_near(path.cwnd(), 20.0, EXACT);
    round(&mut path, 150);
    assert_near(path.cwnd(), 1.0, EXACT);
}

#[test]
fn a_loss_halves() {
    let mut path = Path::wide("lp-linux", 41.0, 2.0);
    path.loss();
    assert_near(path.cwnd(), 20.0, EXACT);
}

/// With standard TCP on a link of 2000 packets per second and 50 ms, with a buffer of its 100 packets, it
/// gets the smaller part.
#[test]
fn it_gives_way_to_standard_tcp() {
    let start = Start { initial_window: 2.0, ..Start::default() };
    let mut link = Link::new(2_000.0, Duration::from_millis(50), &["lp-linux", "reno"], start);
    link.buffer = 100.0;
    link.run(Duration::from_secs(60));
    let windows = link.mean_windows(Duration::from_secs(240));
    assert!(windows[0] < 0.5 * windows[1], "{windows:?}");
}
