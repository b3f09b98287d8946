//! Section 5.1.3.3: the retransmission timeout.

use ackclock_congestion::Signal;
use ackclock_transport::acknak::Kind;

use crate::common::{Scene, at, ms};

#[test]
fn the_timeout_doubles_from_2_to_32_round_trips() {
    // The round-trip propagation delay is 100 ms. The connection is there at 100 ms, and no packet ever arrives.
    let story = Scene::flow(100).lose(|message, _| message.kind == Kind::Data).play_until(at(16_200));
    let mut times = story.times(Kind::Data);
    times.dedup();
    let waits: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(waits, [200, 400, 800, 1600, 3200, 3200, 3200, 3200]);
}

#[test]
fn an_answer_brings_the_timeout_back() {
    // After three timeouts the packets arrive again.
    let story = Scene::flow(100).lose(|message, n| message.kind == Kind::Data && n <= 6).play_until(at(1650));
    assert_eq!(story.times(Kind::Data)[..8], [100, 100, 300, 300, 700, 700, 1500, 1500]);
    assert_eq!(story.sender.rto(), ms(200), "at least twice the round-trip propagation delay");
}

#[test]
fn with_queueing_it_is_one_and_a_half_smoothed_round_trips() {
    // 400 ms of round trip, of which only 100 are propagation.
    let slow = |packets| {
        Scene::flow(packets).set(|scene| {
            scene.delay = ms(200);
            scene.settings.initial_window = 4.0;
        })
    };
    let story = slow(4).play();
    assert_eq!(story.sender.srtt(), ms(400));
    assert_eq!(story.sender.rto(), ms(600));
    // Never more than 32 times the propagation delay, however long the round trip.
    let story = slow(4).set(|scene| scene.propagation = ms(10)).play();
    assert_eq!(story.sender.rto(), ms(320));
}

#[test]
fn a_timeout_restarts_from_the_initial_window_below_half_the_old_one() {
    // All of the 16 packets sent at 400 ms are lost.
    let lost: &[u64] = &[15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30];
    let story = Scene::flow(200).lose_data(lost).play_until(at(650));
    let episodes = story.episodes();
    assert_eq!(episodes.len(), 1);
    assert_eq!(
        (episodes[0].signal, episodes[0].now),
        (Signal::Timeout, at(600)),
        "200 ms after the last answer"
    );
    assert!(episodes[0].restart && !episodes[0].repeated);
    assert!((story.sender.cwnd() - 2.0).abs() < 1e-9, "cwnd_INT");
    assert!((story.sender.controller().ssthresh() - 8.0).abs() < 1e-9, "half of 16 (equation 8)");
    assert_eq!(story.times(Kind::Data).iter().filter(|time| **time == 600).count(), 2, "highSeq is nextSeq");
    assert_eq!(story.sender.in_flight(), 2);
}

#[test]
fn after_a_timeout_slow_start_leads_back_to_half_the_window() {
    // Figure 5-4: all of a window of 16 is lost. The first packet that arrives after it is answered by a NAK.
    let lost: &[u64] = &[15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30];
    let windows = |end| {
        let story = Scene::flow(2000).lose_data(lost).play_until(at(end));
        assert_eq!(story.episodes().len(), 1, "the timeout");
        assert!((story.sender.controller().ssthresh() - 8.0).abs() < 1e-9, "half of 16 (equation 8)");
        story.sender.cwnd()
    };
    assert!((windows(750) - 3.0).abs() < 1e-9, "two answers, of which the NAK does not count");
    assert!((windows(850) - 6.0).abs() < 1e-9, "doubled");
    assert!((windows(950) - 8.5).abs() < 0.05, "two more to 8, then an eighth for each of four");
}

#[test]
fn the_threshold_never_falls_below_the_initial_window() {
    let story = Scene::flow(100).lose(|message, _| message.kind == Kind::Data).play_until(at(20_000));
    assert!(story.episodes().len() > 5);
    assert!(story.episodes().iter().all(|event| !event.repeated), "no packet is sent twice");
    assert!((story.sender.controller().ssthresh() - 2.0).abs() < 1e-9, "max(cwnd/2, cwnd_INT), equation 8");
}

#[test]
fn answers_to_what_was_given_up_are_counted_but_do_not_qualify() {
    // The path is four times as slow as the source believes: it gives up on packets that arrive in the end.
    let story = Scene::flow(40).set(|scene| scene.propagation = ms(25)).play();
    let counters = story.sender.counters(at(60_000));
    assert!(counters.timeouts > 0);
    assert_eq!(story.sender.delivered(), 40);
    let timeout = story.episodes()[0].now;
    let first = story.acks()[0];
    assert!(first.now > timeout && !first.may_grow(), "its packet was sent before the timeout");
}

#[test]
fn a_path_without_propagation_delay_has_a_timeout_all_the_same() {
    let story = Scene::flow(4)
        .set(|scene| scene.propagation = ms(0))
        .lose(|message, n| message.kind == Kind::Data && n <= 4)
        .play();
    assert_eq!(story.sender.delivered(), 4);
}
