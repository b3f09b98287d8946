//! TCP Fast Open (RFC 7413) against timelines made by hand: 100 ms each way.

use ackclock_transport::tcp::{Cookie, Recovery};
use ackclock_units::Time;

use crate::common::{MSS, Pair, Scene, What};

fn file(packets: u64) -> Scene {
    Scene::connection(Recovery::Sack, packets).set(|settings| {
        settings.initial_window = 4.0;
        settings.fast_open = true;
    })
}

fn play(scene: Scene, cookie: &Cookie) -> Pair {
    let mut pair = scene.open();
    pair.sender.keep_cookie(cookie.clone());
    pair.run_until(Time::MAX);
    pair
}

fn known() -> Cookie {
    let cookie = Cookie::unknown();
    play(file(1), &cookie);
    cookie
}

fn finished_ms(pair: &Pair) -> u64 {
    pair.sender.finished_at().unwrap().as_nanos() / 1_000_000
}

/// The first connection gets the cookie: its data goes at 200 ms. That of the second goes in the SYN, so that one packet takes a
/// round trip less.
#[test]
fn the_second_connection_sends_in_its_syn() {
    let cookie = Cookie::unknown();
    let first = play(file(1), &cookie);
    first.assert_complete(1);
    assert_eq!((finished_ms(&first), first.log[0].segment.length), (400, 0));
    assert!(cookie.is_known());
    let second = play(file(1), &cookie);
    second.assert_complete(1);
    assert_eq!((finished_ms(&second), second.log[0].segment.length), (200, MSS as u16));
    assert_eq!(second.log[1].segment.acknowledgment, 1001, "of the SYN and its data");
    assert_eq!((first.sender.incidents().fast_opens, second.sender.incidents().fast_opens), (0, 1));
    assert_eq!(second.counters().segments_sent, 1);
}

/// The rest follows the SYN-ACK.
#[test]
fn the_rest_follows_the_handshake() {
    let pair = play(file(3), &known());
    pair.assert_complete(3);
    assert_eq!(pair.data(), [(200, 1), (200, 2)]);
    assert_eq!(finished_ms(&pair), 400);
    assert_eq!((pair.counters().segments_sent, pair.counters().retransmissions), (3, 0));
}

/// RFC 7413, 4.2.1: the SYN after the timeout has no data. What it had goes after the handshake.
#[test]
fn data_of_a_lost_syn_goes_after_the_handshake() {
    let pair = play(file(3).lose([What::Syn(1)]), &known());
    pair.assert_complete(3);
    let syns: Vec<u16> = pair
        .log
        .iter()
        .filter(|entry| matches!(entry.what, What::Syn(_)))
        .map(|entry| entry.segment.length)
        .collect();
    assert_eq!(syns, [MSS as u16, 0]);
    assert_eq!(pair.data()[0], (1200, 0));
    let incidents = pair.sender.incidents();
    assert_eq!((incidents.fast_opens, incidents.fast_open_fallbacks), (0, 1));
    assert_eq!((pair.counters().segments_sent, pair.counters().retransmissions), (4, 1));
}

/// The SYN-ACK is lost and its data is there: the SYN-ACK that follows acknowledges it, and it is not sent again.
#[test]
fn data_that_arrived_is_not_sent_again() {
    let pair = play(file(1).lose([What::SynAck(1)]), &known());
    pair.assert_complete(1);
    assert_eq!(pair.data(), []);
    assert_eq!(finished_ms(&pair), 1200);
    assert_eq!(pair.sender.incidents().fast_opens, 1);
}
