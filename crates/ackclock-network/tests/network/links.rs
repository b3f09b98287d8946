//! A link direction by hand, and against a queue that is stepped event by event.

use std::collections::VecDeque;

use crate::common::{at, byte_per_microsecond, delivered, packet, run, single};
use ackclock_network::{
    Arrival, BufferSize, DropReason, EventList, Fate, Graph, LinkConfig, LinkId, LinkStats, Network,
    Occupancy,
};
use ackclock_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

const LINK: fn() -> LinkId = || LinkId::new(0);

#[test]
fn arrival_is_waiting_plus_transmission_plus_propagation() {
    let (mut network, route) = single(byte_per_microsecond(Duration::from_micros(5_000)), 1);
    let traffic = [
        (at(0), packet(route, 1000, 0)),    // 1000 us of transmission
        (at(0), packet(route, 500, 1)),     // waits for it
        (at(1400), packet(route, 1000, 2)), // waits 100 us
        (at(9000), packet(route, 100, 3)),  // finds an idle link
    ];
    let log = run(&mut network, &traffic);
    assert_eq!(delivered(&log), [(at(6000), 0), (at(6500), 1), (at(7500), 2), (at(14_100), 3)]);
}

#[test]
fn a_path_adds_up_link_by_link() {
    let mut graph = Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    let slow = LinkConfig::new(Rate::from_bits_per_second(4_000_000), Duration::from_micros(10));
    graph.add_link(a, b, byte_per_microsecond(Duration::from_micros(20))).unwrap();
    let second = graph.add_link(b, c, slow).unwrap();
    let mut network = Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    assert_eq!(network.empty_path_delay(route, Bytes::new(100)), Duration::from_micros(100 + 20 + 200 + 10));
    assert_eq!(network.propagation_delay(route), Duration::from_micros(20 + 10));

    let log = run(&mut network, &[(at(0), packet(route, 100, 0)), (at(0), packet(route, 100, 1))]);
    assert_eq!(
        delivered(&log),
        [(at(330), 0), (at(530), 1)],
        "the second queues at the slow link for 100 us"
    );
    assert_eq!(log[0], (at(120), Arrival::Forwarded { next: second }));
}

#[test]
fn a_buffer_in_packets_does_not_count_the_one_being_transmitted() {
    let (mut network, route) =
        single(byte_per_microsecond(Duration::ZERO).with_buffer(BufferSize::Packets(2)), 1);
    let mut events = EventList::new();
    let fates = (0..5).map(|number| network.send(at(0), &packet(route, 1000, number), &mut events));
    let dropped = Fate::Dropped { link: LINK(), reason: DropReason::Queue };
    assert_eq!(fates.collect::<Vec<_>>(), [Fate::Queued, Fate::Queued, Fate::Queued, dropped, dropped]);
    assert_eq!(network.queue(LINK(), at(0)), Occupancy { packets: 2, bytes: Bytes::new(2000) });
    // A nanosecond before the first has left there is no room, and when it leaves there is.
    assert_eq!(network.send(Time::from_nanos(999_999), &packet(route, 1000, 5), &mut events), dropped);
    assert_eq!(network.dropped(), packet(route, 1000, 5));
    assert_eq!(network.send(at(1000), &packet(route, 1000, 6), &mut events), Fate::Queued);
}

#[test]
fn a_buffer_in_bytes_is_filled_to_the_last_byte() {
    let buffer = BufferSize::Bytes(Bytes::new(1500));
    let (mut network, route) = single(byte_per_microsecond(Duration::ZERO).with_buffer(buffer), 1);
    let traffic: Vec<_> =
        [9000, 1000, 501, 500, 1].iter().zip(0..).map(|(size, n)| (at(0), packet(route, *size, n))).collect();
    let log = run(&mut network, &traffic);
    let numbers: Vec<_> = delivered(&log).iter().map(|(_, number)| *number).collect();
    assert_eq!(numbers, [0, 1, 3], "the first is on the wire, 501 bytes do not fit beside 1000, 500 do");
}

#[test]
fn without_any_room_packets_still_pass_an_idle_link() {
    let (mut network, route) =
        single(byte_per_microsecond(Duration::ZERO).with_buffer(BufferSize::Packets(0)), 1);
    let traffic = [(at(0), 0), (at(99), 1), (at(100), 2)].map(|(time, n)| (time, packet(route, 100, n)));
    assert_eq!(delivered(&run(&mut network, &traffic)), [(at(100), 0), (at(200), 2)]);
}

#[test]
fn statistics_are_exact_between_any_two_instants() {
    let (mut network, route) = single(byte_per_microsecond(Duration::from_micros(50)), 1);
    let mut events = EventList::new();
    for number in 0..4 {
        let _ = network.send(at(0), &packet(route, 100, number), &mut events);
    }
    // Waiting: 3 until 100 us, 2 until 200, 1 until 300; busy until 400.
    let whole = network.link_stats(LINK(), at(400));
    assert!((whole.mean_queue_packets() - 600.0 / 400.0).abs() < 1e-12);
    assert!((whole.mean_queueing_delay_secs() - 150e-6).abs() < 1e-12, "0, 100, 200 and 300 us");
    assert_eq!((whole.busy, whole.max_queue_packets), (Duration::from_micros(400), 3));
    assert_eq!((whole.offered, whole.admitted, whole.forwarded), (4, 4, 0), "none has been handed over yet");

    let mut fresh = single(byte_per_microsecond(Duration::from_micros(50)), 1).0;
    for number in 0..4 {
        let _ = fresh.send(at(0), &packet(route, 100, number), &mut events);
    }
    fresh.measure_from(at(150));
    let part = fresh.link_stats(LINK(), at(250));
    assert!((part.mean_queue_packets() - 1.5).abs() < 1e-12, "2 for 50 us and 1 for 50 us");
    assert!((part.utilisation() - 1.0).abs() < 1e-12);
    assert_eq!((part.offered, part.max_queue_packets), (0, 2));
    let idle_half = fresh.link_stats(LINK(), at(650));
    assert!((idle_half.utilisation() - 0.5).abs() < 1e-12, "250 us of 500");
}

#[test]
fn nothing_measured_is_nothing_and_not_a_division_by_zero() {
    let stats = LinkStats::default();
    assert_eq!(stats.utilisation().to_bits(), 0);
    assert_eq!(stats.mean_queue_packets().to_bits(), 0);
    assert_eq!(stats.mean_queueing_delay_secs().to_bits(), 0);
}

/// A packet of no bytes takes a nanosecond, the first packet of all too. Both are on the books of the second link before they
/// arrive there.
#[test]
fn a_packet_of_no_bytes_takes_a_nanosecond() {
    let mut graph = Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    graph.add_link(a, b, byte_per_microsecond(Duration::from_micros(10))).unwrap();
    let second = graph.add_link(b, c, byte_per_microsecond(Duration::from_micros(10))).unwrap();
    let mut network: Network<u32> = Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    network.enable_cut_through(|_| false);
    let mut events = EventList::new();
    for (size, number) in [(0, 0), (40, 1)] {
        let _ = network.send(at(0), &packet(route, size, number), &mut events);
    }
    assert_eq!(network.link_stats(second, at(5)).busy, Duration::ZERO, "neither has arrived");
    assert_eq!(network.link_stats(LINK(), at(50)).busy, Duration::from_nanos(40_001));
    assert_eq!(network.link_stats(second, at(200)).busy, Duration::from_nanos(40_001));
}

/// A queue and a transmitter stepped instant by instant: what the link computes ahead, done the long way.
#[derive(Default)]
struct Stepped {
    now: u64,
    queue: VecDeque<u32>,
    /// Size and remaining nanoseconds of the packet being transmitted.
    wire: Option<u64>,
    area: u64,
    busy: u64,
    max: usize,
    departures: Vec<u64>,
}

impl Stepped {
    const NANOS_PER_BYTE: u64 = 1_000;

    fn advance(&mut self, to: u64) {
        while let Some(left) = self.wire {
            let step = left.min(to - self.now);
            self.now += step;
            self.busy += step;
            self.area += step * self.queue.len() as u64;
            if step < left {
                self.wire = Some(left - step);
                return;
            }
            self.departures.push(self.now);
            self.wire = self.queue.pop_front().map(|size| u64::from(size) * Self::NANOS_PER_BYTE);
        }
        self.now = to;
    }

    fn offer(&mut self, size: u32, buffer: BufferSize) -> bool {
        if self.wire.is_none() {
            self.wire = Some(u64::from(size) * Self::NANOS_PER_BYTE);
            return true;
        }
        let waiting: u64 = self.queue.iter().map(|size| u64::from(*size)).sum();
        let fits = match buffer {
            BufferSize::Unlimited => true,
            BufferSize::Packets(packets) => self.queue.len() < packets as usize,
            BufferSize::Bytes(bytes) => waiting + u64::from(size) <= bytes.get(),
            other => panic!("{other:?} has no bound here"),
        };
        if fits {
            self.queue.push_back(size);
            self.max = self.max.max(self.queue.len());
        }
        fits
    }
}

fn buffers() -> impl Strategy<Value = BufferSize> {
    prop_oneof![
        Just(BufferSize::Unlimited),
        (0_u32..6).prop_map(BufferSize::Packets),
        (0_u64..400).prop_map(|bytes| BufferSize::Bytes(Bytes::new(bytes))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_link_agrees_with_a_queue_stepped_event_by_event(
        traffic in prop::collection::vec((0_u64..150, 1_u32..100), 1..80),
        buffer in buffers(),
        begin in 0_usize..80,
        after in 0_u64..500,
    ) {
        let config = byte_per_microsecond(Duration::from_micros(30)).with_buffer(buffer);
        let (mut network, route) = single(config, 1);
        let mut events = EventList::new();
        let mut stepped = Stepped::default();
        let mut arrivals = Vec::new();
        let (mut start, mut area, mut busy) = (0, 0, 0);
        for (index, (gap, size)) in traffic.iter().enumerate() {
            let now = stepped.now + gap * 1_000;
            stepped.advance(now);
            let time = Time::from_nanos(now);
            while let Some(event) = events.pop_until(time) {
                let _ = network.arrive(LINK(), event.time, &mut events);
                arrivals.push(event.time.as_nanos());
            }
            if index == begin {
                network.measure_from(time);
                (start, area, busy) = (now, stepped.area, stepped.busy);
                stepped.max = stepped.queue.len();
            }
            let admitted = network.send(time, &packet(route, *size, index as u32), &mut events) == Fate::Queued;
            prop_assert_eq!(admitted, stepped.offer(*size, buffer), "packet {}", index);
            prop_assert_eq!(network.queue(LINK(), time).packets as usize, stepped.queue.len());
            let bytes = stepped.queue.iter().map(|size| u64::from(*size)).sum();
            prop_assert_eq!(network.queue(LINK(), time).bytes.get(), bytes);
        }
        let end = stepped.now + after * 1_000;
        stepped.advance(end);
        let stats = network.link_stats(LINK(), Time::from_nanos(end));
        prop_assert_eq!(stats.busy.as_nanos(), stepped.busy - busy);
        prop_assert_eq!(stats.max_queue_packets as usize, stepped.max);
        let area = (stepped.area - area) as f64;
        prop_assert!((stats.mean_queue_packets() * (end - start) as f64 - area).abs() <= 1e-9 * area);
        while let Some(event) = events.pop() {
            let _ = network.arrive(LINK(), event.time, &mut events);
            arrivals.push(event.time.as_nanos());
        }
        stepped.advance(u64::MAX);
        let far_end: Vec<_> = stepped.departures.iter().map(|departure| departure + 30_000).collect();
        prop_assert_eq!(arrivals, far_end);
    }
}
