//! Section 5.3.1: what a receiver answers, and what losses cost.

use ackclock_transport::acknak::{Kind, Message, Receiver};
use ackclock_units::Time;

use crate::common::{Scene, at};

#[test]
fn a_receiver_expects_one_more_than_it_received_last() {
    let mut receiver = Receiver::default();
    let mut answer = |number| {
        let data = Message { kind: Kind::Data, number, sent_at: Time::ZERO };
        receiver.on_segment(Time::ZERO, &data);
        let answer = receiver.poll_transmit(Time::ZERO).expect("each segment is answered");
        (answer.kind, answer.number)
    };
    assert_eq!(answer(1), (Kind::Ack, 2));
    assert_eq!(answer(2), (Kind::Ack, 3));
    assert_eq!(answer(5), (Kind::Nak, 6), "3 and 4 are missing; the NAK is numbered with the next expected");
    assert_eq!(answer(6), (Kind::Ack, 7), "what is missing is not waited for");
}

#[test]
fn a_flow_of_n_packets_is_finished_after_n_answers() {
    // Windows of 2, 4 and 8 after a handshake of one round trip: 14 packets in four round trips.
    let story = Scene::flow(14).play();
    assert_eq!(story.sent(), 14, "no packet more than the flow has (equation 42)");
    assert_eq!(story.sender.delivered(), 14);
    assert_eq!(story.sender.finished_at(), Some(at(400)));
    let counters = story.sender.counters(at(400));
    assert_eq!((counters.segments_sent, counters.retransmissions, counters.timeouts), (14, 0, 0));
}

/// True if a message is lost.
type Lost = fn(&Message) -> bool;

#[test]
fn every_lost_packet_ack_and_nak_costs_one_packet_more() {
    let cases: [(&str, Lost, usize, usize); 4] = [
        ("a packet", |m| m.kind == Kind::Data && m.number == 9, 1, 1),
        // Nobody learns of it: the ACK after it says that the one before arrived.
        ("an ACK", |m| m.kind == Kind::Ack && m.number == 9, 1, 0),
        (
            "a packet and its NAK",
            |m| m.kind == Kind::Data && m.number == 9 || m.kind == Kind::Nak && m.number == 11,
            2,
            0,
        ),
        ("two packets of one gap", |m| m.kind == Kind::Data && (m.number == 9 || m.number == 10), 2, 1),
    ];
    for (what, lost, more, episodes) in cases {
        let story = Scene::flow(100).lose(move |message, _| lost(message)).play();
        assert_eq!(story.sent(), 100 + more, "{what}");
        assert_eq!(story.sender.delivered(), 100, "{what}");
        assert_eq!(story.episodes().len(), episodes, "{what}: signals");
        let counters = story.sender.counters(at(10_000));
        assert_eq!(counters.retransmissions, more as u64, "{what}");
        assert_eq!(counters.timeouts, 0, "{what}");
        assert!(story.sender.finished_at().is_some(), "{what}");
    }
}

#[test]
fn numbers_are_never_used_again() {
    let story = Scene::flow(60).lose_data(&[7, 8, 20, 41, 60]).play();
    let numbers: Vec<u64> = story.of(Kind::Data).map(|entry| entry.message.number).collect();
    assert_eq!(numbers, (1..=65).collect::<Vec<_>>());
}

#[test]
fn the_lost_last_packets_need_a_timeout() {
    // 13 and 14 are the last two of the third window; nothing after them tells.
    let story = Scene::flow(14).lose_data(&[13, 14]).play();
    let counters = story.sender.counters(at(10_000));
    assert_eq!(counters.timeouts, 1);
    let data: Vec<(u64, u64)> = story
        .of(Kind::Data)
        .map(|entry| (entry.at.as_nanos() / 1_000_000, entry.message.number))
        .skip(14)
        .collect();
    // The last answer arrived at 400 ms; the timeout is twice the round-trip propagation delay.
    assert_eq!(data, [(600, 15), (600, 16)], "as many as the flow lacks");
    // The receiver misses 13 and 14, so the first of these is answered with a NAK, the second with an ACK.
    assert_eq!(story.of(Kind::Nak).count(), 1);
    assert_eq!(story.sender.finished_at(), Some(at(700)));
}

/// Of the 14 packets sent by 300 ms, 7 to 14 are lost. The last answers arrive at 300 ms and the timeout comes two round
/// trips later, at 500 ms; the window has room for some of the eight packets to replace then, and for the others later. A
/// file of 14 packets is sent in full whenever the stop comes, and of a longer one 14 packets arrive.
#[test]
fn losses_are_repaired_after_the_stop() {
    for (packets, finished) in [(14, true), (1000, false)] {
        for stop in [350, 499, 501, 599, 601] {
            let story = Scene::flow(packets)
                .lose_data(&[7, 8, 9, 10, 11, 12, 13, 14])
                .set(|scene| scene.transfer.stop = at(stop))
                .play();
            assert_eq!(story.sender.delivered(), 14, "{packets} packets, stop at {stop} ms");
            assert_eq!(
                story.sender.finished_at().is_some(),
                finished,
                "{packets} packets, stop at {stop} ms"
            );
        }
    }
}

#[test]
fn the_application_may_stop_a_flow() {
    let story = Scene::flow(1000).set(|scene| scene.transfer.stop = at(350)).play();
    // Windows of 2, 4 and 8 are sent at 100, 200 and 300 ms; the answers to the third arrive later.
    assert_eq!(story.sent(), 14);
    assert_eq!(story.sender.closed_at(), Some(at(400)));
    assert_eq!(story.sender.finished_at(), None, "it was cut off");
    assert_eq!(story.sender.delivered(), 14);
}
