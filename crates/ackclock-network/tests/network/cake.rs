//! CAKE on one link direction: the shaper by hand, the parts of hosts and tins, the wait of sparse flows, the filter of
//! acknowledgments, and what drops cost.

use std::collections::BTreeMap;

use ackclock_network::{
    AckFilter, AcknowledgmentView, Arrival, Cake, Class, DropReason, Ecn, EventList, Fate, Framing,
    GatewayView, Graph, Isolation, LinkConfig, LinkId, LinkLayer, Network, Packet, Queue, Tins,
};
use ackclock_units::{Bytes, Duration, Rate, Time};

use crate::common::at;

/// 8 Mbit/s: a byte takes a microsecond.
const BANDWIDTH: Rate = Rate::from_bits_per_second(8_000_000);

/// Bytes at which the queues overflow, so that loads above the bandwidth can last.
const MEMORY: Bytes = Bytes::new(400_000);

fn shaped() -> Cake {
    Cake { bandwidth: Some(BANDWIDTH), tins: Tins::BestEffort, memory: Some(MEMORY), ..Cake::default() }
}

/// A packet: when it comes, in microseconds, its flow, its size, and the number that it acknowledges, if any.
type Sent = (u64, u32, u32, Option<u32>);

/// The fate of the packets: deliveries with their times in microseconds, and drops with their reasons.
#[derive(Default)]
struct Outcome {
    delivered: Vec<(u64, u32, Option<u32>)>,
    dropped: Vec<(DropReason, u32)>,
}

impl Outcome {
    /// Bytes delivered by `class` of the flow, for packets of 1000 bytes.
    fn bytes_by(&self, class: impl Fn(u32) -> u32) -> BTreeMap<u32, f64> {
        let mut sums = BTreeMap::new();
        for (_, flow, _) in &self.delivered {
            *sums.entry(class(*flow)).or_default() += 1000.0;
        }
        sums
    }
}

/// Sends packets over a link of 12 Gbit/s with CAKE before it, until `end` in microseconds.
fn run(cake: Cake, hosts: &[[u32; 2]], classes: &[u8], sent: &[Sent], end: u64) -> Outcome {
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    let config = LinkConfig::new(Rate::from_bits_per_second(12_000_000_000), Duration::ZERO);
    graph.add_link(a, b, config.with_queue(Queue::Cake(cake))).unwrap();
    let mut network: Network<Option<u32>> = Network::new(graph, 7);
    network.set_hosts(&hosts.into());
    network.set_classes(&classes.into());
    network.read_as_gateway(|number, _| GatewayView {
        acknowledgment: number.map(|number| AcknowledgmentView {
            number: u64::from(number),
            is_pure: true,
            ..AcknowledgmentView::default()
        }),
        ..GatewayView::default()
    });
    let route = network.route(a, b).unwrap();
    let mut events = EventList::new();
    for (index, (time, ..)) in sent.iter().enumerate() {
        events.schedule(at(*time), Class::Control, index as u32);
    }
    let mut outcome = Outcome::default();
    while let Some(event) = events.pop_until(at(end)) {
        if event.class == Class::Link {
            match network.arrive(LinkId::new(event.target), event.time, &mut events) {
                Arrival::Delivered(packet, _) => {
                    let micros = event.time.since(Time::ZERO).as_nanos() / 1000;
                    outcome.delivered.push((micros, packet.flow, packet.payload));
                }
                Arrival::Dropped { reason, packet, .. } => outcome.dropped.push((reason, packet.flow)),
                _ => {}
            }
        } else {
            let (_, flow, size, payload) = sent[event.target as usize];
            let packet =
                Packet { flow, incarnation: 0, route, size, data: true, ecn: Ecn::NotCapable, payload };
            if let Fate::Dropped { reason, .. } = network.send(event.time, &packet, &mut events) {
                outcome.dropped.push((reason, flow));
            }
        }
        assert!(network.conservation().holds());
    }
    outcome
}

/// Flows that send 1000 bytes every `gap` microseconds each, one after the other, for this time.
fn steady(flows: std::ops::Range<u32>, gap: u64, end: u64) -> Vec<Sent> {
    let rounds = (0..end / gap).flat_map(|round| {
        let flows = flows.clone();
        flows.map(move |flow| (round * gap + u64::from(flow), flow, 1000, None))
    });
    rounds.collect()
}

/// 33 cells of 53 bytes for 1500 and 40 of overhead, two for 40: at 8.48 Mbit/s, where a cell takes 50 us, the packets leave
/// 1650 us apart, and the acknowledgment is followed after 100 us. The first leaves at once, since there is no burst to save up for.
#[test]
fn atm_cells_are_charged() {
    let framing = Framing { overhead: 40, mpu: 0, link_layer: LinkLayer::Atm };
    let cake = Cake { bandwidth: Some(Rate::from_bits_per_second(8_480_000)), framing, ..shaped() };
    let sent: Vec<Sent> = [1500, 1500, 40, 1500].map(|size| (9_000_000, 0, size, None)).to_vec();
    let outcome = run(cake, &[], &[], &sent, 20_000_000);
    let departures: Vec<u64> = outcome.delivered.iter().map(|(time, ..)| time - 9_000_000).collect();
    // 1500 bytes take a microsecond on the link.
    assert_eq!(departures, [1, 1651, 3300, 3401]);
}

/// The host 100 sends one flow, the host 200 eight, each to a host of its own. The overload lasts 4 s.
#[test]
fn hosts_share_equally_whatever_their_flows() {
    let hosts: Vec<[u32; 2]> = (0..9).map(|flow| [if flow == 0 { 100 } else { 200 }, flow]).collect();
    let sent = steady(0..9, 800, 4_000_000);
    let ratio = |isolation| {
        let outcome = run(Cake { isolation, ..shaped() }, &hosts, &[], &sent, 4_000_000);
        let bytes = outcome.bytes_by(|flow| u32::from(flow > 0));
        bytes[&1] / bytes[&0]
    };
    for isolation in [Isolation::TripleIsolate, Isolation::DualSrcHost, Isolation::SrcHost] {
        assert!((ratio(isolation) - 1.0).abs() < 0.05, "{isolation:?}: {}", ratio(isolation));
    }
    for isolation in [Isolation::Flows, Isolation::DualDstHost, Isolation::Hosts, Isolation::DstHost] {
        assert!((ratio(isolation) - 8.0).abs() < 0.4, "{isolation:?}: {}", ratio(isolation));
    }
}

/// Within a host its flows share equally, and triple isolation looks at the busier end: of three flows to one host, one from a
/// host of its own and two from another, none has more than its part of a third.
#[test]
fn flows_of_a_host_share_its_part() {
    let hosts = [[1, 50], [2, 50], [2, 50]];
    let sent = steady(0..3, 1000, 4_000_000);
    let parts = |isolation| {
        let outcome = run(Cake { isolation, ..shaped() }, &hosts, &[], &sent, 4_000_000);
        let bytes = outcome.bytes_by(|flow| flow);
        let sum: f64 = bytes.values().sum();
        [0, 1, 2].map(|flow| bytes[&flow] / sum)
    };
    for (isolation, expected) in [
        (Isolation::DualSrcHost, [0.5, 0.25, 0.25]),
        (Isolation::DualDstHost, [1.0 / 3.0; 3]),
        (Isolation::TripleIsolate, [1.0 / 3.0; 3]),
    ] {
        for (part, expected) in parts(isolation).into_iter().zip(expected) {
            assert!((part - expected).abs() < 0.02, "{isolation:?}: {part} for {expected}");
        }
    }
}

/// A flow of 5 packets a second waits for one packet of the nine that fill the queues, at most: the one whose time it is. In one
/// queue with them it waits for what stands there.
#[test]
fn a_sparse_flow_precedes_the_others() {
    let mut sent = steady(0..9, 2000, 4_000_000);
    let probes: Vec<Sent> = (5..20).map(|number| (number * 200_000 + 317, 9, 1000, None)).collect();
    sent.extend(&probes);
    sent.sort_by_key(|packet| packet.0);
    let longest = |isolation| {
        let outcome = run(Cake { isolation, ..shaped() }, &[], &[], &sent, 4_000_000);
        let arrivals = outcome.delivered.iter().filter(|(_, flow, _)| *flow == 9);
        let waits: Vec<u64> = arrivals.zip(&probes).map(|((time, ..), (from, ..))| time - from).collect();
        waits.into_iter().max().unwrap()
    };
    assert!(longest(Isolation::TripleIsolate) <= 2_100, "{}", longest(Isolation::TripleIsolate));
    assert!(longest(Isolation::FlowBlind) > 20_000, "{}", longest(Isolation::FlowBlind));
}

/// The parts of tins that all have more to send than the bandwidth; the classes are class selectors: 0 is best effort, 1 bulk,
/// 3 video and 6 voice.
fn parts(cake: Cake, classes: &[u8]) -> Vec<f64> {
    let sent = steady(0..classes.len() as u32, 1000, 4_000_000);
    let bytes = run(cake, &[], classes, &sent, 4_000_000).bytes_by(|flow| flow);
    let sum: f64 = bytes.values().sum();
    (0..classes.len() as u32).map(|flow| bytes[&flow] / sum).collect()
}

/// tc-cake(8): up to its threshold, 6.25 % for bulk, 50 % for video and 25 % for voice, a tin precedes; best effort has the rest.
#[test]
fn tins_have_their_thresholds() {
    let three = parts(Cake { tins: Tins::DiffServ3, ..shaped() }, &[0, 1, 6]);
    let four = parts(Cake { tins: Tins::DiffServ4, ..shaped() }, &[0, 1, 3, 6]);
    for (part, expected) in three.iter().zip([0.6875, 0.0625, 0.25]) {
        assert!((part - expected).abs() < 0.02, "{three:?}");
    }
    for (part, expected) in four.iter().zip([0.1875, 0.0625, 0.5, 0.25]) {
        assert!((part - expected).abs() < 0.02, "{four:?}");
    }
}

/// A tin alone has the whole bandwidth: thresholds hold nothing back.
#[test]
fn a_tin_alone_has_all() {
    for classes in [[0], [1], [6]] {
        let sent = steady(0..1, 900, 4_000_000);
        let outcome = run(Cake { tins: Tins::DiffServ3, ..shaped() }, &[], &classes, &sent, 4_000_000);
        assert!((3_990..=4_001).contains(&outcome.delivered.len()), "{}", outcome.delivered.len());
    }
}

/// Without a shaper tins share by their weights in bytes: 1024, 64 and 256.
#[test]
fn without_a_shaper_tins_share_by_weights() {
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    let cake = Cake { bandwidth: None, tins: Tins::DiffServ3, ..shaped() };
    graph.add_link(a, b, LinkConfig::new(BANDWIDTH, Duration::ZERO).with_queue(Queue::Cake(cake))).unwrap();
    let mut network: Network<()> = Network::new(graph, 7);
    network.set_classes(&[0, 1, 6].into());
    let route = network.route(a, b).unwrap();
    let mut events = EventList::new();
    (0..12_000).for_each(|number| events.schedule(at(number / 3 * 1000), Class::Control, number as u32 % 3));
    let mut counts = [0.0; 3];
    while let Some(event) = events.pop_until(at(4_000_000)) {
        if event.class == Class::Link {
            if let Arrival::Delivered(packet, _) =
                network.arrive(LinkId::new(event.target), event.time, &mut events)
            {
                counts[packet.flow as usize] += 1.0;
            }
            continue;
        }
        let flow = event.target;
        let packet =
            Packet { flow, incarnation: 0, route, size: 1000, data: true, ecn: Ecn::NotCapable, payload: () };
        let _ = network.send(event.time, &packet, &mut events);
    }
    let sum: f64 = counts.iter().sum();
    for (count, expected) in counts.into_iter().zip([1024.0, 64.0, 256.0]) {
        assert!((count / sum - expected / 1344.0).abs() < 0.02, "{counts:?}");
    }
}

/// Acknowledgments come five times as fast as they leave. Unfiltered all leave in the end; filtered, one of each two or three waits
/// still, the last one arrives, and the numbers rise.
#[test]
fn the_filter_thins_acknowledgments_and_keeps_the_last() {
    let sent: Vec<Sent> = (0..200).map(|number| (number * 200, 0, 1000, Some(number as u32))).collect();
    let of = |ack_filter| run(Cake { ack_filter, ..shaped() }, &[], &[], &sent, 10_000_000);
    let off = of(AckFilter::Off);
    assert!(off.dropped.iter().all(|(reason, _)| *reason != DropReason::Thinned));
    for filter in [AckFilter::On, AckFilter::Aggressive] {
        let outcome = of(filter);
        let numbers: Vec<u32> = outcome.delivered.iter().filter_map(|(.., number)| *number).collect();
        assert!(numbers.is_sorted() && numbers.last() == Some(&199), "{filter:?}: {numbers:?}");
        assert!(outcome.dropped.iter().all(|(reason, _)| *reason == DropReason::Thinned));
        assert_eq!(numbers.len() + outcome.dropped.len(), 200);
        // 40 ms at 1000 bytes per millisecond, and one or two more that wait at the end.
        let least = if filter == AckFilter::On { 42 } else { 41 };
        assert!((least - 1..=least + 1).contains(&numbers.len()), "{filter:?}: {}", numbers.len());
    }
}

/// Unresponsive flows at one and a half times the bandwidth: with `ingress` what is dropped is charged too, and two thirds of the
/// bandwidth are left by the failsafe.
#[test]
fn drops_at_the_ingress_take_bandwidth() {
    let sent = steady(0..3, 2000, 8_000_000);
    let delivered = |ingress| {
        let outcome = run(Cake { ingress, ..shaped() }, &[], &[], &sent, 8_000_000);
        let late = outcome.delivered.iter().filter(|(time, ..)| *time > 4_000_000);
        late.count() as f64 / 4000.0
    };
    assert!((delivered(false) - 1.0).abs() < 0.01, "{}", delivered(false));
    assert!((delivered(true) - 2.0 / 3.0).abs() < 0.02, "{}", delivered(true));
}

/// At a full memory the longest queue of all tins loses its oldest packet; the short one of another tin loses none.
#[test]
fn the_longest_queue_overflows() {
    let mut sent: Vec<Sent> = (0..500).map(|number| (number * 10, 0, 1000, None)).collect();
    sent.push((5_000, 1, 1000, None));
    let cake = Cake { tins: Tins::DiffServ3, memory: Some(Bytes::new(50_000)), ..shaped() };
    let outcome = run(cake, &[], &[0, 1], &sent, 5_001);
    let reasons = |reason| outcome.dropped.iter().filter(|drop| **drop == (reason, 0)).count();
    assert!(
        reasons(DropReason::PushedOut) > 400 && reasons(DropReason::Queue) == 0,
        "{:?}",
        outcome.dropped.len()
    );
    assert!(outcome.dropped.iter().all(|(_, flow)| *flow == 0));
}
