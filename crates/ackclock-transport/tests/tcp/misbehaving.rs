//! Misbehaving receivers (Savage et al. 1999), and byte counting (RFC 3465), which blunts the splitting of acknowledgments.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::{EcnMode, Recovery};

use crate::common::{Pair, Scene, data};
use crate::fixed::Fixed;

/// Segments that leave at 0, 200 and 400 ms, where each is acknowledged in this many pieces.
fn growth(pieces: u32, counts_acknowledgments: bool) -> Vec<usize> {
    let scene = Scene::file(Recovery::NewReno, 100).set(|settings| {
        settings.ack_splitting = pieces;
        settings.count_acknowledgments = counts_acknowledgments;
    });
    let pair = scene.play();
    pair.assert_complete(100);
    [0, 200, 400].map(|at| pair.data().iter().filter(|(sent, _)| *sent == at).count()).to_vec()
}

/// Section 2.1: with M acknowledgments for each segment, slow start grows by 1 + M in a round trip. A sender that counts data
/// is not deceived.
#[test]
fn byte_counting_blunts_split_acknowledgments() {
    assert_eq!(growth(1, true), [1, 2, 4]);
    assert_eq!(growth(4, true), [1, 5, 25]);
    assert_eq!(growth(4, false), [1, 2, 4]);
}

/// The pieces of 1000 bytes in three.
#[test]
fn pieces_cover_the_segment() {
    let pair = Scene::file(Recovery::NewReno, 1).set(|settings| settings.ack_splitting = 3).play();
    let acknowledged: Vec<u64> = pair
        .log
        .iter()
        .filter(|entry| entry.at.as_nanos() > 0)
        .map(|entry| entry.segment.acknowledgment)
        .collect();
    assert_eq!(acknowledged, [334, 667, 1001]);
}

/// Losses are recovered however the acknowledgments are split.
#[test]
fn split_acknowledgments_repair_losses() {
    for recovery in Recovery::ALL {
        let scene = Scene::file(*recovery, 60).set(|settings| settings.ack_splitting = 3);
        let pair = scene.controller(Fixed::window(8.0)).lose([data(5), data(20), data(21)]).play();
        pair.assert_complete(60);
    }
}

fn optimistic(packets: u32) -> Pair {
    let scene = Scene::file(Recovery::NewReno, 30).set(|settings| settings.optimistic_acks = packets);
    scene.controller(Fixed::paced(4.0, 50.0)).lose([data(20)]).play()
}

/// Section 2.3. Of four segments in a window, one each 20 ms, the first acknowledgment covers three, at 200 ms, and the fourth is
/// acknowledged at 220 ms: ten segments leave in the first two round trips instead of eight. A loss is never repaired.
#[test]
fn optimistic_acknowledgments_hasten_and_conceal() {
    let before_400 = |pair: &Pair| pair.data().iter().filter(|(at, _)| *at < 400).count();
    let (honest, hasty) = (optimistic(0), optimistic(2));
    assert_eq!((before_400(&honest), before_400(&hasty)), (8, 10));
    assert_eq!(honest.again().iter().map(|(_, number)| *number).collect::<Vec<_>>(), [20]);
    assert_eq!(hasty.again(), []);
    assert_eq!((honest.receiver.delivered_segments(), hasty.receiver.delivered_segments()), (30, 29));
}

#[test]
fn hidden_marks_reduce_nothing() {
    for (ecn, hides, expected) in [
        (EcnMode::Classic, false, vec![Signal::Ecn]),
        (EcnMode::Classic, true, vec![]),
        (EcnMode::DataCentre, true, vec![]),
    ] {
        let scene = Scene::connection(Recovery::Sack, 40).set(|settings| {
            settings.ecn = ecn;
            settings.hide_marks = hides;
        });
        let pair = scene.mark([data(5)]).play();
        assert_eq!(pair.signals(), expected, "{ecn:?}");
        pair.assert_complete(40);
    }
}
