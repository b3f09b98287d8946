//! rLEDBAT (RFC 9840): the windows that a receiver announces, against timelines made by hand.

use ackclock_catalogue::Part;
use ackclock_transport::tcp::{RECEIVER_CONTROLS, Recovery};
use ackclock_units::Rate;

use crate::common::{End, MSS, Pair, Scene, data, ms};
use crate::fixed::Fixed;

/// A file over a path of 100 ms each way, to a receiver that controls the window.
fn controlled(recovery: Recovery, packets: u64, initial_window: f64) -> Scene {
    Scene::connection(recovery, packets).set(|settings| {
        settings.initial_window = initial_window;
        settings.timestamps = true;
        settings.receiver_control = Some(Part::of(&RECEIVER_CONTROLS[0]));
    })
}

/// The acknowledgments of data: the millisecond, the segments acknowledged, and the window in segments.
fn windows(pair: &Pair) -> Vec<(u64, u64, u64)> {
    let acks = pair.log.iter().filter(|entry| entry.from == End::Receiver);
    acks.map(|entry| {
        let header = &entry.segment.header;
        assert_eq!(u64::from(header.window) % MSS, 0, "a window of whole segments");
        let at = entry.at.as_nanos() / 1_000_000;
        (at, header.acknowledgment.saturating_sub(1) / MSS, u64::from(header.window) / MSS)
    })
    .collect()
}

/// The windows of the acknowledgments that are sent at one millisecond.
fn at(pair: &Pair, millis: u64) -> Vec<u64> {
    windows(pair).into_iter().filter(|(at, ..)| *at == millis).map(|(.., window)| window).collect()
}

/// By hand: the base round-trip time is 200 ms, above twice the target, so the gain is 1 and a segment adds one to the window; at
/// 100 ms it is 1 / ceil(120 / 100) = 1/2, and the window is a whole number of segments. The sender's own slow start is as fast as the first.
#[test]
fn the_receiver_measures_round_trips_by_its_own_timestamps() {
    let pair = controlled(Recovery::Sack, 100, 4.0).play();
    assert_eq!(at(&pair, 100), [4], "the answer to the SYN");
    assert_eq!(at(&pair, 300), [5, 6, 7, 8]);
    assert_eq!(at(&pair, 500), (9..=16).collect::<Vec<_>>());
    assert_eq!(at(&pair, 700), (17..=32).collect::<Vec<_>>());
    let mut short = controlled(Recovery::Sack, 100, 4.0);
    short.delay = ms(50);
    let pair = short.play();
    assert_eq!(at(&pair, 150), [4, 5, 5, 6]);
    assert_eq!(at(&pair, 250), [6, 7, 7, 8, 8, 9]);
}

/// From the fifth segment on a queue adds 50 ms. A round trip measures once, so the smallest of four delays is above 45 ms, three quarters of
/// the target, from the fourth on: at 1300 ms it ends the first slow start, which has come to 65. Two round trips later, at 1800 ms,
/// the slowdown to two packets begins. Its first round trip takes the window back by the segments that arrive; the right edge stays at 255 + 2,
/// and the sender may send two segments. After another one slow start returns.
#[test]
fn a_slowdown_takes_back_what_arrives_and_no_more() {
    let scene = controlled(Recovery::Sack, 300, 4.0);
    let pair = (4..300).fold(scene, |scene, segment| scene.hold(data(segment), ms(50))).play();
    assert!(at(&pair, 1300).iter().all(|window| *window == 65));
    let falling: Vec<u64> = (2..66).rev().chain([2, 2]).collect();
    assert_eq!(at(&pair, 1800), falling);
    assert_eq!(pair.data().iter().filter(|(at, _)| *at == 1900).count(), 2);
    assert_eq!(at(&pair, 2050), [2, 2]);
    assert_eq!(at(&pair, 2300), [3, 4]);
    assert_eq!(at(&pair, 2550), [5, 6, 7, 8]);
}

/// Segment 28, the first of a flight of 32, is lost. Those after it leave the right edge where it is, and so they are duplicates for
/// any sender. It arrives again at 1100 ms below the highest and with a later timestamp (4.3): 63 are halved, and the next round trip grows
/// nothing. A segment that another has overtaken has an earlier timestamp, and is none: the window goes on to 64.
#[test]
fn a_segment_sent_again_halves_the_window() {
    for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
        let pair = controlled(recovery, 200, 4.0).lose([data(28)]).play();
        assert_eq!(at(&pair, 900), [32; 31], "{recovery:?}");
        assert_eq!(at(&pair, 1100), [31], "{recovery:?}: {}", pair.table());
        assert!(at(&pair, 1300).iter().all(|window| *window == 31), "{recovery:?}");
        assert_eq!((pair.again(), pair.counters().timeouts), (vec![(1000, 28)], 0), "{recovery:?}");
    }
    let pair = controlled(Recovery::Rack, 200, 4.0).hold(data(28), ms(1)).play();
    assert_eq!(at(&pair, 901), [64], "{}", pair.table());
}

/// The sender keeps three segments in flight. The window grows in the round trips of the handshake and of the first data, and then no
/// more, for no data reaches its edge.
#[test]
fn a_window_that_the_sender_does_not_use_stays() {
    let pair = controlled(Recovery::Sack, 100, 4.0).controller(Fixed::window(3.0)).play();
    assert_eq!(at(&pair, 300), [5, 6, 7]);
    let later = windows(&pair).into_iter().filter(|(at, ..)| *at > 300);
    assert!(later.map(|(.., window)| window).all(|window| window == 7));
    pair.assert_complete(100);
}

/// Flow control comes first: the window is the smaller one, that of the buffer.
#[test]
fn the_buffer_bounds_the_window() {
    let scene = controlled(Recovery::Sack, 100, 4.0);
    let pair = scene.set(|settings| settings.receive_window = 6 * MSS as u32).play();
    assert_eq!(at(&pair, 300), [5, 6, 6, 6]);
    assert!(windows(&pair).iter().all(|(.., window)| *window <= 6));
}

/// An application reads a segment in 80 ms, half of what the path carries. Where the control holds the window, reading opens none, and causes no
/// updates without end.
#[test]
fn reading_opens_no_window_that_the_control_holds() {
    let scene = controlled(Recovery::Sack, 40, 4.0).controller(Fixed::window(4.0));
    let pair = scene.set(|settings| settings.read_rate = Some(Rate::from_bits_per_second(100_000))).play();
    pair.assert_complete(40);
    pair.assert_edge_stays();
    assert!(windows(&pair).len() < 50, "{}", pair.table());
}
