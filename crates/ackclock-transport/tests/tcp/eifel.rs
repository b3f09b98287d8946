//! With timestamps a sender sees that it was mistaken (Eifel, RFC 3522), and takes everything back.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::{Recovery, Settings};

use crate::common::{ALL, Pair, Scene, What, data, ms};
use crate::fixed::Fixed;

fn eight(recovery: Recovery, timestamps: bool) -> Scene {
    Scene::eight_of_forty(recovery).set(|settings| settings.timestamps = timestamps)
}

fn timer_only(settings: &mut Settings) {
    settings.duplicate_threshold = 100;
}

fn delay_spike(recovery: Recovery, timestamps: bool) -> Pair {
    eight(recovery, timestamps).delay_spike()
}

#[test]
fn a_spurious_timeout_is_undone() {
    for recovery in ALL {
        let pair = delay_spike(recovery, true);
        assert_eq!(pair.counters().spurious, 1, "{recovery}");
        assert_eq!(pair.again(), [(1000, 0)], "{recovery}: nothing but the first was sent again");
        if recovery != Recovery::Vegas {
            // Slow start goes on with the acknowledgments of the originals. (Vegas' takes the delay for a queue.)
            assert_eq!(pair.data().iter().filter(|(at, _)| *at == 1150).count(), 16, "{recovery}");
            assert!(pair.sender.controller().ssthresh() > 8.0, "{recovery}");
        }

        let believing = delay_spike(recovery, false);
        assert_eq!(believing.counters().spurious, 0, "{recovery}");
        assert!(believing.sender.controller().ssthresh() <= 4.0, "{recovery}");
    }
}

/// Among the packets held up, two were lost: after the undo that is found from what is acknowledged selectively. (The
/// second waits for the window, which is full again by then.)
#[test]
fn losses_behind_a_spurious_timeout_are_found() {
    let mut scene = eight(Recovery::Sack, true).lose([data(3), data(4)]);
    for segment in [0, 1, 2, 5, 6, 7] {
        scene = scene.hold(data(segment), ms(950));
    }
    let pair = scene.play();
    pair.assert_complete(40);
    assert_eq!(pair.again(), [(1000, 0), (1150, 3), (1350, 4)]);
    assert_eq!(pair.signals(), [Signal::Timeout, Signal::Loss]);
}

/// A packet overtaken by all others looks lost; three duplicates come 50 ms before its acknowledgment.
#[test]
fn a_spurious_fast_retransmit_is_undone() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let pair = eight(recovery, true).hold(data(0), ms(50)).play();
        assert_eq!((pair.counters().fast_retransmits, pair.counters().spurious), (1, 1), "{recovery}");
        assert_eq!(pair.again(), [(200, 0)], "{recovery}");
        assert!(pair.sender.controller().ssthresh() > 8.0, "{recovery}");
        pair.assert_complete(40);
    }
}

#[test]
fn real_losses_are_not_undone() {
    for recovery in ALL {
        for lost in [&[14][..], &[14, 15], &[14, 24, 26, 28], &[14, 16, 18, 20, 22, 24, 26], &[14, 29, 34]] {
            let scene = Scene::file(recovery, 60).set(|settings| settings.timestamps = true);
            let pair = scene.lose(lost.iter().map(|segment| data(*segment))).play();
            assert_eq!(pair.counters().spurious, 0, "{recovery} {lost:?}");
            pair.assert_complete(60);
        }
    }
}

/// Two recoveries in a row: 76 is lost during the first and sent again in it, so it is outstanding when the second
/// begins. What the second sends again comes later, and the acknowledgment of 76 is no proof against it.
#[test]
fn what_an_earlier_recovery_sent_again_proves_nothing() {
    for other in 77..110 {
        let scene = Scene::file(Recovery::Sack, 150).set(|settings| settings.timestamps = true);
        let lost = [50, 72, 76, other].map(data);
        let pair = scene.controller(Fixed::paced(40.0, 100.0)).lose(lost).play();
        assert_eq!(pair.counters().spurious, 0, "{other}");
        assert_eq!(pair.again().len(), 4, "{other}");
    }
}

/// Step 5: an acknowledgment of everything outstanding may be the only one of a window that was not lost, so it
/// proves nothing.
#[test]
fn an_acknowledgment_of_everything_proves_nothing() {
    for recovery in ALL {
        let pair = eight(recovery, true).lose((1..8).map(What::Ack)).hold(What::Ack(8), ms(900)).play();
        assert_eq!(pair.counters().timeouts, 1, "{recovery}");
        assert_eq!(pair.counters().spurious, 0, "{recovery}");
        pair.assert_complete(40);
    }
}

/// Step 2: the timestamp that counts is that of the first retransmission. Packet 0 was lost; its retransmission at
/// 1000 ms is late, and overtakes none at 3000 ms, which is lost. When it is acknowledged it is no original.
#[test]
fn a_second_timeout_does_not_make_the_first_retransmission_an_original() {
    for recovery in ALL {
        let pair = eight(recovery, true)
            .set(timer_only)
            .lose([data(0), data(4), What::Data(0, 3)])
            .hold(What::Data(0, 2), ms(2100))
            .play();
        let copies: Vec<u64> =
            pair.again().iter().filter(|(_, number)| *number == 0).map(|(at, _)| *at).collect();
        assert_eq!(copies, [1000, 3000], "{recovery}");
        assert_eq!(pair.counters().spurious, 0, "{recovery}");
        pair.assert_complete(40);
    }
}
