//! Linux's rules for Veno, by timelines worked out by hand.

mod common;

use ackclock_congestion::Signal;
use ackclock_units::Duration;
use common::{BASE_RTT, Path, assert_near};

const EXACT: f64 = 1e-9;

/// Tenths of a millisecond.
fn tenths(count: u64) -> Duration {
    Duration::from_micros(100 * count)
}

/// A window of 40 packets after samples of 50 ms, and then one of this many tenths of a millisecond.
fn path(latest: u64) -> Path {
    let mut path = Path::wide("veno-linux", 40.0, 20.0);
    for _ in 0..2 {
        path.ack(1.0, Some(BASE_RTT), false);
    }
    path.ack(1.0, Some(tenths(latest)), true);
    path
}

/// By hand, in half packets: 80 · 50001/53301 is cut off to 75, so that 5 wait; at 53.4 ms it is 74, and 6 are three packets.
#[test]
fn five_half_packets_are_a_short_queue_and_six_are_not() {
    for (latest, kept) in [(500, 32.0), (533, 32.0), (534, 20.0), (600, 20.0)] {
        for signal in [Signal::Loss, Signal::Ecn, Signal::Timeout] {
            let mut path = path(latest);
            path.congestion(signal, signal == Signal::Timeout);
            assert_near(path.controller.ssthresh(), kept, EXACT);
        }
    }
}

/// Two samples are too few to estimate by: the queue counts as short, whatever they are.
#[test]
fn the_third_sample_is_the_first_to_count() {
    for (samples, kept) in [(1, 32.0), (2, 20.0)] {
        let mut path = Path::wide("veno-linux", 40.0, 20.0);
        path.ack(1.0, Some(BASE_RTT), false);
        for _ in 0..samples {
            path.ack(1.0, Some(tenths(600)), true);
        }
        path.loss();
        assert_near(path.cwnd(), kept, EXACT);
    }
}

/// A loss leaves the base round-trip time: 40 · 50001/60001 is 33.3, so that 7 half packets of 20 packets wait. After a timeout
/// 60 ms are the base of the new beginning.
#[test]
fn the_base_lasts_until_nothing_is_in_flight() {
    let mut lost = path(600);
    lost.loss();
    assert_near(lost.cwnd(), 20.0, EXACT);
    lost.ack(1.0, Some(tenths(600)), true);
    lost.loss();
    assert_near(lost.cwnd(), 10.0, EXACT);
    let mut timed_out = path(600);
    timed_out.timeout();
    timed_out.ack(1.0, None, true);
    while timed_out.cwnd() < 10.0 {
        timed_out.ack(1.0, Some(tenths(600)), true);
    }
    timed_out.loss();
    assert_near(timed_out.cwnd(), 8.0, EXACT);
}

/// By hand, behind a queue: the 41st acknowledgment finds 40 counted and adds a packet without counting; of the next 41 and one
/// more the last adds none, and of 42 after these the last adds one.
#[test]
fn behind_a_queue_every_other_window_adds_a_packet() {
    let mut path = path(600);
    for _ in 1..40 {
        path.ack(1.0, Some(tenths(600)), true);
    }
    let mut grew = vec![];
    let mut before = path.cwnd();
    for number in 41..=125 {
        path.ack(1.0, Some(tenths(600)), true);
        if path.cwnd() > before {
            grew.push(number);
        }
        before = path.cwnd();
    }
    assert_eq!(grew, [41, 125]);
    assert_near(path.cwnd(), 42.0, EXACT);
}

/// Without a queue it is standard TCP in whole packets.
#[test]
fn an_idle_path_gives_a_packet_per_round_trip() {
    let mut path = Path::wide("veno-linux", 40.0, 20.0);
    path.rounds(10);
    assert_near(path.cwnd(), 50.0, EXACT);
}
