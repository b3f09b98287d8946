//! The retransmission timer (RFC 6298; Karn's rule), and what a sender does when it expires (RFC 5681, 3.1; RFC 6675,
//! 5.1).

use ackclock_congestion::Signal;
use ackclock_transport::tcp::{BackoffUntil, FastRetransmitBeyond, Recovery, Settings};
use ackclock_units::{Duration, Time};

use crate::common::{ALL, Scene, What, assert_lines, data, ms};

/// Copies of a segment, from one to another.
fn copies(segment: u64, copies: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = What> {
    copies.map(move |copy| What::Data(segment, copy))
}

#[test]
fn the_timeout_doubles_to_its_maximum() {
    for recovery in ALL {
        let pair = Scene::file(recovery, 1).lose(copies(0, 1..=9)).play();
        let seconds: Vec<u64> = pair.data().iter().map(|(at, _)| at / 1000).collect();
        assert_eq!(seconds, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243], "{recovery}: 1, 2, 4, .. 32, 60, 60 s");
        assert_eq!(pair.counters().timeouts, 9);
    }
}

/// Karn: the acknowledgment of a segment sent twice measures nothing, so the timeout stays doubled for the next
/// segment, until one that was sent once is acknowledged.
#[test]
fn back_off_is_kept_until_a_fresh_sample() {
    let lost = copies(0, 1..=2).chain([data(1), data(2), data(7)]);
    let pair = Scene::file(Recovery::NewReno, 8).lose(lost).play();
    assert_lines(
        &pair.moments(0, 99_999),
        "0: 0x
         1000: 0'x
         3000: 0''
         3200: 1x 2x
         7200: 1'
         7400: 2' 3
         7600: 4 5
         7800: 6 7x
         9000: 7'",
    );
    // 4 s for 1; then 3 gave a sample, and 7 had 1 s again from the acknowledgment of 6 on.
}

/// RFC 6298, 5: the back-off lasts until a round-trip time is measured, "which can only happen when new data has been
/// sent and acknowledged", and an acknowledgment of new data is a cumulative one (5.3). The timer sends segment 0 again
/// after 1 s; the acknowledgment measures nothing (Karn) and lets 1 and 2 go. 1 is lost, 2 selectively acknowledged,
/// 1 lost again: the timer, now of 2 s, sends 1 again at 3200 ms, for the third time 4 s after that, and for the fourth
/// another 8 s later.
#[test]
fn a_selective_acknowledgment_does_not_end_the_back_off() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb] {
        let pair = Scene::file(recovery, 3).lose([data(0)]).lose(copies(1, 1..=3)).play();
        assert_lines(
            &pair.moments(0, 99_999),
            "0: 0x
             1000: 0'
             1200: 1x 2
             3200: 1'x
             7200: 1''x
             15200: 1'''",
        );
    }
}

/// Where any sample ends it, as in Linux, the selective acknowledgment of 2 does: 1 is sent again 2 s after the timer's
/// second expiry, and 4 s after the third.
#[test]
fn a_selective_acknowledgment_ends_the_back_off_where_any_sample_does() {
    for recovery in [Recovery::Sack, Recovery::Prr, Recovery::PrrCrb] {
        let scene = Scene::file(recovery, 3).set(|settings| {
            settings.rto.backoff_until = BackoffUntil::AnySample;
        });
        let pair = scene.lose([data(0)]).lose(copies(1, 1..=3)).play();
        assert_lines(&pair.moments(1200, 99_999), "1200: 1x 2\n 3200: 1'x\n 5200: 1''x\n 9200: 1'''");
    }
}

/// RFC 7323, 4: a timestamp tells which copy was acknowledged, so a sample can be had, and the back-off ends.
#[test]
fn timestamps_end_the_back_off() {
    let scene = |timestamps| {
        let scene = Scene::file(Recovery::NewReno, 3).set(|settings| settings.timestamps = timestamps);
        scene.lose(copies(0, 1..=2).chain([data(1), data(2)])).play()
    };
    assert_lines(&scene(false).moments(3200, 7200), "3200: 1x 2x\n 7200: 1'");
    assert_lines(&scene(true).moments(3200, 7200), "3200: 1x 2x\n 4200: 1'\n 4400: 2'");
}

/// When the retransmission of segment 1, lost with its successors, goes out; segment 0 took 200 ms there and back.
fn second_timeout(change: impl FnOnce(&mut Settings)) -> u64 {
    let lost = [data(1), data(2)];
    let pair = Scene::file(Recovery::NewReno, 3).set(change).lose(lost).play();
    pair.again()[0].0 - 200
}

/// RFC 6298, 2.2 and 2.4: after one sample R the timeout is R + max(G, 4 R/2), with the clock's ticks, between the
/// minimum and the maximum.
#[test]
fn minimum_maximum_and_ticks_bound_the_timeout() {
    assert_eq!(second_timeout(|settings| settings.rto.min = Duration::ZERO), 600);
    let ticking = |settings: &mut Settings| {
        settings.rto.min = Duration::ZERO;
        settings.rto.granularity = ms(250);
    };
    assert_eq!(second_timeout(ticking), 750, "on the next tick");
    let coarse = |settings: &mut Settings| {
        settings.rto.min = Duration::ZERO;
        settings.rto.granularity = ms(500);
    };
    assert_eq!(second_timeout(coarse), 1000, "200 + 500, on the next tick");
    assert_eq!(second_timeout(|_| {}), 1000);
    assert_eq!(second_timeout(|settings| settings.rto.min = ms(2000)), 2000);
    let short = |settings: &mut Settings| {
        settings.rto.min = ms(10);
        settings.rto.max = ms(500);
    };
    assert_eq!(second_timeout(short), 500);
}

#[test]
fn before_any_sample_the_timeout_is_the_initial_one() {
    let pair =
        Scene::file(Recovery::Sack, 1).set(|settings| settings.rto.initial = ms(2500)).lose([data(0)]).play();
    assert_eq!(pair.again(), [(2500, 0)]);
}

/// With so high a threshold nothing but the timer finds a loss.
fn timer_only(recovery: Recovery, packets: u64) -> Scene {
    Scene::file(recovery, packets).set(|settings| {
        settings.initial_window = 8.0;
        settings.duplicate_threshold = 100;
    })
}

/// RFC 5681 without SACK: everything from the loss on is sent again, in slow start, until an acknowledgment shows
/// what arrived. RFC 6675, 5.1: with SACK only what is missing.
#[test]
fn after_a_timeout_sack_sends_only_what_is_missing() {
    for recovery in ALL {
        let pair = timer_only(recovery, 8).lose([data(0), data(4)]).play();
        let expected = match recovery {
            recovery if recovery.uses_sack() => "0: 0x 1 2 3 4x 5 6 7\n 1000: 0'\n 1200: 4'",
            // Late segments are sent again at the first duplicate, and at the first new acknowledgment after that.
            Recovery::Vegas => continue,
            _ => "0: 0x 1 2 3 4x 5 6 7\n 1000: 0'\n 1200: 4' 5'",
        };
        assert_lines(&pair.moments(0, 9999), expected);
        assert_eq!(pair.signals(), [Signal::Timeout]);
    }
}

/// RFC 5681, 3.1, eq. 4: half of what was in flight, and one packet to begin with; held when the same segment times
/// out again, but not when another does.
#[test]
fn the_threshold_is_halved_once_for_a_segment() {
    for recovery in ALL {
        let mut pair =
            timer_only(recovery, 30).lose((0..8).map(data)).lose(copies(0, 2..=3)).lose([data(8)]).open();
        for (until, repeated) in
            [(1001, vec![false]), (3001, vec![false, true]), (7001, vec![false, true, true])]
        {
            pair.run_until(Time::ZERO + ms(until));
            let episodes = pair.record.episodes();
            assert!(episodes.iter().all(|event| event.signal == Signal::Timeout && event.restart));
            assert_eq!(
                episodes.iter().map(|event| event.repeated).collect::<Vec<_>>(),
                repeated,
                "{recovery}"
            );
            let window = (pair.sender.cwnd(), pair.sender.controller().ssthresh());
            assert!(window == (1.0, 4.0), "{recovery}: {window:?}");
        }
        pair.run_until(Time::MAX);
        let last = *pair.record.episodes().last().unwrap();
        assert!(last.signal != Signal::Timeout || !last.repeated, "{recovery}: {last:?}");
        pair.assert_complete(30);
    }
}

/// The timer is set anew by acknowledgments of new data only (RFC 6298, 5.3), and by its own expiry; not by a fast
/// retransmit. If that is lost, the timer finds it a second after the last new acknowledgment, at 800 ms.
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    for recovery in [Recovery::Tahoe, Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let pair = Scene::file(recovery, 60).lose(copies(14, 1..=2)).play();
        let copies: Vec<u64> =
            pair.again().iter().filter(|(_, number)| *number == 14).map(|(at, _)| *at).collect();
        assert_eq!(copies, [1000, 1800], "{recovery}");
        assert_eq!(pair.signals()[..2], [Signal::Loss, Signal::Timeout], "{recovery}");
        pair.assert_complete(60);
    }
}

/// A retransmission in a restart that is lost again is detected by the timer.
#[test]
fn a_restart_can_fail_as_well() {
    for recovery in ALL {
        let lost = (0..8).map(data).chain([What::Data(3, 2), What::Data(3, 3), What::Data(7, 2)]);
        let pair = timer_only(recovery, 20).lose(lost).play();
        pair.assert_complete(20);
        assert!(pair.counters().timeouts >= 3, "{recovery}");
    }
}

/// Two of ten packets are lost. The retransmission of the first uncovers the second, of which the packets sent meanwhile
/// make three duplicates: a second fast retransmit (RFC 5681), unless the duplicates have to be of more than the first fast
/// retransmit covered (RFC 6582, 3.2, step 2; ns-2's `bugFix_`). Then it takes a timeout.
#[test]
fn one_fast_retransmit_for_a_window_of_data() {
    for (beyond, fast_retransmits, timeouts) in [
        (FastRetransmitBeyond::Nothing, 2, 0),
        (FastRetransmitBeyond::Restart, 2, 0),
        (FastRetransmitBeyond::Recover, 1, 1),
    ] {
        let scene = Scene::file(Recovery::Reno, 60).set(|settings| {
            settings.initial_window = 16.0;
            settings.fast_retransmit_beyond = beyond;
        });
        let pair = scene.lose([data(0), data(6)]).play();
        pair.assert_complete(60);
        let counters = pair.counters();
        assert_eq!(
            (counters.fast_retransmits, counters.timeouts),
            (fast_retransmits, timeouts),
            "{beyond:?}"
        );
    }
}

/// RFC 6675, 6: where the timeout is hardly longer than the round trip, "the RTO timer would expire prematurely" while
/// the retransmission is under way; set anew when that is sent, it does not. The loss is of a round's last segment, so
/// that the duplicates take a round trip.
#[test]
fn a_timer_set_anew_waits_for_the_retransmission() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        let play = |rearm| {
            let scene = Scene::file(recovery, 200).set(|settings| {
                settings.rto.min = Duration::ZERO;
                settings.initial_window = 4.0;
                settings.receive_window = 4_000;
                settings.rearm_at_fast_retransmit = rearm;
            });
            let pair = scene.lose([data(163)]).play();
            pair.assert_complete(200);
            pair.counters()
        };
        assert_eq!((play(false).timeouts, play(false).fast_retransmits), (1, 1), "{recovery}");
        assert_eq!((play(true).timeouts, play(true).retransmissions), (0, 1), "{recovery}");
    }
}
