//! The mean waiting time: over the packets that left the queue within the measured time, by every discipline alike.

use crate::common::{at, byte_per_microsecond, packet, single};
use ackclock_network::{BufferSize, EventList, Graph, LinkConfig, LinkId, LinkStats, Network, Queue, Sfq};
use ackclock_units::{Duration, Rate, Time};

const LINK: fn() -> LinkId = || LinkId::new(0);

/// Four packets of 100 us arrive at once; statistics from one instant to another.
fn four_at_once(queue: Queue, from: Time, to: Time) -> LinkStats {
    let config = byte_per_microsecond(Duration::ZERO).with_buffer(BufferSize::Packets(10)).with_queue(queue);
    let (mut network, route) = single(config, 1);
    let mut events = EventList::new();
    for number in 0..4 {
        let _ = network.send(at(0), &packet(route, 100, number), &mut events);
    }
    run_until(&mut network, &mut events, from);
    network.measure_from(from);
    run_until(&mut network, &mut events, to);
    network.link_stats(LINK(), to)
}

fn run_until(network: &mut Network<u32>, events: &mut EventList, end: Time) {
    while let Some(event) = events.pop_until(end) {
        let _ = network.arrive(LinkId::new(event.target), event.time, events);
    }
}

/// Their transmissions begin at 0, 100, 200 and 300 us, and each has waited for so long.
#[test]
fn packets_that_still_wait_do_not_count() {
    let one_bucket = Queue::Sfq(Sfq { buckets: 1, depth: None, perturbation: None });
    for queue in [Queue::default(), one_bucket] {
        let mean = |from, to| four_at_once(queue.clone(), at(from), at(to)).mean_queueing_delay_secs() * 1e6;
        for (from, to, expected) in [
            (0, 50, 0.0),    // none after the first, which the measurement did not see
            (0, 150, 100.0), // the second
            (0, 450, 200.0), // 100, 200 and 300
            (50, 150, 100.0),
            (50, 250, 150.0), // 100 and 200, each in full
            (150, 180, 0.0),  // none
            (250, 450, 300.0),
        ] {
            assert!(
                (mean(from, to) - expected).abs() < 1e-9,
                "{queue:?} from {from} to {to}: {}",
                mean(from, to)
            );
        }
    }
}

/// A packet that cuts through waits on the first link only, where its wait is known although it is booked on the last.
#[test]
fn a_packet_that_will_cut_through_waits_where_it_is() {
    let mut graph = Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    let first = graph.add_link(a, b, byte_per_microsecond(Duration::from_micros(10))).unwrap();
    let second = graph.add_link(b, c, byte_per_microsecond(Duration::from_micros(10))).unwrap();
    let mut network: Network<u32> = Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    network.enable_cut_through(|_| false);
    let mut events = EventList::new();
    for number in 0..3 {
        let _ = network.send(at(0), &packet(route, 100, number), &mut events);
    }
    network.catch_up(at(150), &mut events);
    let mean = |link| network.link_stats(link, at(150)).mean_queueing_delay_secs() * 1e6;
    assert!((mean(first) - 50.0).abs() < 1e-9, "0 and 100, and the third still waits: {}", mean(first));
    assert_eq!(mean(second).to_bits(), 0);
}

/// The sum of waiting times exceeds 64 bits of nanoseconds: 40 packets of 4.3 years each.
#[test]
fn the_sum_of_waiting_times_does_not_wrap() {
    const SIZE: u32 = 16_777_215;
    let transmission = u64::from(SIZE) * 8;
    let one_bucket = Queue::Sfq(Sfq { buckets: 1, depth: None, perturbation: None });
    for queue in [Queue::default(), one_bucket] {
        let config = LinkConfig::new(Rate::from_bits_per_second(1), Duration::ZERO).with_queue(queue.clone());
        let (mut network, route) = single(config, 1);
        let mut events = EventList::new();
        for number in 0..40 {
            let _ = network.send(at(0), &packet(route, SIZE, number), &mut events);
        }
        let end = Time::ZERO + Duration::from_secs(40 * transmission);
        run_until(&mut network, &mut events, end);
        let stats = network.link_stats(LINK(), end);
        let expected = 19.5 * transmission as f64;
        assert!((stats.mean_queueing_delay_secs() / expected - 1.0).abs() < 1e-9, "{queue:?}: {stats:?}");
        assert!((stats.mean_queue_packets() / 19.5 - 1.0).abs() < 1e-9, "{queue:?}: {stats:?}");
    }
}
