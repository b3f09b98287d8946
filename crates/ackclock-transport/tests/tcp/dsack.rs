//! Duplicates reported by receivers (RFC 2883), and the undo of what was sent again needlessly (RFC 3708; RFC 8985, 6.2).

use std::sync::Arc;

use ackclock_congestion::Signal;
use ackclock_transport::tcp::{EcnMode, Receiver, Recovery, Settings};
use ackclock_transport::{Flags, Header, Segment};
use ackclock_units::Time;

use crate::common::{Pair, Scene, What, data, ms};

/// The recoveries whose receivers report blocks.
const WITH_SACK: [Recovery; 4] = [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb, Recovery::Rack];

/// The acknowledgment and the blocks after each segment that arrived, in segments.
fn answers(arrivals: &[u64], dsack: bool) -> Vec<(u64, Vec<(u64, u64)>)> {
    let settings = Settings { mss: 500, handshake: false, segments_per_ack: 1, dsack, ..Settings::default() };
    let mut receiver = Receiver::new(Arc::new(settings), true);
    let number = |sequence: u64| (sequence - 1) / 500;
    let mut answers = Vec::new();
    for segment in arrivals {
        let header =
            Header { sequence: 1 + segment * 500, length: 500, flags: Flags::ACK, ..Header::default() };
        receiver.on_segment(Time::ZERO, &header);
        let reply: Segment = receiver.poll_transmit(Time::ZERO).unwrap().into();
        let blocks = reply.sack.iter(reply.acknowledgment).map(|(start, end)| (number(start), number(end)));
        answers.push((number(reply.acknowledgment), blocks.collect()));
    }
    answers
}

/// RFC 2883, 4.1, examples 1 to 3: segments of 500 bytes, 0 for 3000-3499 (or 3500-3999 in the third).
#[test]
fn a_receiver_reports_duplicates_as_in_the_examples() {
    let first = answers(&[0, 1, 0], true);
    assert_eq!(first[2], (2, vec![(0, 1)]), "4000, SACK=3000-3500");
    let second = answers(&[0, 1, 3, 0], true);
    assert_eq!(second[2], (2, vec![(3, 4)]), "4000, SACK=4500-5000");
    assert_eq!(second[3], (2, vec![(0, 1), (3, 4)]), "4000, SACK=3000-3500, 4500-5000");
    let third = answers(&[0, 2, 3, 3], true);
    assert_eq!(third[2], (1, vec![(2, 4)]), "4000, SACK=4500-5500");
    assert_eq!(third[3], (1, vec![(3, 4), (2, 4)]), "4000, SACK=5000-5500, 4500-5500");
}

/// "Each duplicate is reported at most once": the next acknowledgment is as before. Without the setting none is.
#[test]
fn a_duplicate_is_reported_once() {
    assert_eq!(answers(&[0, 0, 1, 0], true)[1..], [(1, vec![(0, 1)]), (2, vec![]), (2, vec![(0, 1)])]);
    assert_eq!(answers(&[0, 0], false)[1], (1, vec![]));
}

/// [`Scene::eight_of_forty`] with DSACK, without timestamps.
fn eight(recovery: Recovery) -> Scene {
    Scene::eight_of_forty(recovery).set(|settings| settings.dsack = true)
}

/// Packet 0 is 50 ms late, and three others pass it: at 200 ms it is sent again. The original arrives at 150 ms, the copy at
/// 300 ms; at 400 ms that is known, and the window is what it was.
#[test]
fn a_needless_fast_retransmit_is_undone() {
    for recovery in WITH_SACK {
        let ssthresh_at = |millis| {
            let mut pair = eight(recovery).hold(data(0), ms(50)).open();
            pair.run_until(Time::ZERO + ms(millis));
            pair.sender.controller().ssthresh()
        };
        assert!(ssthresh_at(400) <= 4.0 && ssthresh_at(401) > 8.0, "{recovery}");
        let pair = eight(recovery).hold(data(0), ms(50)).play();
        assert_eq!((pair.counters().fast_retransmits, pair.counters().spurious), (1, 1), "{recovery}");
        assert_eq!(pair.again(), [(200, 0)], "{recovery}");
        pair.assert_complete(40);
    }
}

/// The copy comes 200 ms later, so that its report comes at 600 ms. Until then a mark of the next window, known at 450 ms, has reduced the
/// window: nothing shows that a mark is spurious.
#[test]
fn a_report_does_not_undo_what_a_mark_did_since() {
    for recovery in WITH_SACK {
        let scene = |marked: &[u64]| {
            let scene = eight(recovery).set(|settings| settings.ecn = EcnMode::Classic);
            let scene = scene.hold(data(0), ms(50)).hold(What::Data(0, 2), ms(200));
            scene.mark(marked.iter().copied().map(data)).play()
        };
        assert_eq!(scene(&[]).counters().spurious, 1, "{recovery}");
        let pair = scene(&[9]);
        assert_eq!(pair.signals(), [Signal::Loss, Signal::Ecn], "{recovery}:\n{}", pair.table());
        assert_eq!(pair.counters().spurious, 0, "{recovery}");
        pair.assert_complete(40);
    }
}

/// Two segments are sent again, and one of them was lost: nothing is undone; nor where the network makes copies, of which one is
/// of a retransmission.
#[test]
fn one_real_loss_is_enough() {
    for recovery in WITH_SACK {
        let pair = eight(recovery).hold(data(0), ms(350)).lose([data(3)]).play();
        assert_eq!(pair.counters().spurious, 0, "{recovery}:\n{}", pair.table());
        pair.assert_complete(40);
        let mut scene = eight(recovery).lose([data(3)]);
        scene.chance = Box::new(|| vec![ms(0), ms(1)]);
        let pair = scene.play();
        assert_eq!(pair.counters().spurious, 0, "{recovery}: every packet arrives twice");
    }
}

/// RFC 3708, 3, (A.1): all eight acknowledgments are lost, and the first report is of the first segment, sent again by the timer at
/// 1000 ms. Its retransmission was needless, but the way back is congested: the window stays reduced.
#[test]
fn a_lost_window_of_acknowledgments_is_congestion() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb] {
        let pair = eight(recovery).lose((1..=8).map(What::Ack)).play();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (0, 1), "{recovery}");
        assert_eq!(pair.again(), [(1000, 0)], "{recovery}");
        pair.assert_complete(40);
    }
}

/// (A.2), (B.1): a delay of 950 ms makes the timer expire once; slow start sends the window again, and all of it is reported.
/// (A.3): with 3000 ms it expires at 1000 and at 3000 ms, and it cannot be said which copy of packet 0 a report is of.
#[test]
fn a_segment_sent_again_twice_leaves_it_open() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb] {
        assert_eq!(eight(recovery).delay_spike().counters().spurious, 1, "{recovery}");
        let mut scene = eight(recovery).hold(What::Data(0, 2), ms(2050));
        for packet in 0..8 {
            scene = scene.hold(data(packet), ms(3000));
        }
        let pair = scene.play();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (0, 2), "{recovery}");
        pair.assert_complete(40);
    }
}

/// RFC 8985, 6.2, step 4: each round trip with a report widens the reordering window by `min_RTT` / 4, here 50 ms. Packet 0 is
/// late by 20 ms, which shows that the path reorders; 3 by 75 ms, and is sent again; 40 by 75 ms, which is less than twice
/// 50 ms.
#[test]
fn the_reordering_window_grows_with_reports() {
    let play = |dsack: bool| -> Pair {
        let scene = Scene::file(Recovery::Rack, 100).set(|settings| {
            settings.initial_window = 3.0;
            settings.dsack = dsack;
        });
        scene.hold(data(0), ms(20)).hold(data(3), ms(75)).hold(data(40), ms(75)).play()
    };
    let again = |dsack| -> Vec<u64> { play(dsack).again().iter().map(|(_, number)| *number).collect() };
    assert_eq!((again(true), again(false)), (vec![3], vec![3, 40]));
}
