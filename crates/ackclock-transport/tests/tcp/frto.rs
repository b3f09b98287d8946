//! Forward RTO-Recovery (RFC 5682) without timestamps: a timeout that a delay caused is found out and undone.

use ackclock_transport::tcp::Recovery;

use crate::common::{ALL, Pair, Scene, assert_lines, data};

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
