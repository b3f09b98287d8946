//! One to four losses from one window: Fall and Floyd, *Simulation-based comparisons of Tahoe, Reno and SACK TCP*,
//! ACM CCR 26(3), 1996, sections 4 and 5. There as here, a connection in its first slow start has 15 packets in
//! flight, 14 to 28 (counted from 0), the receiver acknowledges every packet, and there is no limited transmit.
//!
//! A round trip is 200 ms here and every packet of a window arrives at the same moment, so a line of a table is a
//! round trip. The third duplicate arrives at 1000 ms, with a window of 15 and as much in flight: 7.5 remain.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;

use crate::common::{Pair, Scene, assert_lines, data};

/// Loses the first copies of `lost` out of a file of 60 packets.
fn play(recovery: Recovery, lost: &[u64]) -> Pair {
    let pair = Scene::file(recovery, 60).lose(lost.iter().map(|segment| data(*segment))).play();
    pair.assert_complete(60);
    pair
}

/// The segments sent in the round trip of the third duplicate, and in the following ones until `end`.
#[track_caller]
fn assert_recovery(pair: &Pair, end: u64, expected: &str) {
    assert_lines(&pair.moments(1000, end), expected);
}

#[test]
fn slow_start_has_packets_14_to_28_in_flight() {
    let expected = "
           0: 0
         200: 1 2
         400: 3 4 5 6
         600: 7 8 9 10 11 12 13 14x
         800: 15 16 17 18 19 20 21 22 23 24 25 26 27 28";
    assert_lines(&play(Recovery::Reno, &[14]).moments(0, 999), expected);
}

#[test]
fn tahoe_starts_again_from_one_packet() {
    // The one retransmission is acknowledged with everything behind it; then slow start up to 7.5, and one more per
    // round trip.
    let pair = play(Recovery::Tahoe, &[14]);
    assert_recovery(
        &pair,
        1800,
        "1000: 14'
         1200: 29 30
         1400: 31 32 33 34
         1600: 35 36 37 38 39 40 41
         1800: 42 43 44 45 46 47 48 49",
    );
    assert_eq!(pair.signals(), [Signal::Loss]);
}

#[test]
fn tahoe_sends_again_what_it_need_not() {
    // With 28 lost as well the second packet of slow start is just that.
    assert_recovery(&play(Recovery::Tahoe, &[14, 28]), 1200, "1000: 14'\n 1200: 28' 29");
    // Behind 26 Tahoe sends 27 again, which has arrived, and so on: slow start goes over all of the window.
    let three = play(Recovery::Tahoe, &[14, 26, 28]);
    assert_recovery(&three, 1400, "1000: 14'\n 1200: 26' 27'\n 1400: 28' 29 30");
    let four = play(Recovery::Tahoe, &[14, 24, 26, 28]);
    assert_recovery(&four, 1400, "1000: 14'\n 1200: 24' 25'\n 1400: 26' 27' 28'");
    for pair in [three, four] {
        assert_eq!(pair.signals(), [Signal::Loss], "one reduction, no timeout");
    }
}

#[test]
fn reno_recovers_one_loss_within_a_round_trip() {
    // 15 in flight, 7.5 allowed: from the ninth of 14 duplicates on, each lets a new packet go.
    let pair = play(Recovery::Reno, &[14]);
    assert_recovery(
        &pair,
        1400,
        "1000: 14' 29 30 31 32 33 34
         1200: 35 36 37 38 39 40 41 42
         1400: 43 44 45 46 47 48 49 50 51",
    );
    assert_eq!(pair.signals(), [Signal::Loss]);
    assert!(pair.sender.controller().ssthresh() < 7.6);
}

#[test]
fn reno_recovers_two_losses_with_two_fast_retransmits() {
    // 13 duplicates let 29 to 33 go. The acknowledgment of 14 to 27 ends recovery with six packets in flight: one
    // more, 34, fits. The duplicates of 29 to 33 are enough for a second fast retransmit, which halves again.
    let pair = play(Recovery::Reno, &[14, 28]);
    assert_recovery(&pair, 1400, "1000: 14' 29 30 31 32 33\n 1200: 34 28' 35\n 1400: 36 37 38");
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss]);
    assert_eq!(pair.counters().timeouts, 0);
}

#[test]
fn reno_waits_for_the_timer_with_three_losses() {
    // The second fast retransmit, of 26, leaves a window of 3.75 with seven packets in flight. When its
    // acknowledgment comes, at 1400, five are left, and nothing may be sent that could make duplicates for 28: the
    // timer, set anew then, expires a second later.
    let pair = play(Recovery::Reno, &[14, 26, 28]);
    assert_recovery(&pair, 2600, "1000: 14' 29 30 31 32\n 1200: 26'\n 2400: 28'\n 2600: 33 34");
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss, Signal::Timeout]);

    let pair = play(Recovery::Reno, &[14, 24, 26, 28]);
    assert_recovery(&pair, 2600, "1000: 14' 29 30 31\n 1200: 24'\n 2400: 26'\n 2600: 28' 29'");
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss, Signal::Timeout]);
}

#[test]
fn newreno_repairs_one_loss_in_each_round_trip() {
    // Each partial acknowledgment sends the next hole and one new packet, each duplicate one more.
    assert_recovery(
        &play(Recovery::NewReno, &[14, 28]),
        1400,
        "1000: 14' 29 30 31 32 33
         1200: 28' 34 35 36 37 38 39
         1400: 40 41 42 43 44 45 46 47",
    );
    assert_recovery(
        &play(Recovery::NewReno, &[14, 26, 28]),
        1400,
        "1000: 14' 29 30 31 32
         1200: 26' 33 34 35 36 37
         1400: 28' 38 39 40 41 42 43",
    );
    assert_recovery(
        &play(Recovery::NewReno, &[14, 24, 26, 28]),
        1600,
        "1000: 14' 29 30 31
         1200: 24' 32 33 34 35
         1400: 26' 36 37 38 39 40
         1600: 28' 41 42 43 44 45 46",
    );
}

#[test]
fn sack_repairs_several_losses_in_one_round_trip() {
    // Nothing was delivered above 28, and one packet above 26, when recovery began. As 29, 30, .. are acknowledged
    // selectively, three packets above each hole are reached, and new data fills the window meanwhile.
    assert_recovery(
        &play(Recovery::Sack, &[14, 28]),
        1400,
        "1000: 14' 29 30 31 32 33
         1200: 34 35 36 28' 37 38 39
         1400: 40 41 42 43 44 45 46",
    );
    assert_recovery(
        &play(Recovery::Sack, &[14, 26, 28]),
        1200,
        "1000: 14' 29 30 31 32
         1200: 33 34 26' 35 28' 36 37",
    );
    assert_recovery(
        &play(Recovery::Sack, &[14, 24, 26, 28]),
        1200,
        "1000: 14' 29 30 31
         1200: 32 24' 33 26' 34 28' 35",
    );
}

#[test]
fn newreno_and_sack_reduce_once_and_need_no_timer() {
    for recovery in [Recovery::NewReno, Recovery::Sack] {
        for lost in [&[14][..], &[14, 28], &[14, 26, 28], &[14, 24, 26, 28]] {
            let pair = play(recovery, lost);
            assert_eq!(pair.signals(), [Signal::Loss], "{recovery} with {lost:?}");
            assert_eq!(pair.counters().retransmissions, lost.len() as u64, "{recovery} with {lost:?}");
        }
    }
}

/// Without needless retransmissions, what acknowledgments say was delivered is what was sent.
#[test]
fn each_packet_is_delivered_once_to_the_controller() {
    for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
        for lost in [&[14][..], &[14, 28], &[14, 26, 28]] {
            let pair = play(recovery, lost);
            let delivered: f64 = pair.acks().iter().map(|ack| ack.delivered).sum();
            assert!((delivered - 60.0).abs() < 1e-9, "{recovery} with {lost:?}: {delivered}");
            let lost_packets: f64 = pair.acks().iter().map(|ack| ack.lost).sum();
            if pair.counters().timeouts == 0 {
                assert!(
                    (lost_packets - lost.len() as f64).abs() < 1e-9,
                    "{recovery} with {lost:?}: {lost_packets}"
                );
            }
        }
    }
}
