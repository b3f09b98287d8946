//! A controller that gives a rate: segments leave at even intervals, and no sooner than the window allows.

use ackclock_congestion::Event;
use ackclock_congestion::conformance::Call;
use ackclock_transport::tcp::{Pacing, Recovery};
use ackclock_units::Time;

use crate::common::{ALL, Scene, What, data, ms};
use crate::fixed::Fixed;

#[test]
fn segments_leave_at_even_intervals() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 40).controller(Fixed::paced(100.0, 50.0)).play();
        let expected: Vec<(u64, u64)> = (0..40).map(|number| (20 * number, number)).collect();
        assert_eq!(pair.data(), expected, "{recovery}: 50 per second, the first at once");
        pair.assert_complete(40);
    }
}

/// Four packets per round trip fit the window, which is less than the rate allows.
#[test]
fn the_window_still_counts() {
    let pair = Scene::file(Recovery::NewReno, 8).controller(Fixed::paced(4.0, 50.0)).play();
    let times: Vec<u64> = pair.data().iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [0, 20, 40, 60, 200, 220, 240, 260]);
}

/// A fast retransmit does not wait, but those after it do, as if it had taken its turn.
#[test]
fn a_retransmission_takes_a_turn() {
    let mut scene = Scene::file(Recovery::Sack, 60).controller(Fixed::paced(100.0, 50.0)).lose([data(10)]);
    scene.delay = ms(105);
    let pair = scene.play();
    // 10 left at 200 ms; 11, 12, 13 are acknowledged until 470 ms. The turn at 480 ms is spent.
    assert_eq!(pair.again(), [(470, 10)]);
    let around: Vec<(u64, u64)> =
        pair.data().into_iter().filter(|(at, _)| (440..=520).contains(at)).collect();
    assert_eq!(around, [(440, 22), (460, 23), (470, 10), (500, 24), (520, 25)]);
}

/// The time to wait is that of the rate now, not that of the rate when the last segment left.
#[test]
fn a_higher_rate_ends_the_wait() {
    let fixed = Fixed::paced(10.0, 0.01);
    let mut pair = Scene::file(Recovery::NewReno, 3).controller(fixed.clone()).open();
    pair.run_until(Time::ZERO + ms(150));
    assert_eq!(
        pair.sender.next_wake(),
        Time::ZERO + ms(1000),
        "the retransmission timer; the next segment in 100 s"
    );
    fixed.set_rate(100.0);
    pair.run_until(Time::MAX);
    assert_eq!(pair.data(), [(0, 0), (200, 1), (210, 2)]);
}

/// RFC 5681, 4.1: who has sent nothing for longer than the retransmission timeout begins again with the initial
/// window at the most. Here it is the rate that makes the pauses.
#[test]
fn an_idle_sender_starts_again() {
    let restarts = |rate| {
        let scene = Scene::file(Recovery::NewReno, 5).set(|settings| settings.initial_window = 3.0);
        let pair = scene.controller(Fixed::paced(10.0, rate)).play();
        pair.record
            .calls()
            .into_iter()
            .filter(|call| *call == Call::Event(Event::IdleRestart { restart_window: 3.0 }))
            .count()
    };
    assert_eq!(restarts(0.9), 4, "1.1 s each");
    assert_eq!(restarts(1.1), 0, "0.9 s, less than the timeout");
}

/// Recovery goes on under a rate as well.
#[test]
fn paced_losses_are_recovered() {
    for recovery in ALL {
        let lost = [data(20), data(21), data(40), data(59), What::Data(20, 2)];
        let pair = Scene::connection(recovery, 60).controller(Fixed::paced(30.0, 100.0)).lose(lost).play();
        pair.assert_complete(60);
    }
}

/// Those that a window below one packet goes with: all of them.
fn any() -> impl Iterator<Item = Recovery> {
    ALL.into_iter().chain([Recovery::Rack])
}

/// A packet every two seconds, of which one is lost. Its timer expires after a second; it goes again when it is its turn.
#[test]
fn below_one_packet_retransmissions_wait_as_well() {
    for recovery in any() {
        let scene = Scene::file(recovery, 3).controller(Fixed::paced(0.25, 0.5)).lose([data(1)]);
        let pair = scene.play();
        assert_eq!(pair.data(), [(0, 0), (2000, 1), (4000, 1), (6000, 2)], "{recovery}");
        assert_eq!(pair.counters().timeouts, 1, "{recovery}");
    }
}

/// The window is the back-off: the timer does not double, and does not run while nothing is under way.
#[test]
fn below_one_packet_the_timer_does_not_back_off() {
    for recovery in any() {
        let lost = [data(1), What::Data(1, 2), What::Data(1, 3)];
        let pair = Scene::file(recovery, 3).controller(Fixed::paced(0.25, 0.5)).lose(lost).play();
        assert_eq!(pair.again(), [(4000, 1), (6000, 1), (8000, 1)], "{recovery}");
        assert_eq!(pair.counters().timeouts_in_a_row[..2], [3, 0], "{recovery}");
    }
}

/// An acknowledgment that comes after the timer and before the turn spares the retransmission.
#[test]
fn below_one_packet_a_late_acknowledgment_is_in_time() {
    for recovery in any() {
        let scene = Scene::file(recovery, 3).controller(Fixed::paced(0.25, 0.5)).hold(data(1), ms(1500));
        let pair = scene.play();
        assert_eq!(pair.data(), [(0, 0), (2000, 1), (4000, 2)], "{recovery}");
        assert_eq!(pair.counters().timeouts, 1, "{recovery}");
    }
}

/// As in Linux: two windows in a round trip while cwnd is below half of ssthresh. The SYN measures 200 ms, so that
/// twelve segments leave at 120 per second; the first ten at once. Ten acknowledgments at 400 ms take the window to 22
/// and the rate to 220 per second; that at 408.3 ms to 230.
#[test]
fn automatic_pacing_sends_two_windows_in_a_round_trip_of_slow_start() {
    let scene = Scene::connection(Recovery::NewReno, 40).set(|settings| {
        settings.pacing = Pacing::Auto;
        settings.initial_window = 12.0;
    });
    let pair = scene.play();
    let times: Vec<u64> = pair.data().iter().map(|(at, _)| *at).take(15).collect();
    assert_eq!(times[..10], [200; 10]);
    assert_eq!(times[10..], [208, 216, 400, 404, 408]);
    pair.assert_complete(40);
}

/// 1.2 windows in a round trip from half of ssthresh on: ten acknowledgments take the window from 10 to 10.958, and the
/// interval is 200 ms / (1.2 x 10.958) = 15.21 ms. The last of the ten leaves after 137 ms: the window is what limits.
#[test]
fn automatic_pacing_sends_1_2_windows_in_a_round_trip_of_avoidance() {
    let scene = Scene::connection(Recovery::NewReno, 40).set(|settings| {
        settings.pacing = Pacing::Auto;
        settings.initial_window = 10.0;
        settings.initial_ssthresh = 10.0;
    });
    let times: Vec<u64> = scene.play().data().iter().map(|(at, _)| *at).collect();
    assert_eq!(times[10..20], [400, 415, 430, 445, 460, 476, 491, 506, 521, 536]);
}

/// RFC 9002, 7.7: 1.25 windows in a round trip, also in slow start. The SYN measures 200 ms, so that the eleventh of twelve
/// segments leaves 200 ms / (1.25 x 12) = 13.3 ms after the first ten, which leave at once: the initial window may.
#[test]
fn pacing_of_rfc_9002_sends_1_25_windows_in_a_round_trip() {
    let scene = Scene::connection(Recovery::NewReno, 40).set(|settings| {
        settings.pacing = Pacing::Rfc9002;
        settings.initial_window = 12.0;
    });
    let times: Vec<u64> = scene.play().data().iter().map(|(at, _)| *at).take(13).collect();
    assert_eq!(times[..10], [200; 10]);
    assert_eq!(times[10..12], [213, 226]);
    assert!(times[12] >= 400, "the window limits: {times:?}");
}

/// A controller that sets a rate keeps it.
#[test]
fn automatic_pacing_leaves_a_rate_alone() {
    let scene = Scene::connection(Recovery::NewReno, 40).controller(Fixed::paced(100.0, 50.0));
    let pair = scene.set(|settings| settings.pacing = Pacing::Auto).play();
    let times: Vec<u64> = pair.data().iter().map(|(at, _)| *at).take(4).collect();
    assert_eq!(times, [200, 220, 240, 260]);
}

#[test]
fn automatically_paced_losses_are_recovered() {
    for recovery in any() {
        let lost = [data(20), data(21), data(40), data(59), What::Data(20, 2)];
        let scene = Scene::connection(recovery, 60).set(|settings| settings.pacing = Pacing::Auto);
        scene.lose(lost).play().assert_complete(60);
    }
}
