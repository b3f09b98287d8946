//! The end of a file and the close of a connection (RFC 9293, 3.6).

use ackclock_transport::Flags;
use ackclock_transport::tcp::{Recovery, Transfer};
use ackclock_units::Time;

use crate::common::{ALL, MSS, Scene, What, assert_lines, data, ms};
use crate::fixed::Fixed;

fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

/// A connection that writes for ever, from the start until `stop`.
fn until(stop: Time) -> Scene {
    let mut scene = Scene::connection(Recovery::NewReno, 0);
    scene.transfer = Transfer { start: Time::ZERO, stop, packets: None };
    scene
}

#[test]
fn a_file_of_n_packets_takes_n_segments() {
    for recovery in ALL {
        for packets in [1, 2, 7, 100] {
            let pair = Scene::connection(recovery, packets).play();
            assert_eq!(pair.data().len() as u64, packets, "{recovery}");
            assert_eq!(pair.counters().segments_sent, packets);
            assert_eq!(pair.counters().retransmissions, 0);
            let fins = pair.log.iter().filter(|entry| entry.segment.flags.has(Flags::FIN));
            let fins: Vec<What> = fins.map(|entry| entry.what).collect();
            assert_eq!(fins, [data(packets - 1), What::FinAck(1)], "{recovery}: it rides with the last");
            pair.assert_complete(packets);
        }
    }
}

/// The sender is done when the last byte is acknowledged, the receiver when it has the last byte.
#[test]
fn both_ends_know_when_the_file_is_over() {
    let pair = Scene::connection(Recovery::NewReno, 3).play();
    // The handshake, 0, and 1 and 2 take a round trip each.
    assert_eq!(pair.receiver.finished_at(), Some(at(500)));
    assert_eq!(pair.sender.finished_at(), Some(at(600)));
}

#[test]
fn a_lost_fin_comes_again_with_its_segment() {
    for recovery in ALL {
        let pair = Scene::connection(recovery, 3)
            .set(|settings| settings.initial_window = 3.0)
            .lose([data(2)])
            .play();
        assert_lines(&pair.moments(200, 9999), "200: 0 1 2x\n 1400: 2'");
        let last = pair.log.iter().rfind(|entry| entry.what == What::Data(2, 2)).unwrap();
        assert!(last.segment.flags.has(Flags::FIN), "{recovery}");
        pair.assert_complete(3);
    }
}

/// The receiver's FIN is sent again until it is acknowledged, and acknowledged as often as it comes.
#[test]
fn the_receivers_fin_is_retransmitted_and_acknowledged() {
    let pair = Scene::connection(Recovery::NewReno, 1).lose([What::SenderAck(1)]).play();
    assert_lines(
        &pair.table(),
        "0 SYN
         100             SYN-ACK
         200 0 FIN
         300             ack 1 FIN
         400 ack 2 x
        1300             ack 1 FIN
        1400 ack 2",
    );
    pair.assert_complete(1);

    // Lost itself, it comes again when its timer or the sender's expires, 1 s after each.
    let pair = Scene::connection(Recovery::NewReno, 1).lose([What::FinAck(1)]).play();
    assert_eq!(pair.times(|what| matches!(what, What::FinAck(_))), [300, 1300, 1300]);
    pair.assert_complete(1);
}

#[test]
fn a_receiver_gives_up_on_a_sender_that_is_gone() {
    let pair = Scene::connection(Recovery::NewReno, 1)
        .set(|settings| settings.syn_attempts = 3)
        .lose((1..10).map(What::SenderAck))
        .play();
    assert_eq!(pair.times(|what| matches!(what, What::FinAck(_))), [300, 1300, 3300]);
    pair.assert_complete(1);
}

/// Data sent before the stop is recovered, no new data follows, and the FIN is sent alone. It takes the place
/// of a segment in the window, so it waits for one here.
#[test]
fn a_stop_closes() {
    let pair = until(at(500)).lose([data(2)]).play();
    assert_lines(
        &pair.table(),
        "0 SYN
         100             SYN-ACK
         200 0
         300             ack 1
         400 1
         400 2 x
         500             ack 2
         600 FIN
         700             ack 2
        1600 2'
        1700             ack 3 FIN
        1800 ack 2",
    );
    pair.assert_complete(3);
    assert_eq!(pair.counters().segments_sent, 4, "the FIN alone is no data");
}

/// It is paced like any other segment.
#[test]
fn a_fin_alone_takes_its_turn() {
    let pair = until(at(450)).controller(Fixed::paced(100.0, 1.0)).play();
    assert_lines(&pair.moments(0, 9999), "200: 0");
    assert_eq!(pair.times(|what| matches!(what, What::Fin(_))), [1200]);
    pair.assert_complete(1);
}

#[test]
fn a_lost_fin_alone_comes_again() {
    for recovery in ALL {
        let mut scene = until(at(500)).lose([What::Fin(1)]);
        scene.recovery = recovery;
        let pair = scene.play();
        assert_eq!(pair.times(|what| matches!(what, What::Fin(_))).len(), 2, "{recovery}");
        assert_eq!(pair.counters().retransmissions, 0, "{recovery}: nor is it data the second time");
        assert_eq!(pair.receiver.delivered_segments(), pair.counters().segments_sent, "{recovery}");
        assert!(pair.receiver.finished_at().is_some() && pair.sender.finished_at().is_some(), "{recovery}");
    }
}

/// RFC 9293, 3.10.4: the CLOSE call comes in SYN-SENT.
#[test]
fn a_stop_before_the_connection_opens_ends_in_a_reset() {
    for stop in [0, 100] {
        let pair = until(at(stop)).play();
        let syn = if stop > 0 { "0 SYN\n 100             SYN-ACK\n 200 RST" } else { "" };
        assert_lines(&pair.table(), syn);
        assert_eq!((pair.sender.closed_at(), pair.sender.finished_at()), (Some(at(stop)), None));
    }
}

/// A FIN takes a sequence number, and so a place in the receive window: where there is none left it comes later.
#[test]
fn a_fin_beyond_the_receive_window_waits() {
    let window = |packets: u32| {
        let scene = Scene::connection(Recovery::NewReno, 4);
        scene.set(|settings| {
            settings.receive_window = packets * MSS as u32;
            settings.initial_window = 10.0;
        })
    };
    let pair = window(4).play();
    assert_eq!(pair.times(|what| matches!(what, What::Fin(_))), [400], "after the first acknowledgment");
    pair.assert_complete(4);
    let pair = window(5).play();
    assert_eq!(pair.times(|what| matches!(what, What::Fin(_))), []);
    pair.assert_complete(4);
}

#[test]
fn a_connection_that_never_starts_sleeps() {
    let mut scene = until(Time::MAX);
    scene.transfer.start = Time::MAX;
    let pair = scene.play();
    assert!(pair.log.is_empty() && pair.sender.next_wake() == Time::MAX);
}

/// Files as large as the numbers go.
#[test]
fn an_endless_file_is_sent() {
    let mut pair = Scene::connection(Recovery::Sack, u64::MAX).open();
    pair.run_until(at(1000));
    assert_eq!(pair.data().len(), 1 + 2 + 4 + 8);
}

#[test]
fn without_handshake_nothing_closes() {
    let pair = Scene::file(Recovery::Sack, 3).play();
    assert!(pair.log.iter().all(|entry| !entry.segment.flags.has(Flags::FIN)));
    pair.assert_complete(3);
}
