//! Forward RTO-Recovery (RFC 5682) without timestamps: a timeout that a delay caused is found out and undone.

use ackclock_transport::tcp::Recovery;

use crate::common::{ALL, Pair, Scene, What, assert_lines, data, ms};

fn eight(recovery: Recovery, frto: bool) -> Scene {
    Scene::eight_of_forty(recovery).set(|settings| settings.frto = frto)
}

fn delay_spike(recovery: Recovery, frto: bool) -> Pair {
    eight(recovery, frto).delay_spike()
}

#[test]
fn a_spurious_timeout_is_undone() {
    for recovery in ALL {
        let pair = delay_spike(recovery, true);
        assert_eq!(pair.counters().spurious, 1, "{recovery}");
        assert_eq!(pair.again(), [(1000, 0)], "{recovery}: nothing but the first was sent again");
        let believing = delay_spike(recovery, false);
        assert_eq!(believing.counters().spurious, 0, "{recovery}");
        assert!(believing.again().len() > 4, "{recovery}: {:?}", believing.again());
        assert!(believing.sender.controller().ssthresh() <= 4.0, "{recovery}");
    }
}

/// Step 2 at the first acknowledgment sends two new segments. Step 3 at the second brings the window of eight back, which
/// slow start takes to 15 by the other six: 8 to 22 have left when eight of them are acknowledged.
#[test]
fn two_new_segments_then_the_whole_window() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Prr] {
        let sent = delay_spike(recovery, true).moments(1000, 1150);
        let expected = "1000: 0'
            1150: 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22";
        assert_lines(&sent, expected);
    }
}

/// All eight packets are lost. The two new segments make two duplicates (without SACK), or are acknowledged selectively: step
/// 3a, and slow start goes on with the next two.
#[test]
fn a_genuine_timeout_stays_one() {
    for recovery in ALL {
        let pair = eight(recovery, true).lose((0..8).map(data)).play();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (0, 1), "{recovery}");
        if recovery != Recovery::Vegas {
            let expected = "   0: 0x 1x 2x 3x 4x 5x 6x 7x
                1000: 0'
                1200: 8 9
                1400: 1' 2'";
            assert_lines(&pair.moments(0, 1400), expected);
        }
        pair.assert_complete(40);
    }
}

/// Step 2: nothing new to send, so that slow start goes on as without it.
#[test]
fn without_new_data_nothing_changes() {
    for recovery in ALL {
        let play = |frto| {
            let scene = Scene::file(recovery, 8).set(|settings| {
                settings.initial_window = 8.0;
                settings.frto = frto;
            });
            scene.lose((0..8).map(data)).play().moments(0, 10_000)
        };
        assert_eq!(play(true), play(false), "{recovery}");
    }
}

/// 2.1, step 1: without SACK a fast recovery that is under way is no hindrance. Packet 0 is lost, and the seven duplicates send it
/// again and 8, 9 and 10 with it, all of which a delay holds up. The timer expires at 1000 ms. At 1250 ms packets 0 to 7 are
/// acknowledged, with 8 to 10 outstanding (step 2: 11 and 12 go), and one millisecond later packet 8 (step 3b). With SACK
/// (3.1) the timeout is not judged.
#[test]
fn a_timeout_in_fast_recovery_is_judged_without_sack() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let mut scene = eight(recovery, true).lose([data(0)]).hold(What::Data(0, 2), ms(850));
        for packet in 8..11 {
            scene = scene.hold(data(packet), ms(851));
        }
        let pair = scene.hold(What::Data(0, 3), ms(200)).play();
        let spurious = u32::from(!recovery.uses_sack());
        assert_eq!(pair.counters().spurious, spurious, "{recovery}:\n{}", pair.table());
        if spurious == 1 {
            assert_eq!(pair.again(), [(200, 0), (1000, 0)], "{recovery}");
        }
        pair.assert_complete(40);
    }
}

/// 2.1, step 3b, sets "recover" to SND.UNA: of the originals after a needless timeout packet 4 is missing, and three duplicates
/// send it again, though the timeout covered it.
#[test]
fn duplicates_after_a_spurious_timeout_mean_a_loss() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let pair = eight(recovery, true).lose([data(4)]).delay_spike();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (1, 1), "{recovery}");
        assert_eq!(pair.again(), [(1000, 0), (1150, 4)], "{recovery}:\n{}", pair.table());
    }
}

/// 2.1, step 2a, and 2.2: an acknowledgment of a part of the retransmission proves nothing, though it advances SND.UNA; else a
/// receiver could have every timeout undone. With SACK (3.1, step 2) the acknowledgment of the whole is waited for.
#[test]
fn parts_of_the_retransmission_prove_nothing() {
    for recovery in ALL {
        let scene = eight(recovery, true).set(|settings| settings.ack_splitting = 3);
        let pair = scene.lose((0..8).map(data)).play();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (0, 1), "{recovery}");
        pair.assert_complete(40);
    }
}

/// Step 3a takes a duplicate without news for a genuine timeout, with SACK too: the original of packet 0 arrives 50 ms after its
/// retransmission, and that of packet 1 later still.
#[test]
fn a_duplicate_without_news_ends_the_judgment() {
    for recovery in ALL {
        let scene = eight(recovery, true).lose((2..8).map(data));
        let pair = scene.hold(data(0), ms(1050)).hold(data(1), ms(1100)).play();
        assert_eq!((pair.counters().spurious, pair.counters().timeouts), (0, 1), "{recovery}");
        pair.assert_complete(40);
    }
}
