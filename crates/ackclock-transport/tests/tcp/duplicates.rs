//! Duplicate acknowledgments: how many mean a loss (RFC 5681, 3.2), what the first two of them send (RFC 3042), and
//! which mean nothing (RFC 6582, 4).

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;

use crate::common::{ALL, Pair, Scene, What, assert_lines, data, ms};

/// A segment of a burst comes later than those after it.
fn overtaken(recovery: Recovery, packets: u64, threshold: u32) -> Pair {
    let scene = Scene::file(recovery, 40).set(|settings| {
        settings.initial_window = 10.0;
        settings.duplicate_threshold = threshold;
    });
    scene.hold(data(9 - packets), ms(50)).play()
}

#[test]
fn three_duplicates_mean_a_loss_and_two_do_not() {
    for recovery in ALL {
        assert_eq!(overtaken(recovery, 2, 3).again(), [], "{recovery}");
        assert_eq!(overtaken(recovery, 3, 3).signals(), [Signal::Loss], "{recovery}");
        assert_eq!(overtaken(recovery, 4, 5).again(), [], "{recovery}: the threshold is a setting");
        assert_eq!(overtaken(recovery, 5, 5).signals(), [Signal::Loss], "{recovery}");
    }
}

/// 15 packets are in flight; the first two duplicates send a new one each, and the third the lost one. The reduction
/// does not count those two (RFC 5681, 3.2, step 2), so 7.5 are left as without them.
#[test]
fn limited_transmit_sends_two_new_segments() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let pair = Scene::file(recovery, 60)
            .set(|settings| settings.limited_transmit = true)
            .lose([data(14)])
            .play();
        assert_lines(&pair.moments(1000, 1000), "1000: 29 30 14' 31 32 33 34");
        let at_loss = pair.log.iter().find(|entry| entry.what == What::Data(14, 2)).unwrap();
        assert!((at_loss.cwnd - 7.5).abs() < 1e-9, "{recovery}: {}", at_loss.cwnd);
    }
    let pair = Scene::file(Recovery::Tahoe, 60)
        .set(|settings| settings.limited_transmit = true)
        .lose([data(14)])
        .play();
    assert_lines(&pair.moments(1000, 1000), "1000: 29 30 14'");
}

/// The purpose of RFC 3042: with three packets in flight there are never three duplicates, unless the first two send
/// something.
#[test]
fn limited_transmit_spares_a_small_window_the_timer() {
    for recovery in ALL {
        let scene = |limited| {
            let scene = Scene::file(recovery, 12).set(|settings| {
                settings.initial_window = 3.0;
                settings.limited_transmit = limited;
            });
            scene.lose([data(0)]).play()
        };
        assert_eq!(scene(false).again()[0], (1000, 0), "{recovery}");
        let pair = scene(true);
        assert_lines(&pair.moments(0, 200), "0: 0x 1 2\n 200: 3 4");
        assert_eq!(pair.again()[0], (400, 0), "{recovery}");
        assert_eq!(pair.signals(), [Signal::Loss], "{recovery}");
    }
}

/// Never more than two, however many duplicates come without a loss being found.
#[test]
fn limited_transmit_is_limited() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno] {
        let scene = Scene::file(recovery, 40).set(|settings| {
            settings.initial_window = 10.0;
            settings.limited_transmit = true;
            settings.duplicate_threshold = 100;
        });
        assert_lines(&scene.lose([data(0)]).play().moments(200, 999), "200: 10 11\n");
    }
}

/// After a timeout the sender sends again what it need not, and the answers to that are duplicates, some of them when
/// all is acknowledged that was outstanding. They are no sign of loss, or it would never end.
#[test]
fn what_was_sent_again_needlessly_starts_nothing() {
    for recovery in ALL {
        let lost = [0, 1, 2, 3, 8].map(data).into_iter().chain((1..=15).map(What::Ack));
        let pair = Scene::file(recovery, 60).set(|settings| settings.initial_window = 20.0).lose(lost).play();
        assert_eq!(pair.signals(), [Signal::Timeout], "{recovery}\n{}", pair.moments(0, 9999));
        let needless = pair.again().len() - 5;
        let duplicates = pair.log.iter().filter(|entry| matches!(entry.what, What::Ack(_)) && !entry.lost);
        let duplicates = duplicates.filter(|entry| entry.segment.acknowledgment == 20_001).count() - 1;
        // Nor do they tell of a delivery.
        let silent = pair.acks().iter().filter(|ack| ack.delivered < 0.5).count();
        assert!(silent >= duplicates.min(1), "{recovery}: {silent}");
        match recovery {
            recovery if recovery.uses_sack() => assert_eq!((needless, duplicates), (0, 0)),
            // Its slow start is slower, and so makes fewer of them.
            Recovery::Vegas => {}
            _ => {
                assert!(needless >= 3 && duplicates >= 3, "{recovery}: {needless} {duplicates} show nothing");
            }
        }
    }
}

/// An acknowledgment older than the last, or of something never sent, is no duplicate.
#[test]
fn old_and_impossible_acknowledgments_are_ignored() {
    for recovery in ALL {
        let mut pair = Scene::file(recovery, 40).set(|settings| settings.initial_window = 10.0).open();
        pair.run_until(ackclock_units::Time::ZERO + ms(250));
        let reply = pair.log.iter().rfind(|entry| matches!(entry.what, What::Ack(_))).unwrap().segment;
        let before = (pair.sender.cwnd(), pair.sender.in_flight(), pair.data().len());
        for _ in 0..5 {
            for acknowledgment in [3001, 900_001] {
                let mut unexpected = reply;
                unexpected.acknowledgment = acknowledgment;
                pair.sender.on_segment(pair.now, &unexpected.header, &unexpected.sack);
            }
            assert!(pair.sender.poll_transmit(pair.now).is_none());
        }
        assert_eq!((pair.sender.cwnd(), pair.sender.in_flight(), pair.data().len()), before, "{recovery}");
    }
}
