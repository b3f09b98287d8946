//! Control intervals worked out by hand, on a link of 1,000,000 bytes per second with packets of 1000 bytes.

use ackclock_units::Rate;

use super::*;
use crate::Ecn;
use crate::queue::testing::{at, queued};

const RTT: f64 = 0.1;

fn queue() -> XcpQueue {
    let rule = Xcp { initial_interval: Duration::from_millis(100), ..Xcp::default() };
    XcpQueue::new(rule, LinkRate::Bits(Rate::from_bits_per_second(8_000_000)))
}

fn arrive(queue: &mut XcpQueue, now: Time, rtt: f64, spacing: f64) -> QueuedPacket {
    let packet = queued(0, now, Ecn::NotCapable);
    queue.note_header(now, &CongestionHeader { rtt, spacing, delta_throughput: &mut 0.0 });
    let mut discards = Vec::new();
    queue.enqueue(now, packet, BufferSize::Packets(100), &mut discards);
    assert!(discards.is_empty());
    packet
}

/// A packet arrives and departs at once. Returns the feedback that it carries on, of the change that it asked for.
fn pass(queue: &mut XcpQueue, now: Time, rtt: f64, spacing: f64, mut asked: f32) -> f64 {
    arrive(queue, now, rtt, spacing);
    let packet = queue.dequeue(now, &mut Vec::new()).unwrap();
    let mut header = CongestionHeader { rtt, spacing, delta_throughput: &mut asked };
    queue.stamp(&packet, &mut header);
    f64::from(asked)
}

/// The packets of the 100 ms from `start` of two flows that send this many each. Returns the sum of each flow's feedback.
fn interval(queue: &mut XcpQueue, start: u64, packets: [u64; 2]) -> [f64; 2] {
    let mut arrivals: Vec<(u64, usize)> = Vec::new();
    for (flow, count) in packets.into_iter().enumerate() {
        arrivals.extend((0..count).map(|number| (start + number * 100_000 / count, flow)));
    }
    arrivals.sort_unstable();
    let mut sums = [0.0; 2];
    for (micros, flow) in arrivals {
        sums[flow] += pass(queue, at(micros), RTT, RTT / packets[flow] as f64, f32::INFINITY);
    }
    sums
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-3 * expected.abs().max(1.0), "{found}, not {expected}");
}

/// 200 and 500 kB/s on 1000: 40 % of the 300 that are spare, more than a tenth of the traffic, is handed out in equal parts.
#[test]
fn spare_capacity_goes_to_the_flows_in_equal_parts() {
    let mut queue = queue();
    // Nothing is known in the first interval.
    for nothing in interval(&mut queue, 0, [20, 50]) {
        assert_close(nothing, 0.0);
    }
    let [slow, fast] = interval(&mut queue, 100_000, [20, 50]);
    assert_close(slow, 60_000.0);
    assert_close(fast, 60_000.0);
}

/// 300 and 800 kB/s on 1000: the change is 0.4 * -100 = -40 kB/s. Of the traffic 110 - 40 = 70 kB/s are shuffled, so 110 are taken
/// in proportion (30 and 80) and 70 given in equal parts (35 each).
#[test]
fn an_excess_is_taken_in_proportion() {
    let mut queue = queue();
    interval(&mut queue, 0, [30, 80]);
    let [slow, fast] = interval(&mut queue, 100_000, [30, 80]);
    assert_close(slow, 35_000.0 - 30_000.0);
    assert_close(fast, 35_000.0 - 80_000.0);
}

/// At full load without a queue a tenth is shuffled: 20 and 80 kB/s are taken, 50 and 50 given.
#[test]
fn shuffling_leaves_the_sum_as_it_is() {
    let mut queue = queue();
    interval(&mut queue, 0, [20, 80]);
    let [slow, fast] = interval(&mut queue, 100_000, [20, 80]);
    assert_close(slow, 30_000.0);
    assert_close(fast, -30_000.0);
}

/// A queue of 5000 bytes that never drains is to be drained by 0.226 * 5000 / 0.1 = 11.3 kB/s; with the shuffle of 100 - 11.3 the
/// flows lose 20 and 80 kB/s, and get 44.35 each.
#[test]
fn the_persistent_queue_is_drained() {
    let mut queue = queue();
    for _ in 0..5 {
        arrive(&mut queue, at(0), 0.0, 0.0);
    }
    interval(&mut queue, 100_000, [20, 80]);
    interval(&mut queue, 200_000, [20, 80]);
    let [slow, fast] = interval(&mut queue, 300_000, [20, 80]);
    assert_close(slow, 44_350.0 - 20_000.0);
    assert_close(fast, 44_350.0 - 80_000.0);
}

/// The feedback of an interval is handed out once: the packets of a flow that doubles its rate get none in the second half.
#[test]
fn no_more_is_handed_out_than_there_is() {
    let mut queue = queue();
    interval(&mut queue, 0, [20, 50]);
    let mut given = Vec::new();
    for number in 0..70 {
        given.push(pass(&mut queue, at(100_000 + number), RTT, RTT / 20.0, f32::INFINITY));
    }
    assert_close(given.iter().sum(), 120_000.0);
    assert_close(given[0], 3_000.0);
    assert!(given[40..].iter().all(|feedback| *feedback < 1e-3), "{given:?}");
}

/// A router further back on the path allows 1000 B/s where this one has 3000 to give: 1000 it is, and what the packet leaves goes
/// to those behind it.
#[test]
fn the_least_feedback_of_the_path_counts() {
    let mut queue = queue();
    interval(&mut queue, 0, [20, 50]);
    assert_close(pass(&mut queue, at(100_001), RTT, RTT / 20.0, 1_000.0), 1_000.0);
    assert_close(queue.feedback.increase, 119_000.0);
    assert_close(pass(&mut queue, at(100_002), RTT, RTT / 20.0, -500.0), -500.0);
    assert_close(queue.feedback.increase, 119_500.0);
}

/// The first packet of a flow has no round-trip time: it is granted nothing, and only its bytes count.
#[test]
fn a_flow_without_a_round_trip_time_is_granted_nothing() {
    let mut queue = queue();
    interval(&mut queue, 0, [20, 50]);
    assert!(pass(&mut queue, at(100_001), 0.0, 0.0, f32::INFINITY).abs() <= 0.0);
    assert_close(queue.arrivals.bytes, 1_000.0);
    assert!(queue.arrivals.spacing <= 0.0);
}

/// A queue without packets for a day looks as one that has just begun, and its timers expire at the times at which they would have.
#[test]
fn an_idle_queue_is_at_rest() {
    let mut queue = queue();
    interval(&mut queue, 0, [20, 50]);
    queue.advance(at(86_400_000_000));
    assert_eq!((queue.control_at, queue.interval), (at(86_400_100_000), Duration::from_millis(100)));
    assert_eq!(queue.queue_at, at(86_400_050_000));
    assert!(queue.feedback.increase <= 0.0 && queue.persistent <= 0.0);
}

/// Intervals of microseconds with silences of seconds, an empty queue and a full one: the timers' expiries one by one lead to the same
/// state as those that are passed over together, of which there are few.
#[test]
fn expiries_that_change_nothing_are_passed_over() {
    let micros = Duration::from_micros;
    for (allowed, least, initial) in [(1, 6693, 1), (1, 2, 5), (3, 1, 50), (70, 1000, 100_000)] {
        let rule = Xcp {
            allowed_queue: micros(allowed),
            min_interval: micros(least),
            initial_interval: micros(initial),
            ..Xcp::default()
        };
        let mut queue = XcpQueue::new(rule, LinkRate::Bits(Rate::from_bits_per_second(8_000_000)));
        let mut random = crate::RandomStream::new(1, "xcp");
        let mut now = 0;
        for _ in 0..300 {
            let mut one_by_one = queue.clone();
            now += [1, 20, 500, 20_000][(random.bits() % 4) as usize] * (random.bits() % 7);
            while one_by_one.control_at.min(one_by_one.queue_at) <= at(now) {
                if one_by_one.control_at <= one_by_one.queue_at {
                    one_by_one.control();
                } else {
                    one_by_one.estimate_queue();
                }
            }
            queue.advance(at(now));
            assert_eq!(format!("{queue:?}"), format!("{one_by_one:?}"), "at {now} us");
            match random.bits() % 3 {
                0 => drop(queue.dequeue(at(now), &mut Vec::new())),
                1 if queue.waiting.bytes() < 90_000 => drop(arrive(&mut queue, at(now), RTT, RTT / 20.0)),
                _ => {}
            }
        }
        arrive(&mut queue, at(now), RTT, RTT / 20.0);
        queue.advance(at(now + 86_400_000_000));
        assert!(queue.queue_at > at(now + 86_400_000_000), "a day passes at once");
    }
}
