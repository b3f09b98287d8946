use ackclock_transport::tfrc::LossIntervals;
use ackclock_units::{Duration, Time};

use super::path::RTT;

/// Loss events so far apart in time that each is one of its own, `lengths` packets one after the other; the first
/// interval is the seed. Returns the intervals and the last event's packet.
fn closed(floor: Option<f64>, lengths: &[u64]) -> (LossIntervals, u64) {
    let mut intervals = LossIntervals::new(8, floor);
    let (mut sequence, mut at) = (1000, Time::ZERO);
    assert!(intervals.lose(sequence, at, RTT));
    intervals.seed(lengths[0] as f64);
    for length in &lengths[1..] {
        sequence += length;
        at += RTT * 2;
        assert!(intervals.lose(sequence, at, RTT));
    }
    (intervals, sequence)
}

fn mean(intervals: &LossIntervals, highest: u64) -> f64 {
    1.0 / intervals.loss_event_rate(highest)
}

#[test]
fn no_loss_is_a_rate_of_zero() {
    assert!(LossIntervals::new(8, None).loss_event_rate(1_000_000) <= 0.0);
}

#[test]
fn equal_intervals_average_to_themselves() {
    for count in [1, 2, 5, 8, 20] {
        let (intervals, last) = closed(None, &vec![250; count]);
        assert!((mean(&intervals, last) - 250.0).abs() < 1e-9, "with {count} intervals");
    }
}

#[test]
fn the_weights_are_those_printed_in_section_5_4() {
    let printed = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
    for (age, weight) in printed.iter().enumerate() {
        let mut lengths = vec![100; 12];
        lengths[11 - age] = 160;
        let (intervals, last) = closed(None, &lengths);
        // They sum to 6, so 60 packets more in one interval move the mean by ten of its weights.
        let moved = mean(&intervals, last) - 100.0;
        assert!((moved - 10.0 * weight).abs() < 1e-9, "age {age} moves the mean by {moved}");
    }
    let mut lengths = vec![100; 12];
    lengths[11 - 8] = 160;
    let (intervals, last) = closed(None, &lengths);
    assert!((mean(&intervals, last) - 100.0).abs() < 1e-9, "the ninth is forgotten");
}

#[test]
fn the_open_interval_counts_once_it_lowers_the_rate() {
    let (intervals, last) = closed(None, &[100; 8]);
    for open in [1, 50, 100] {
        assert!((mean(&intervals, last + open - 1) - 100.0).abs() < 1e-9, "{open} packets after the loss");
    }
    // It takes the first weight of six, and pushes out the oldest interval.
    assert!((mean(&intervals, last + 700 - 1) - 200.0).abs() < 1e-9);
}

#[test]
fn losses_within_a_round_trip_are_one_event() {
    let mut intervals = LossIntervals::new(8, None);
    let at = Time::ZERO + Duration::from_secs(1);
    assert!(intervals.lose(10, at, RTT));
    intervals.seed(50.0);
    assert!(!intervals.lose(12, at + Duration::from_millis(60), RTT));
    assert!(!intervals.lose(20, at + RTT, RTT), "just a round-trip time later");
    assert!(intervals.lose(21, at + RTT + Duration::from_nanos(1), RTT));
    // The event began with packet 10: an interval of 11 after the seed of 50.
    assert!((mean(&intervals, 21) - 30.5).abs() < 1e-9);
}

#[test]
fn a_long_quiet_time_discounts_the_past() {
    let weight_of_open = |floor, open: u64| {
        let (intervals, last) = closed(floor, &[100; 12]);
        (mean(&intervals, last + open - 1) - 100.0) / (open as f64 - 100.0)
    };
    let sixth = 1.0 / 6.0;
    assert!((weight_of_open(Some(0.25), 200) - sixth).abs() < 1e-9, "not before twice the mean");
    assert!((weight_of_open(None, 1000) - sixth).abs() < 1e-9, "nor without discounting");
    // The other five sixths count half when the open interval is four times the mean, and never less than the floor.
    assert!((weight_of_open(Some(0.25), 400) - 1.0 / 3.5).abs() < 1e-9);
    assert!((weight_of_open(Some(0.5), 10_000) - 1.0 / 3.5).abs() < 1e-9);
    assert!((weight_of_open(Some(0.3), 10_000) - 0.4).abs() < 1e-9);
}

#[test]
fn a_discount_outlives_the_quiet_time_that_earned_it() {
    // A loss ends 1000 quiet packets after intervals of 100. Whoever discounts remembers the quiet time more.
    let after = |floor| {
        let (intervals, last) = closed(floor, &[100, 100, 100, 100, 100, 100, 100, 100, 1000]);
        mean(&intervals, last)
    };
    assert!((after(None) - 250.0).abs() < 1e-9);
    // A quarter is left of the other five: (1000 + 5 / 4 * 100) / (1 + 5 / 4).
    assert!((after(Some(0.25)) - 500.0).abs() < 1e-9, "{}", after(Some(0.25)));
}
