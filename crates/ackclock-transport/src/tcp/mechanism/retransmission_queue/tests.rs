use ackclock_units::{Duration, Time};
use proptest::prelude::*;

use super::late::Late;
use super::*;

const MSS: u64 = 100;

fn flight(count: u64) -> RetransmissionQueue {
    let mut flight = RetransmissionQueue::new(0, MSS as u16).with_samples().by_clock();
    for i in 1..=count {
        flight.push(i * MSS, &TxRecord::default());
    }
    flight
}

fn sack(flight: &mut RetransmissionQueue, segments: std::ops::Range<u64>) {
    flight.select(segments.start * MSS, segments.end * MSS, |_, _| {});
}

/// Declares lost what the scoreboard says is lost; how many segments that were.
fn declare(flight: &mut RetransmissionQueue) -> u32 {
    let before = flight.lost;
    flight.declare_lost_below(flight.lost_below(3));
    flight.lost - before
}

#[test]
fn three_segments_above_a_hole_declare_it_lost() {
    let mut flight = flight(10);
    sack(&mut flight, 1..3);
    assert_eq!(declare(&mut flight), 0, "two segments above are not more than (3 - 1) * SMSS");
    sack(&mut flight, 3..4);
    assert_eq!(declare(&mut flight), 1);
    assert_eq!(flight.pipe(), 10 - 3 - 1);
    assert_eq!(flight.resend_lost(&TxRecord::default()), Some((0, MSS)));
    assert_eq!(flight.pipe(), 7, "the retransmission is in the network");
    assert_eq!(flight.resend_lost(&TxRecord::default()), None);
}

/// RFC 2018, 4: a block reports data that was received. A segment has arrived where all of it has.
#[test]
fn a_block_over_a_part_of_a_segment_does_not_report_it() {
    let mut flight = flight(4);
    let mut ends = Vec::new();
    assert!(!flight.select(MSS + 50, 3 * MSS + 1, |sent, _| ends.push(sent.end)));
    assert_eq!(ends, [3 * MSS]);
    assert!(flight.select(MSS, 3 * MSS, |sent, _| ends.push(sent.end)));
    assert_eq!(ends, [3 * MSS, 2 * MSS], "the whole of it, of which a part was reported before");
    assert!(!flight.select(3 * MSS + 1, 4 * MSS, |_, _| unreachable!()));
    assert_eq!(flight.pipe(), 2);
}

#[test]
fn three_blocks_above_a_hole_declare_it_lost() {
    let mut flight = flight(12);
    sack(&mut flight, 2..3);
    sack(&mut flight, 5..6);
    sack(&mut flight, 8..9);
    assert_eq!(declare(&mut flight), 2, "segments 0 and 1 lie below three blocks; 3, 4 below two");
}

#[test]
fn a_fin_is_no_byte_above_a_hole() {
    let mut flight = flight(4);
    flight.push(5 * MSS + 1, &TxRecord::default());
    flight.select(3 * MSS, 5 * MSS + 1, |_, _| {});
    assert_eq!(flight.lost_below(3), 0, "two segments, the second with the FIN");
    sack(&mut flight, 2..3);
    assert_eq!(flight.lost_below(3), 2 * MSS);
}

#[test]
fn a_rescue_does_not_hide_losses_before_it() {
    let mut flight = flight(10);
    sack(&mut flight, 1..2);
    assert_eq!(flight.resend_last(20 * MSS, &TxRecord::default()), Some((9 * MSS, 10 * MSS)));
    sack(&mut flight, 5..9);
    assert_eq!(declare(&mut flight), 4);
    assert_eq!(flight.resend_lost(&TxRecord::default()), Some((0, MSS)));
    assert_eq!(flight.resend_lost(&TxRecord::default()), Some((2 * MSS, 3 * MSS)));
}

#[test]
fn of_two_copies_the_evidence_is_against_the_first() {
    let mut flight = flight(10);
    sack(&mut flight, 1..2);
    assert_eq!(flight.resend_unsacked(&TxRecord::default()), Some((0, MSS)));
    assert_eq!(flight.pipe(), 10, "two of segment 0, none of 1");
    sack(&mut flight, 2..5);
    assert_eq!(declare(&mut flight), 0);
    assert_eq!(
        (flight.pipe(), flight.has_lost()),
        (6, false),
        "one copy is left, and need not be sent again"
    );
}

#[test]
fn what_was_sent_again_is_not_lost_by_the_old_evidence() {
    let mut flight = flight(10);
    sack(&mut flight, 1..4);
    assert_eq!(declare(&mut flight), 1);
    flight.resend_lost(&TxRecord::default());
    sack(&mut flight, 5..9);
    assert_eq!(declare(&mut flight), 1, "the hole at 4, and not the retransmission of 0");
    assert_eq!(flight.resend_lost(&TxRecord::default()), Some((4 * MSS, 5 * MSS)));
    flight.forget_losses();
    assert_eq!(declare(&mut flight), 0, "nor after an undo");
}

#[test]
fn a_timeout_declares_all_but_the_sacked_lost() {
    let mut flight = flight(5);
    sack(&mut flight, 2..4);
    flight.declare_all_lost();
    assert_eq!(flight.pipe(), 0);
    let mut resent = Vec::new();
    while let Some((start, _)) = flight.resend_lost(&TxRecord::default()) {
        resent.push(start / MSS);
    }
    assert_eq!(resent, [0, 1, 4]);
}

proptest! {
    /// The pipe kept up to date is the pipe recounted by RFC 6675's definition.
    #[test]
    fn the_pipe_is_what_a_recount_gives(operations in prop::collection::vec((0_u8..11, 0_u64..20, 1_u64..6), 1..60)) {
        let mut flight = flight(20);
        for (operation, from, length) in operations {
            let from = from.max(flight.una() / MSS).min(19);
            match operation {
                0 => flight.acknowledge(from * MSS, |_, _| {}),
                1 | 2 => sack(&mut flight, from..(from + length).min(20)),
                3 => drop(declare(&mut flight)),
                4 => flight.declare_head_lost(),
                5 | 6 => drop(flight.resend_lost(&TxRecord::default())),
                7 => drop(flight.resend_unsacked(&TxRecord::default())),
                8 => drop(flight.resend_last(20 * MSS, &TxRecord::default())),
                9 => flight.forget_losses(),
                _ => flight.declare_all_lost(),
            }
            let recount: u32 = flight.segments.iter().map(|sent| sent.copies()).sum();
            prop_assert_eq!(flight.pipe(), recount);
            let lost = flight.segments.iter().filter(|sent| sent.has(LOST)).count();
            prop_assert_eq!(flight.lost as usize, lost);
            if flight.has_lost() {
                prop_assert!(flight.clone().resend_lost(&TxRecord::default()).is_some(), "a lost segment can be found");
            }
        }
    }
}

/// Timeout after timeout, each of which sends the first segment again: a window is walked once, not once per timeout.
#[test]
fn timeouts_do_not_walk_the_window() {
    let steps_of = |window: u64| {
        let mut flight = flight(window);
        sack(&mut flight, window / 2..window - 1);
        flight.declare_all_lost();
        let before = step_count::steps();
        for _ in 0..100 {
            assert_eq!(flight.resend_lost(&TxRecord::default()), Some((0, MSS)));
            flight.declare_all_lost();
            assert_eq!(flight.pipe(), 0);
        }
        step_count::steps() - before
    };
    assert_eq!((steps_of(1000), steps_of(100_000)), (100, 100));
}

/// RFC 8985, 6.3: only old segments are lost at a timeout; however many young ones there are, they are not
/// visited.
#[test]
fn timeouts_by_the_clock_do_not_walk_what_is_young() {
    let at = |millis: u64| Time::ZERO + Duration::from_millis(millis);
    let steps_of = |window: u64| {
        let mut flight = RetransmissionQueue::new(0, MSS as u16).by_clock();
        for i in 1..=window {
            flight.push(i * MSS, &TxRecord::new(at(u64::from(i > 3)), 0, RateState::default()));
        }
        let before = step_count::steps();
        for _ in 0..100 {
            flight.declare_head_lost();
            flight.declare_old_lost(at(100), Duration::from_millis(100));
            assert_eq!(flight.lost, 3, "those sent at 0 ms");
            flight.resend_lost(&TxRecord::new(at(1), 0, RateState::default()));
        }
        step_count::steps() - before
    };
    assert_eq!(steps_of(1000), steps_of(100_000));
}

/// While a hole waits to become late, each acknowledgment covers one segment more above it.
#[test]
fn acknowledgments_above_a_waiting_hole_do_not_walk_what_they_cover() {
    let stamp = |nanos: u64| TxRecord::new(Time::ZERO + Duration::from_nanos(nanos), 0, RateState::default());
    let steps_per_segment = |window: u64| {
        let mut flight = RetransmissionQueue::new(0, MSS as u16).by_clock();
        for i in 1..=window {
            flight.push(i * MSS, &stamp(i));
        }
        let before = step_count::steps();
        for i in 1..window {
            sack(&mut flight, i..i + 1);
            let newest = (stamp(i + 1).sent_at(), (i + 1) * MSS);
            let late = flight.declare_late_lost(newest, newest.0, Duration::from_secs(1));
            assert_eq!(late.latest_waiting, Some(stamp(1).sent_at()));
        }
        (step_count::steps() - before) as f64 / window as f64
    };
    let (small, large) = (steps_per_segment(1000), steps_per_segment(10_000));
    assert!(large < 1.5 * small && large < 50.0, "{small} steps per segment become {large}");
}

/// The record of a packet that is sent at this time.
fn at(millis: u64) -> TxRecord {
    TxRecord::new(Time::ZERO + Duration::from_millis(millis), 0, RateState::default())
}

/// Four segments sent at 1 ms and lost, of which the first three were sent again at 11, 12 and 13 ms, and the last, at 14 ms, arrived.
fn three_sent_again() -> (RetransmissionQueue, SentKey) {
    let mut flight = RetransmissionQueue::new(0, MSS as u16).with_samples().by_clock();
    for i in 1..=4 {
        flight.push(i * MSS, &at(1));
    }
    flight.declare_old_lost(Time::ZERO + Duration::from_millis(10), Duration::from_millis(5));
    for i in 0..4 {
        assert_eq!(flight.resend_lost(&at(11 + i)), Some((i * MSS, (i + 1) * MSS)));
    }
    sack(&mut flight, 3..4);
    let newest = (at(14).sent_at(), 4 * MSS);
    (flight, newest)
}

/// Of those sent again that may still be late, the latest decides when the timer looks again (RFC 8985, 6.2, step 5).
#[test]
fn the_latest_of_those_sent_again_is_waited_for() {
    let (mut flight, newest) = three_sent_again();
    let before = step_count::steps();
    let late = flight.declare_late_lost(newest, newest.0, Duration::from_secs(1));
    assert_eq!(late, Late { latest_waiting: Some(at(13).sent_at()), ..Late::default() });
    assert!(step_count::steps() >= before + 3, "each of the three is looked at");
}

/// The copy of the second arrived: the first still waits, and is lost when its time has come.
#[test]
fn one_that_waits_is_not_forgotten_for_one_that_arrived() {
    let (mut flight, newest) = three_sent_again();
    sack(&mut flight, 1..2);
    let wait = Duration::from_millis(20);
    assert!(!flight.declare_late_lost(newest, newest.0, wait).lost);
    assert!(flight.declare_late_lost(newest, at(31).sent_at(), wait).again);
    assert_eq!(ends_of_lost(&flight), [MSS], "11 ms and 20 are 31; the third was sent at 13 ms");
}

/// The late segments by definition, from a scan of every segment: the stamps and states after it, and the result.
fn late_by_definition(
    flight: &RetransmissionQueue,
    newest: SentKey,
    now: Time,
    wait: Duration,
) -> (Vec<u64>, Late) {
    let mut late = Late::default();
    let mut lost = Vec::new();
    for sent in flight.segments.iter().filter(|sent| !sent.has(SACKED | LOST) && (sent.at, sent.end) < newest)
    {
        if sent.at + wait <= now {
            late.lost = true;
            late.again |= sent.is_retransmitted();
            lost.push(sent.end);
        } else {
            late.latest_waiting = late.latest_waiting.max(Some(sent.at));
        }
    }
    (lost, late)
}

proptest! {
    /// However little is looked at, the segments found late are those that are.
    #[test]
    fn what_is_late_is_found(operations in prop::collection::vec((0_u8..9, 0_u64..30, 1_u64..6), 1..80)) {
        let mut flight = RetransmissionQueue::new(0, MSS as u16).with_samples().by_clock();
        let (mut now, mut sent) = (Time::ZERO, 0);
        let mut newest = (Time::ZERO, 0);
        for (operation, from, length) in operations {
            now += Duration::from_millis(length - 1);
            let stamp = TxRecord::new(now, 0, RateState::default());
            let from = from.max(flight.una() / MSS).min(sent);
            match operation {
                0 | 1 => for _ in 0..length {
                    sent += 1;
                    flight.push(sent * MSS, &stamp);
                },
                2 => flight.acknowledge(from * MSS, |sent, _| newest = newest.max((sent.at, sent.end))),
                3 | 4 => {
                    let to = (from + length).min(sent);
                    flight.select(from * MSS, to * MSS, |sent, _| newest = newest.max((sent.at, sent.end)));
                }
                5 => drop(flight.resend_lost(&stamp)),
                6 => drop(flight.resend_tail(&stamp)),
                7 if from == 0 => flight.forget_losses(),
                _ => {
                    let wait = Duration::from_millis(from / 2);
                    let (lost, expected) = late_by_definition(&flight, newest, now, wait);
                    let before: Vec<u64> = ends_of_lost(&flight);
                    prop_assert_eq!(flight.declare_late_lost(newest, now, wait), expected);
                    let found: Vec<u64> = ends_of_lost(&flight).into_iter().filter(|end| !before.contains(end)).collect();
                    prop_assert_eq!(found, lost);
                }
            }
        }
    }
}

fn ends_of_lost(flight: &RetransmissionQueue) -> Vec<u64> {
    flight.segments.iter().filter(|sent| sent.is_lost()).map(|sent| sent.end).collect()
}

/// A queue without samples, as most are.
fn plain(count: u64) -> RetransmissionQueue {
    let mut flight = RetransmissionQueue::new(0, MSS as u16);
    for i in 1..=count {
        flight.push(i * MSS, &TxRecord::default());
    }
    flight
}

proptest! {
    /// One segment more is taken as any other block would be, or left alone, with samples and without. A block that is known
    /// changes nothing.
    #[test]
    fn a_block_of_one_segment_more_is_a_block(blocks in prop::collection::vec((0_u64..20, 1_u64..4), 1..30)) {
        let (mut one, mut sampled, mut any) = (plain(20), flight(20), plain(20));
        for (start, length) in blocks {
            let (from, to) = (start * MSS, (start + length).min(20) * MSS);
            let mut ends = Vec::new();
            let is_known = any.is_selected(from, to);
            any.select(from, to, |sent, _| ends.push(sent.end));
            prop_assert_eq!(is_known, ends.is_empty());
            if let Some(sent) = one.select_next(from, to) {
                prop_assert_eq!(vec![sent.end], ends.clone());
            } else {
                one.select(from, to, |_, _| {});
            }
            if let Some((sent, _)) = sampled.select_next_sampled(from, to) {
                prop_assert_eq!(vec![sent.end], ends);
            } else {
                sampled.select(from, to, |_, _| {});
            }
            prop_assert_eq!((one.pipe, &one.sacked), (any.pipe, &any.sacked));
            prop_assert_eq!((sampled.pipe, &sampled.sacked), (any.pipe, &any.sacked));
        }
    }
}

#[test]
fn room_for_a_thousand_segments_is_given_back_where_few_are_left() {
    let mut flight = flight(1000);
    flight.acknowledge(995 * MSS, |_, _| {});
    let before = flight.segments.capacity();
    flight.tighten();
    assert!(flight.segments.capacity() * 20 < before, "{} of {before}", flight.segments.capacity());
    assert_eq!(flight.outstanding(), 5);
    assert_eq!(flight.segments.back().map(|sent| sent.end), Some(1000 * MSS));
    let tight = flight.segments.capacity();
    flight.tighten();
    assert_eq!(flight.segments.capacity(), tight, "there is nothing more to give");
}
