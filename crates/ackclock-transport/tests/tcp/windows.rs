//! Limits of the data in flight: the initial window (RFC 5681, 3.1; RFC 3390; RFC 6928), the receive window (RFC 9293,
//! 3.8.6), and a window that does not grow while something else holds the sender back.

use ackclock_transport::tcp::{LimitedGrowth, Recovery, Sender, Settings, Transfer};
use ackclock_units::Time;
use std::sync::Arc;

use crate::common::{ALL, MSS, Scene, assert_lines, data};
use crate::fixed::Fixed;

#[test]
fn the_initial_window_is_what_it_says() {
    for (window, segments) in [(1.0, 1), (2.0, 2), (3.5, 3), (4.0, 4), (10.0, 10)] {
        for recovery in ALL {
            let pair =
                Scene::connection(recovery, 50).set(|settings| settings.initial_window = window).play();
            assert_eq!(
                pair.data().iter().filter(|(at, _)| *at == 200).count(),
                segments,
                "{recovery} {window}"
            );
        }
    }
}

/// A fraction of a packet does not let a packet go.
#[test]
fn a_window_counts_whole_packets() {
    let pair = Scene::file(Recovery::NewReno, 6).controller(Fixed::window(2.9)).play();
    assert_lines(&pair.moments(0, 9999), "0: 0 1\n 200: 2 3\n 400: 4 5");
    // Below one packet, one at a time: anything less would never be sent.
    let pair = Scene::file(Recovery::NewReno, 3).controller(Fixed::window(0.3)).play();
    assert_lines(&pair.moments(0, 9999), "0: 0\n 200: 1\n 400: 2");
}

/// Every story checks that no segment lies beyond the window; here the window is what holds the sender back. It does
/// not make the congestion window grow past what is used.
#[test]
fn the_receive_window_is_filled_and_not_exceeded() {
    for recovery in ALL {
        let pair =
            Scene::file(recovery, 200).set(|settings| settings.receive_window = 10 * MSS as u32 + 999).play();
        pair.assert_complete(200);
        let last = pair.data().last().unwrap().0;
        assert_eq!(
            pair.data().iter().filter(|(at, _)| *at == last - 200).count(),
            10,
            "{recovery}: in whole segments"
        );
        assert!(pair.sender.cwnd() < 21.0, "{recovery}: {} for ten packets in use", pair.sender.cwnd());
    }
}

#[test]
fn losses_with_a_small_receive_window_are_recovered() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 60)
            .set(|settings| settings.receive_window = 6 * MSS as u32)
            .lose([data(20), data(30), data(31), data(45), data(59)])
            .play();
        pair.assert_complete(60);
    }
}

#[test]
#[should_panic(expected = "less than a segment")]
fn a_receive_window_without_room_for_a_segment_is_refused() {
    let settings = Settings { receive_window: MSS as u32 - 1, mss: MSS as u16, ..Settings::default() };
    let transfer = Transfer { start: Time::ZERO, stop: Time::MAX, packets: None };
    let _ = Sender::new(Arc::new(settings), Recovery::Reno, Box::new(Fixed::window(1.0)), transfer);
}

/// By the old rule the acknowledgments of a round trip in which the application had no more to send do not let the window grow.
#[test]
fn the_window_rests_while_the_application_is_slow() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 11)
            .set(|settings| {
                settings.initial_window = 10.0;
                settings.limited_growth = LimitedGrowth::Window;
            })
            .play();
        // The first acknowledgment finds the window full, and lets the last packet go.
        let growing: Vec<bool> = pair.acks().iter().map(ackclock_congestion::Ack::may_grow).collect();
        assert!(growing[0], "{recovery}");
        assert!(growing[1..].iter().all(|may_grow| !may_grow), "{recovery}: {growing:?}");
    }
}

/// The window limits retransmissions even if the application has no new data: after a timeout at
/// the end of a file slow start doubles, and does not go one packet per round trip.
#[test]
fn slow_start_after_a_timeout_at_the_end_of_a_file() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let pair = Scene::file(recovery, 8)
            .set(|settings| settings.initial_window = 8.0)
            .lose((0..8).map(data))
            .play();
        assert_lines(
            &pair.moments(0, 9999),
            "0: 0x 1x 2x 3x 4x 5x 6x 7x
             1000: 0'
             1200: 1' 2'
             1400: 3' 4' 5' 6'
             1600: 7'",
        );
    }
}
