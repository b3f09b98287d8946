//! What the window does: equations 4 to 8, and when they apply (5.3.1, 5.3.3).

use ackclock_congestion::{Ack, Signal};
use ackclock_transport::acknak::Kind;

use crate::common::{Scene, at, ms};

#[test]
fn in_slow_start_the_window_doubles_in_a_round_trip() {
    let story = Scene::flow(10_000).play_until(at(750));
    let sent = |millis| story.of(Kind::Data).filter(|entry| entry.at == at(millis)).count();
    assert_eq!([100, 200, 300, 400, 500, 600, 700].map(sent), [2, 4, 8, 16, 32, 64, 128]);
}

#[test]
fn the_window_is_integrated_over_time() {
    // From 100 ms on 2, 4 and 8 packets for 100 ms each, then 16 for 50 ms.
    let counters = Scene::flow(10_000).play_until(at(450)).sender.counters(at(450));
    assert!((counters.cwnd_seconds - 2.2).abs() < 1e-9, "{}", counters.cwnd_seconds);
}

#[test]
fn from_the_threshold_on_it_grows_by_one_packet_in_a_round_trip() {
    let story = Scene::flow(10_000).set(|scene| scene.settings.initial_ssthresh = 16.0).play_until(at(1000));
    let sent = |millis| story.of(Kind::Data).filter(|entry| entry.at == at(millis)).count();
    assert_eq!(
        [100, 200, 300, 400, 500].map(sent),
        [2, 4, 8, 16, 16],
        "the last part of a packet is not there yet"
    );
    assert_eq!([600, 700, 800].map(sent), [17, 18, 19]);
}

#[test]
fn a_nak_halves_the_window_whatever_is_under_way() {
    // Of the 16 packets sent at 400 ms the second is lost. At 500 ms the first answer makes the window 17, the second,
    // a NAK, halves it (equation 7).
    let story = Scene::flow(10_000).lose_data(&[16]).play_until(at(560));
    let episodes = story.episodes();
    assert_eq!(episodes.len(), 1);
    assert_eq!((episodes[0].signal, episodes[0].now), (Signal::Loss, at(500)));
    assert!(!episodes[0].restart);
    assert!((story.sender.cwnd() - 8.5).abs() < 1e-9, "{}", story.sender.cwnd());
    assert!((story.sender.controller().ssthresh() - 8.5).abs() < 1e-9, "the flow stays in avoidance");
}

#[test]
fn the_window_shrinks_once_in_a_round_trip_and_does_not_grow_in_it() {
    // Three gaps in the 16 packets sent at 400 ms, and one among those sent in answer to them, a round trip later.
    let story = Scene::flow(10_000).lose_data(&[16, 19, 25]).play_until(at(560));
    assert_eq!(story.of(Kind::Nak).filter(|entry| entry.at == at(450)).count(), 3);
    assert_eq!(story.episodes().len(), 1, "of three NAKs the first qualifies");
    let acks = story.acks();
    let signalled = acks.iter().position(|ack| ack.lost > 0.0).unwrap();
    let before = acks[signalled].now;
    assert!(
        acks[signalled..].iter().all(|ack| !ack.may_grow()),
        "no growth before a packet sent later is answered"
    );
    assert_eq!(before, at(500));

    let story = Scene::flow(10_000).lose_data(&[16, 19, 25]).play_until(at(720));
    let later: Vec<bool> = story.acks().iter().filter(|ack| ack.now == at(600)).map(Ack::may_grow).collect();
    // Two packets left at 500 ms in answer to the ACK before the NAK, the others after it.
    assert_eq!(later[..4], [false, false, true, true]);
    assert!(later[4..].iter().all(|may_grow| *may_grow));
}

#[test]
fn a_nak_of_the_next_round_trip_halves_it_again() {
    // 33 is the first that is sent after the first NAK arrived: the answer to it tells of 32.
    let story = Scene::flow(10_000).lose_data(&[16, 32]).play_until(at(800));
    let times: Vec<_> = story.episodes().iter().map(|event| event.now).collect();
    assert_eq!(times.len(), 2);
    assert!(times[1].since(times[0]) >= ms(100), "{times:?}");
}

#[test]
fn controllers_learn_of_every_answer_also_while_growth_rests() {
    let story = Scene::flow(200).lose_data(&[16, 19, 25, 90]).play();
    let acks = story.acks();
    assert_eq!(acks.len(), 200, "one call for each ACK and NAK");
    assert!(acks.iter().all(|ack| ack.rtt == Some(ms(100)) && (ack.delivered - 1.0).abs() < 1e-9));
    assert!((acks.iter().map(|ack| ack.lost).sum::<f64>() - 4.0).abs() < 1e-9);
    let last = acks.last().unwrap();
    assert_eq!((last.srtt, last.min_rtt), (ms(100), ms(100)));
    // A round trip takes 100 ms, and from the first answer at 200 ms on there is always one under way.
    let rounds = story.sender.finished_at().unwrap().since(at(100)).as_nanos() / ms(100).as_nanos();
    assert_eq!(last.round, rounds);
}

#[test]
fn a_window_below_one_packet_still_sends_one() {
    // Each round trip of one packet loses it or its successor, so that timeouts and NAKs follow one another.
    let story = Scene::flow(6)
        .set(|scene| scene.settings.initial_window = 1.0)
        .lose(|message, _| message.kind == Kind::Data && message.number % 2 == 0)
        .play();
    assert_eq!(story.sender.delivered(), 6);
    assert!(story.log.iter().all(|entry| entry.cwnd >= 1.0));
}
