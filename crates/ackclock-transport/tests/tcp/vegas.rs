//! Vegas' three rules of retransmission (tcp-variants, 2.3.1; Brakmo and Peterson, IEEE JSAC 13(8), 1995, section
//! III.A). A packet leaves every 10 ms and takes 200 ms there and back, so after some samples a packet is late when
//! it has not been acknowledged after a little more than that.

use ackclock_congestion::Signal;
use ackclock_transport::tcp::Recovery;
use ackclock_units::Time;

use crate::common::{Pair, Scene, What, data, ms};
use crate::fixed::Fixed;

/// The lost packets among 150, sent at 100 packets per second.
fn play(recovery: Recovery, lost: &[What]) -> Pair {
    let pair =
        Scene::file(recovery, 150).controller(Fixed::paced(40.0, 100.0)).lose(lost.iter().copied()).play();
    pair.assert_complete(150);
    pair
}

/// Packet 50 leaves at 500 ms, 51 at 510 ms. Its acknowledgment at 710 ms is the first duplicate, and 50 is 210 ms
/// old: late. Reno waits for the third.
#[test]
fn the_first_duplicate_sends_a_late_packet_again() {
    assert_eq!(play(Recovery::Reno, &[data(50)]).again(), [(730, 50)]);
    let pair = play(Recovery::Vegas, &[data(50)]);
    assert_eq!(pair.again(), [(710, 50)]);
    assert_eq!(pair.signals(), [Signal::Loss]);
}

/// While the round-trip time is known only roughly nothing is late, and three duplicates are needed as ever.
#[test]
fn the_third_duplicate_counts_if_nothing_is_late() {
    assert_eq!(play(Recovery::Vegas, &[data(2)]).again(), [(250, 2)]);
}

/// A packet as old as the round-trip time is not late: its acknowledgment may come with the next.
#[test]
fn a_packet_of_the_same_burst_is_not_late() {
    let burst =
        |lost| Scene::file(Recovery::Vegas, 200).controller(Fixed::window(20.0)).lose([data(lost)]).play();
    let pair = burst(100);
    let duplicates = pair.log.iter().filter(|entry| matches!(entry.what, What::Ack(_)));
    let duplicates = duplicates.filter(|entry| entry.segment.acknowledgment == 100_001).count() - 1;
    assert_eq!(pair.again().len(), 1);
    // At the moment of the retransmission three duplicates had come, of all that did.
    assert!(duplicates > 3 && pair.counters().fast_retransmits == 1);
}

/// Of two neighbours the second is found at the first new acknowledgment after the retransmission: no duplicate
/// could tell, since none would come for it before 51 is asked for.
#[test]
fn new_acknowledgments_after_a_retransmission_check_again() {
    let pair = play(Recovery::Vegas, &[data(50), data(51)]);
    assert_eq!(pair.again(), [(720, 50), (920, 51)]);
    let pair = play(Recovery::Vegas, &[data(50), data(51), data(52)]);
    assert_eq!(pair.again(), [(730, 50), (930, 51), (1130, 52)]);
}

/// "The congestion window is reduced only for the first fast retransmission" of a window, but again for a packet that
/// was sent after the reduction.
#[test]
fn losses_of_one_window_reduce_it_once() {
    let pair = play(Recovery::Vegas, &[data(50), data(51), data(52)]);
    assert_eq!(pair.signals(), [Signal::Loss]);
    let pair = play(Recovery::Vegas, &[data(50), data(51), data(90)]);
    assert_eq!(pair.signals(), [Signal::Loss, Signal::Loss]);
    assert_eq!(pair.counters().timeouts, 0);
}

/// The retransmission itself can be late: Vegas finds it lost where the others need the timer.
#[test]
fn a_lost_retransmission_is_found_by_its_lateness() {
    let pair = play(Recovery::Vegas, &[data(50), What::Data(50, 2)]);
    let again = pair.again();
    assert_eq!(again[0], (710, 50));
    assert!(again[1].1 == 50 && (911..930).contains(&again[1].0), "{again:?}");
    assert_eq!(pair.counters().timeouts, 0);
}

/// The very first window counts like any other.
#[test]
fn a_loss_at_the_beginning_of_time_reduces_the_window() {
    let pair = Scene::file(Recovery::Vegas, 40)
        .set(|settings| settings.initial_window = 10.0)
        .lose([data(0)])
        .play();
    assert_eq!(pair.data()[0], (0, 0));
    assert_eq!(pair.signals(), [Signal::Loss]);
    assert_eq!(pair.record.episodes()[0].now, Time::ZERO + ms(200));
}
