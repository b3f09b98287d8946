//! Circuit breakers (RFC 8084): what triggers one, and what it then removes. Bursts come at the beginnings of intervals of 10 ms, and
//! the link takes four packets of a burst.

use ackclock_network::{Arrival, BufferSize, DropReason, LinkConfig, LossModel, PathConfig};
use ackclock_units::{Duration, Time};

use crate::common::{Log, Numbered, at, byte_per_microsecond, delivered, impairments, packet, run, single};

const INTERVAL_US: u64 = 10_000;

fn behind(breaker: &str) -> LinkConfig {
    let path = PathConfig { impairments: impairments(&[breaker]), ..PathConfig::default() };
    byte_per_microsecond(Duration::ZERO).with_buffer(BufferSize::Packets(3)).with_path(path)
}

/// Bursts of this many packets of a flow, each numbered by its interval.
fn bursts(flow: u32, sizes: &[usize]) -> Vec<(Time, Numbered)> {
    let (_, route) = single(behind("overtaking"), 1);
    let burst = |(interval, size): (usize, &usize)| {
        let one = Numbered { flow, ..packet(route, 1000, interval as u32) };
        vec![(at(interval as u64 * INTERVAL_US), one); *size]
    };
    sizes.iter().enumerate().flat_map(burst).collect()
}

/// The number of packets delivered of each burst.
fn passed(link: LinkConfig, sizes: &[usize]) -> Vec<usize> {
    let (mut network, _) = single(link, 1);
    let log = run(&mut network, &bursts(0, sizes));
    let delivered = delivered(&log);
    (0..sizes.len() as u32)
        .map(|burst| delivered.iter().filter(|(_, number)| *number == burst).count())
        .collect()
}

const HALF: &str = "circuit-breaker(loss=0.5,interval=0.01)";

/// RFC 8084, 3.1 (5) and 4 (10): three successive intervals above the threshold, and the traffic is disabled for good.
#[test]
fn three_intervals_of_excessive_loss_disable_a_flow() {
    assert_eq!(passed(behind(HALF), &[9, 9, 9, 9, 1, 1]), [4, 4, 4, 0, 0, 0]);
}

/// RFC 8084, 4 (6) and (9): neither a loss at the threshold nor an interval without excess among others triggers it.
#[test]
fn light_or_intermittent_congestion_does_not_trigger() {
    assert_eq!(passed(behind(HALF), &[8; 7]), [4; 7], "half is not above half");
    assert_eq!(passed(behind(HALF), &[9, 9, 8, 9, 9, 8, 9]), [4; 7]);
    assert_eq!(
        passed(behind(HALF), &[9, 9, 0, 9, 9, 0, 9]),
        [4, 4, 0, 4, 4, 0, 4],
        "silence is no congestion"
    );
    assert_eq!(
        passed(behind(HALF), &[9, 9, 8, 9, 9, 9, 1]),
        [4, 4, 4, 4, 4, 4, 0],
        "three after one without"
    );
}

/// RFC 8084, 4 (13): a reset comes after the triggering interval at the earliest, and congestion that goes on triggers again.
#[test]
fn a_reset_lets_the_flow_pass_and_watches_it() {
    let link = behind("circuit-breaker(loss=0.5,interval=0.01,reset=0.03)");
    assert_eq!(passed(link, &[9, 9, 9, 9, 9, 9, 9, 9, 9, 9]), [4, 4, 4, 0, 0, 0, 4, 4, 4, 0]);
}

fn reasons(log: &Log, flow: u32) -> Vec<DropReason> {
    let reason = |(_, arrival): &(Time, Arrival<u32, ()>)| match arrival {
        Arrival::Dropped { reason, packet, .. } if packet.flow == flow => Some(*reason),
        _ => None,
    };
    log.iter().filter_map(reason).collect()
}

/// A flow that loses nothing passes next to one that is removed, unless both are one aggregate.
#[test]
fn flows_are_removed_apart_or_together() {
    for (together, passed) in [("", 6), (",aggregate=1", 3)] {
        let link = behind(&format!("circuit-breaker(loss=0.5,interval=0.01{together})"));
        let mut traffic = bursts(0, &[12, 12, 12, 12, 12, 12]);
        // A packet of the other flow when the queue is empty again.
        traffic.extend(
            bursts(1, &[1; 6])
                .into_iter()
                .map(|(time, packet)| (time + Duration::from_micros(6_000), packet)),
        );
        traffic.sort_by_key(|(time, _)| *time);
        let (mut network, _) = single(link, 1);
        let log = run(&mut network, &traffic);
        let other = |(_, arrival): &&(Time, Arrival<u32, ()>)| matches!(arrival, Arrival::Delivered(packet, _) if packet.flow == 1);
        assert_eq!(log.iter().filter(other).count(), passed, "{together}");
    }
}

/// Losses on the wire count as those of the queue do: the meter at the end of the link misses both.
#[test]
fn losses_on_the_wire_count() {
    let link = behind(HALF).with_loss(LossModel::Bernoulli(1.0));
    let (mut network, _) = single(link, 1);
    let log = run(&mut network, &bursts(0, &[2; 5]));
    assert_eq!(reasons(&log, 0), [DropReason::Loss; 6]);
    assert_eq!(network.conservation().dropped_queue, 4, "the fourth and fifth burst");
}
