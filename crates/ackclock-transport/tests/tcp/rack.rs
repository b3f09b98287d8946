//! RACK-TLP: the examples and the consequences that RFC 8985 states.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;

use crate::common::{Pair, Scene, What, assert_lines, data, ms};

/// A connection with a handshake, so that a round-trip time is known: 200 ms. Data begins at 200 ms.
fn scene(packets: u64) -> Scene {
    Scene::connection(Recovery::Rack, packets).set(|settings| settings.initial_window = 4.0)
}

fn signals(pair: &Pair) -> Vec<Signal> {
    pair.signals()
}

/// Section 3.4, figure 1. P0 to P3 are sent, and all but P0 lost. Two round-trip times after the acknowledgment of P0
/// the last is sent again as a probe; its acknowledgment shows that P1 and P2 are lost. P1 is lost once more, which
/// that of P2 shows. Three round trips where the timer would take a second for each.
#[test]
fn the_example_of_fast_recovery() {
    let pair = scene(4).lose([data(1), data(2), data(3), What::Data(1, 2)]).play();
    pair.assert_complete(4);
    assert_lines(
        &pair.moments(0, 9999),
        "200: 0 1x 2x 3x
         800: 3'
         1000: 1'x 2'
         1200: 1''",
    );
    assert_eq!(signals(&pair), [Signal::Loss, Signal::Loss], "a lost retransmission is a second indication");
    assert_eq!(pair.counters().timeouts, 0);
}

/// Section 9.3: ten packets with a window of 20, all lost. A probe after two round-trip times, and the other nine in
/// slow start: in six round trips all is repaired, and the window is what the loss left.
#[test]
fn a_window_lost_as_a_whole_needs_no_timeout() {
    let pair = scene(10).set(|settings| settings.initial_window = 20.0).lose((0..10).map(data)).play();
    pair.assert_complete(10);
    assert_eq!(pair.counters().timeouts, 0);
    assert_eq!(signals(&pair), [Signal::Loss]);
    assert_eq!(pair.again()[0], (600, 9), "{}", pair.moments(0, 9999));
    let last = pair.again().last().unwrap().0;
    assert!(last <= 200 + 6 * 200, "{}", pair.moments(0, 9999));
}

/// Section 9.1, example 1: of three packets the first and the last are lost. The second shows the loss of the first, and
/// its retransmission that of the third; three duplicates would never come. Packets leave 10 ms apart.
#[test]
fn losses_at_the_end_of_a_flight_are_found() {
    let pair = scene(3).lose([data(0), data(2)]).play();
    pair.assert_complete(3);
    assert_eq!(pair.counters().timeouts, 0, "{}", pair.moments(0, 9999));
    assert_eq!(pair.again().len(), 2);
}

/// Section 7.4.2: only the last packet is lost, and the probe repairs it: no timeout. It counts as a loss as soon as an
/// acknowledgment of something later shows that it was one.
#[test]
fn a_lost_tail_is_repaired_by_the_probe() {
    let pair = scene(4).lose([data(3)]).play();
    pair.assert_complete(4);
    assert_eq!(pair.again(), [(800, 3)]);
    assert_eq!(pair.counters().timeouts, 0);
    // Under SACK's recovery the timer has to do it, a second after the last acknowledgment.
    let plain = Scene::connection(Recovery::Sack, 4).set(|settings| settings.initial_window = 4.0);
    assert_eq!(plain.lose([data(3)]).play().counters().timeouts, 1);
}

/// Section 7.3: a probe is new data where there is some, beyond the window by one packet.
#[test]
fn a_probe_is_new_data_where_there_is_some() {
    let pair = scene(40).lose((0..4).map(data)).play();
    pair.assert_complete(40);
    assert_eq!(pair.counters().timeouts, 0);
    assert_eq!(pair.data()[4], (600, 4), "{}", pair.moments(0, 2000));
    assert_eq!(pair.again().len(), 4, "{}", pair.moments(0, 2000));
    assert_eq!(signals(&pair), [Signal::Loss]);
}

/// Section 6.2, step 2, with `RACK.min_RTT` of section 5.2. The SYN measures 200 ms; packets 0 and 2 wait 10 ms in a queue,
/// the others of the flight are lost. The timer, a quarter of 200 ms after the acknowledgment of packet 2 at 410 ms, finds
/// packet 1. Its retransmission waits nowhere: it is acknowledged after 200 ms, sooner than any segment before, but not
/// sooner than the path allows. So what arrived is the retransmission, and what was sent before it is lost: no timeout.
#[test]
fn a_retransmission_as_fast_as_the_syn_is_no_earlier_copy() {
    let scene = scene(6).set(|settings| settings.initial_window = 6.0);
    let scene = scene.hold(data(0), ms(10)).hold(data(2), ms(10));
    let pair = scene.lose([data(1), data(3), data(4), data(5)]).play();
    pair.assert_complete(6);
    assert_eq!(pair.counters().timeouts, 0, "{}", pair.moments(0, 9999));
    assert_eq!(pair.again()[..2], [(460, 1), (660, 3)], "{}", pair.moments(0, 9999));
}

/// The probe's failure leaves it to the timer, one second after the probe (section 7.3).
#[test]
fn a_lost_probe_leaves_it_to_the_timer() {
    let pair = scene(4).lose([data(3), What::Data(3, 2)]).play();
    pair.assert_complete(4);
    assert_eq!(pair.again(), [(800, 3), (1800, 3)]);
    assert_eq!(pair.counters().timeouts, 1);
}

/// Section 6.2, step 4: until reordering was seen, three packets above a hole are a loss at once, as under RFC 6675; and
/// fewer are a loss a quarter of the round-trip time later, when the reordering timer expires.
#[test]
fn without_reordering_three_packets_above_are_a_loss() {
    let pair = scene(4).lose([data(0)]).play();
    assert_eq!(pair.again(), [(400, 0)]);
    let pair = scene(3).lose([data(0)]).play();
    assert_eq!(pair.again(), [(450, 0)], "{}", pair.moments(0, 9999));
    assert_eq!(signals(&pair), [Signal::Loss]);
}

/// Section 6.2, step 5: the timer expires a quarter of the round-trip time after the first acknowledgment above the hole, at
/// 450 ms; a timer that is 2 ms late, as Linux's, at 452 ms. Where the third packet above the hole is acknowledged in between,
/// at 451 ms, the acknowledgment finds the loss, and the retransmission takes the place of a packet that has left the network.
#[test]
fn a_late_reordering_timer_leaves_the_loss_to_the_third_duplicate() {
    for (slack, packets, found) in [(0, 3, 450), (2, 3, 452), (0, 4, 450), (2, 4, 451)] {
        let scene = scene(packets).set(|settings| settings.reordering_timer_slack = ms(slack));
        let pair = scene.lose([data(0)]).hold(data(3), ms(51)).play();
        pair.assert_complete(packets);
        assert_eq!(pair.again(), [(found, 0)], "{}", pair.moments(0, 9999));
        assert_eq!(signals(&pair), [Signal::Loss]);
    }
}

/// Reordering within a quarter of the round-trip time is no loss, once some was seen: packets that come 40 ms late are
/// waited for. Under SACK each is taken for lost.
#[test]
fn small_reordering_is_waited_for() {
    for (recovery, spurious) in [(Recovery::Rack, 0), (Recovery::Sack, 3)] {
        let mut scene = Scene::connection(recovery, 300).set(|settings| {
            settings.initial_window = 10.0;
            settings.initial_ssthresh = 10.0;
        });
        // One packet late by so little that only two overtake it: seen, and harmless.
        scene = scene.hold(data(8), ms(40));
        for packet in [102, 152, 202] {
            scene = scene.hold(data(packet), ms(40));
        }
        let pair = scene.play();
        pair.assert_complete(300);
        assert_eq!(pair.again().len(), spurious, "{recovery}");
        assert_eq!(signals(&pair).len(), spurious, "{recovery}");
    }
}

/// A retransmission that is lost is found lost by what was sent after it; SACK's recovery waits for the timer.
#[test]
fn a_lost_retransmission_is_found() {
    let play = |recovery: Recovery| {
        let scene = Scene::connection(recovery, 100).set(|settings| settings.initial_window = 20.0);
        scene.lose([data(10), What::Data(10, 2)]).play()
    };
    let (rack, sack) = (play(Recovery::Rack), play(Recovery::Sack));
    assert_eq!((rack.counters().timeouts, sack.counters().timeouts), (0, 1));
    assert_eq!(rack.again().len(), 2);
}
