//! Section 5.1.1: the connection phase.

use ackclock_transport::acknak::Kind;

use crate::common::{Scene, at};

#[test]
fn three_syns_without_an_answer_fail_after_21_seconds() {
    let lost = |message: &ackclock_transport::acknak::Message, _| message.kind == Kind::Syn;
    let story = Scene::flow(10).lose(lost).play_until(at(20_999));
    assert_eq!(story.times(Kind::Syn), [0, 3000, 9000], "after 3 s, then after 6 s more");
    assert!(!story.sender.has_failed(), "the last SYN is given 12 s");
    let story = Scene::flow(10).lose(lost).play();
    assert!(story.sender.has_failed());
    assert_eq!(story.times(Kind::Syn).len(), 3);
    assert_eq!(story.sent(), 0, "no connection, no data");
    let story = Scene::flow(10).lose(lost).play_until(at(21_000) + crate::common::ms(1));
    assert!(story.sender.has_failed(), "at 21 s");
}

#[test]
fn a_lost_syn_ack_costs_the_wait_for_the_next_syn() {
    let story = Scene::flow(2).lose(|message, n| message.kind == Kind::SynAck && n <= 2).play();
    assert_eq!(story.times(Kind::Syn), [0, 3000, 9000]);
    assert_eq!(story.sender.established_at(), Some(at(9100)));
    assert_eq!(
        story.times(Kind::Data),
        [9100, 9100],
        "the first data doubles as the answer, with cwnd_INT = 2"
    );
    let min_rtt = story.acks()[0].min_rtt;
    assert_eq!(min_rtt, crate::common::ms(100), "lost SYNs are no round trip");
}

#[test]
fn an_answer_to_a_second_syn_does_not_begin_again() {
    // The path is slower than the first wait, so two SYNs are answered.
    let slow = Scene::flow(2).set(|scene| {
        scene.delay = crate::common::ms(2000);
        scene.propagation = crate::common::ms(4000);
    });
    let story = slow.play();
    assert_eq!(story.times(Kind::Syn), [0, 3000]);
    assert_eq!(story.times(Kind::SynAck), [2000, 5000]);
    assert_eq!(story.times(Kind::Data), [4000, 4000]);
    assert_eq!(story.sender.finished_at(), Some(at(8000)));
}

#[test]
fn an_application_that_stops_before_the_connection_is_there_sends_nothing() {
    let story = Scene::flow(5).set(|scene| scene.transfer.stop = at(60)).play();
    assert_eq!(story.sent(), 0);
    assert_eq!((story.sender.closed_at(), story.sender.established_at()), (Some(at(60)), None));
    assert_eq!(story.sender.finished_at(), None, "nothing was sent");
}

/// Without an answer the SYNs leave at 0, 3 and 9 s; a stop at 4 s is before the third.
#[test]
fn no_syn_is_sent_after_the_stop() {
    let lost = |message: &ackclock_transport::acknak::Message, _| message.kind == Kind::Syn;
    let story = Scene::flow(5).lose(lost).set(|scene| scene.transfer.stop = at(4000)).play();
    assert_eq!(story.times(Kind::Syn), [0, 3000]);
    assert_eq!(story.sender.closed_at(), Some(at(4000)));
    assert!(!story.sender.has_failed() && !story.sender.is_open());
}
