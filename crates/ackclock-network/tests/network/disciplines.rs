//! Laws that every queue discipline obeys.

use std::collections::BTreeMap;

use crate::common::single;
use ackclock_network::{
    AckFilter, AcknowledgmentView, Admission, Arrival, Budgets, BufferSize, Cake, Class, Classes, Cobalt,
    Codel, DropHead, DropPriority, Drr, DualOrder, DualPi2, Ecn, EventList, Fate, FlowMonitor,
    FlowProportional, FqCodel, FqPie, Framing, GatewayView, HeaderView, Isolation, LinkConfig, LinkId,
    LinkLayer, Marker, Network, Packet, Pie, Priority, Protect, QUEUES, Queue, Red, Rio, Sfq, Tins,
    WeightedPriority, Xcp,
};
use ackclock_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// The payload of test packets: their number, and their sequence number in their flow.
type Numbered = (u32, u64);

fn header_view(payload: &Numbered) -> HeaderView {
    HeaderView {
        first: payload.1,
        end: payload.1 + 1,
        drop_first: payload.0.is_multiple_of(3),
        ..HeaderView::default()
    }
}

/// Every second packet is an acknowledgment and nothing else.
fn gateway_view(payload: &Numbered, _: Option<&()>) -> GatewayView {
    let acknowledgment = AcknowledgmentView {
        number: payload.1,
        is_pure: payload.0.is_multiple_of(2),
        ..AcknowledgmentView::default()
    };
    GatewayView { acknowledgment: Some(acknowledgment), ..GatewayView::default() }
}

/// CAKE with any setting; with a shaper below and above the link's rate, or without.
fn cakes() -> impl Strategy<Value = Cake> {
    use prop::sample::select;
    let isolations = vec![
        Isolation::FlowBlind,
        Isolation::SrcHost,
        Isolation::Hosts,
        Isolation::Flows,
        Isolation::DualDstHost,
        Isolation::TripleIsolate,
    ];
    let tins = vec![Tins::BestEffort, Tins::DiffServ3, Tins::DiffServ4, Tins::DiffServ8, Tins::Precedence];
    let layers = vec![LinkLayer::NoAtm, LinkLayer::Atm, LinkLayer::Ptm];
    let framing = (-64_i32..256, 0_u32..256, select(layers))
        .prop_map(|(overhead, mpu, link_layer)| Framing { overhead, mpu, link_layer });
    let filters = vec![AckFilter::Off, AckFilter::On, AckFilter::Aggressive];
    let bandwidth = prop::option::of((1_000_000_u64..16_000_000).prop_map(Rate::from_bits_per_second));
    let memory = prop::option::of((1500_u64..20_000).prop_map(Bytes::new));
    (bandwidth, 1_u64..50, select(tins), select(isolations), select(filters), framing, any::<bool>(), memory)
        .prop_map(|(bandwidth, rtt, tins, isolation, ack_filter, framing, ingress, memory)| Cake {
            bandwidth,
            rtt: Duration::from_millis(rtt),
            tins,
            isolation,
            ack_filter,
            framing,
            ingress,
            memory,
        })
}

fn dual_queues() -> impl Strategy<Value = DualPi2> {
    let order = prop_oneof![
        (0.01_f64..0.99).prop_map(DualOrder::Weighted),
        (1_u64..3000).prop_map(|shift| DualOrder::TimeShifted(Duration::from_micros(shift)))
    ];
    (1_u64..3000, 1_u64..5000, 0_u64..3000, 0_u64..2000, 0_u32..3, order).prop_map(
        |(target, max_rtt, threshold, range, min_packets, order)| DualPi2 {
            target: Duration::from_micros(target),
            max_rtt: Duration::from_micros(max_rtt),
            coupling: 2.0,
            min_threshold: Duration::from_micros(threshold),
            range: Duration::from_micros(range),
            min_packets,
            order,
        },
    )
}

fn in_and_out() -> impl Strategy<Value = Rio> {
    (0_u32..6, 1_u32..6, 0.0_f64..4.0, any::<bool>()).prop_map(|(short, flows, min, marked)| {
        let rule = |min| Red { min, max: min + 2.0, weight: 0.5, gentle: false, ..Red::default() };
        Rio { within: rule(2.0 * min), out: rule(min), short, flows, marked }
    })
}

fn routers() -> impl Strategy<Value = Xcp> {
    (1_u64..30, 1_u64..5).prop_map(|(initial, shortest)| Xcp {
        initial_interval: Duration::from_millis(initial),
        min_interval: Duration::from_millis(shortest),
        ..Xcp::default()
    })
}

fn sfq() -> impl Strategy<Value = Sfq> {
    (1_u32..6, prop::option::of(1_u32..5), prop::option::of(1_u64..5)).prop_map(|(buckets, depth, period)| {
        Sfq { buckets, depth, perturbation: period.map(Duration::from_millis) }
    })
}

fn disciplines() -> impl Strategy<Value = Queue> {
    let protect = (prop::option::of(sfq()), 0.0_f64..0.9, any::<bool>(), 1_u32..8)
        .prop_map(|(buckets, reserve, pushes_out, flows)| Protect { buckets, reserve, pushes_out, flows });
    let red = (0.0_f64..3.0, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0_u32..3).prop_map(
        |(min, gentle, in_bytes, marks, least_gap, least_queue)| Red {
            min,
            max: if gentle { 2.0 * min + 1.0 } else { min },
            max_p: 0.3,
            weight: 0.2,
            gentle,
            in_bytes,
            packet: 1000,
            marks,
            hard_drop: least_gap,
            least_gap,
            least_queue,
        },
    );
    let codel = (1_u64..3000, 1_u64..10_000, any::<bool>()).prop_map(|(target, interval, marks)| Codel {
        target: Duration::from_micros(target),
        interval: Duration::from_micros(interval),
        marks,
    });
    let fq_codel = (codel.clone(), 1_u32..6, 100_u32..3000, 1_u32..20, 2000_u64..20_000).prop_map(
        |(codel, flows, quantum, limit, memory)| FqCodel {
            ce_threshold: Duration::from_millis(2),
            ce_l4s_only: flows.is_multiple_of(2),
            codel,
            flows,
            quantum,
            limit,
            memory: Bytes::new(memory),
        },
    );
    let fq_pie = (1_u64..3000, 1_u64..3000, 1_u32..6, 100_u32..3000, 1_u32..20).prop_map(
        |(target, update, flows, quantum, limit)| FqPie {
            flows,
            quantum,
            limit,
            target: Duration::from_micros(target),
            update: Duration::from_micros(update),
            alpha: 50.0,
            beta: 500.0,
            ..FqPie::default()
        },
    );
    let cobalt = (codel.clone(), 0.0_f64..0.5).prop_map(|(codel, increment)| Cobalt {
        codel,
        increment,
        ..Cobalt::default()
    });
    let drr = (1_u32..6, 64_u32..3000).prop_map(|(flows, quantum)| Drr { flows, quantum });
    let weights = prop::array::uniform8(0.1_f64..10.0).prop_map(|weights| WeightedPriority { weights });
    let pie = (1_u64..3000, 1_u64..3000, 0_u64..5000, any::<bool>(), any::<bool>()).prop_map(
        |(reference, update, burst, derandomised, capped)| Pie {
            reference: Duration::from_micros(reference),
            update: Duration::from_micros(update),
            burst: Duration::from_micros(burst),
            alpha: 50.0,
            beta: 500.0,
            derandomised,
            capped,
            ..Pie::default()
        },
    );
    let monitor = (1_u64..30, 1_u32..8)
        .prop_map(|(epoch, flows)| FlowMonitor { epoch: Duration::from_millis(epoch), flows });
    let classes = (monitor.clone(), 0.0_f64..1.0, any::<bool>()).prop_map(
        |(monitor, threshold, transmits_by_class)| Classes { monitor, threshold, transmits_by_class },
    );
    let memory = (1_u64..60).prop_map(Duration::from_millis);
    let proportional = (0.1_f64..4.0, memory.clone())
        .prop_map(|(per_flow, memory)| Queue::FlowProportional(FlowProportional { per_flow, memory }));
    let admission =
        (1_u32..6, memory).prop_map(|(flows, memory)| Queue::Admission(Admission { flows, memory }));
    prop_oneof![
        in_and_out().prop_map(Queue::Rio),
        (0_u32..6, 1_u32..6).prop_map(|(short, flows)| Queue::Marker(Marker { short, flows })),
        routers().prop_map(Queue::Xcp),
        cakes().prop_map(Queue::Cake),
        proportional,
        admission,
        classes.prop_map(Queue::Classes),
        monitor.prop_map(|monitor| Queue::Budgets(Budgets { monitor })),
        codel.prop_map(Queue::Codel),
        dual_queues().prop_map(Queue::DualPi2),
        fq_pie.prop_map(Queue::FqPie),
        cobalt.prop_map(Queue::Cobalt),
        drr.prop_map(Queue::Drr),
        weights.prop_map(Queue::WeightedPriority),
        Just(Queue::Priority(Priority)),
        Just(Queue::DropHead(DropHead)),
        Just(Queue::DropPriority(DropPriority)),
        fq_codel.prop_map(Queue::FqCodel),
        pie.prop_map(Queue::Pie),
        Just(Queue::default()),
        red.prop_map(Queue::Red),
        sfq().prop_map(Queue::Sfq),
        protect.prop_map(Queue::Protect)
    ]
}

/// The laws below hold for every discipline of the catalogue: the strategy draws each.
#[test]
fn every_discipline_of_the_catalogue_is_drawn() {
    let mut runner = TestRunner::deterministic();
    let strategy = disciplines();
    let mut drawn = Vec::new();
    for _ in 0..500 {
        let kind = std::mem::discriminant(&strategy.new_tree(&mut runner).unwrap().current());
        if !drawn.contains(&kind) {
            drawn.push(kind);
        }
    }
    let names: Vec<&str> = QUEUES.iter().map(|entry| entry.name).collect();
    assert_eq!(drawn.len(), names.len(), "add to `disciplines` of this file what it lacks of {names:?}");
}

fn buffers() -> impl Strategy<Value = BufferSize> {
    prop_oneof![
        1 => Just(BufferSize::Unlimited),
        3 => (1_u32..12).prop_map(BufferSize::Packets),
        2 => (1500_u64..12_000).prop_map(|bytes| BufferSize::Bytes(Bytes::new(bytes))),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    queue: Queue,
    buffer: BufferSize,
    /// Microseconds, flow, place in the flow, size, ECN.
    traffic: Vec<(u64, u32, u64, u32, bool)>,
}

fn cases() -> impl Strategy<Value = Case> {
    let size = prop_oneof![2 => Just(1000_u32), 1 => 40_u32..1500];
    let packet = (0_u64..60_000, 0_u32..5, 0_u64..20, size, any::<bool>());
    (disciplines(), buffers(), prop::collection::vec(packet, 1..150)).prop_map(
        |(queue, buffer, mut traffic)| {
            traffic.sort_by_key(|packet| packet.0);
            Case { queue, buffer, traffic }
        },
    )
}

fn link(case: &Case) -> LinkConfig {
    // A byte takes a microsecond.
    LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::from_micros(300))
        .with_buffer(case.buffer)
        .with_queue(case.queue.clone())
}

struct Outcome {
    /// Time and packet of every delivery.
    delivered: Vec<(Time, Packet<Numbered>)>,
    dropped: Vec<u32>,
    network: Network<Numbered>,
    now: Time,
}

/// Runs a case to its end, checking counts and buffers after every event.
fn run(case: &Case) -> Outcome {
    let mut graph = ackclock_network::Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    graph.add_link(a, b, link(case)).unwrap();
    let mut network = Network::new(graph, 3);
    network.read_headers(header_view);
    network.read_as_gateway(gateway_view);
    network.set_hosts(&[[0, 1], [0, 2], [3, 1], [0, 1]].into());
    network.set_classes(&[0, 3, 7, 200].into());
    let route = network.route(a, b).unwrap();
    let mut events = EventList::new();
    for (number, packet) in case.traffic.iter().enumerate() {
        events.schedule(Time::from_nanos(packet.0 * 1000), Class::Control, number as u32);
    }
    let (mut delivered, mut dropped, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
    while let Some(event) = events.pop() {
        now = event.time;
        if event.class == Class::Link {
            match network.arrive(LinkId::new(event.target), now, &mut events) {
                Arrival::Delivered(packet, _) => delivered.push((now, packet)),
                Arrival::Dropped { packet, .. } => dropped.push(packet.payload.0),
                Arrival::Forwarded { .. } | Arrival::Dequeued | Arrival::Admitted => {}
            }
        } else {
            let (_, flow, place, size, ecn) = case.traffic[event.target as usize];
            let ecn = codepoint(flow, ecn);
            let payload = (event.target, place);
            let packet = Packet { flow, incarnation: 0, route, size, data: true, ecn, payload };
            if let Fate::Dropped { .. } = network.send(now, &packet, &mut events) {
                dropped.push(event.target);
            }
        }
        assert!(network.conservation().holds(), "{:?}", network.conservation());
        let waiting = network.queue(LinkId::new(0), now);
        match case.buffer {
            BufferSize::Unlimited => {}
            BufferSize::Packets(packets) => assert!(waiting.packets <= packets, "{waiting:?}"),
            BufferSize::Bytes(bytes) => assert!(waiting.bytes <= bytes, "{waiting:?}"),
            other => panic!("{other:?} has no bound here"),
        }
    }
    Outcome { delivered, dropped, network, now }
}

/// The codepoint of a packet: a flow that is ECN-capable has one of its own.
fn codepoint(flow: u32, capable: bool) -> Ecn {
    match (capable, flow.is_multiple_of(2)) {
        (false, _) => Ecn::NotCapable,
        (true, true) => Ecn::Capable0,
        (true, false) => Ecn::Capable1,
    }
}

/// True if a discipline may keep packets back from an idle transmitter.
fn shapes(queue: &Queue) -> bool {
    matches!(queue, Queue::Cake(Cake { bandwidth: Some(_), .. }))
}

/// True if a discipline may reorder a flow's packets.
fn reorders(queue: &Queue) -> bool {
    matches!(queue, Queue::Protect(_) | Queue::Priority(_))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_packet_is_delivered_or_dropped_once(case in cases()) {
        let outcome = run(&case);
        let mut seen: Vec<u32> = outcome.delivered.iter().map(|(_, packet)| packet.payload.0).collect();
        seen.extend(&outcome.dropped);
        seen.sort_unstable();
        let all: Vec<u32> = (0..case.traffic.len() as u32).collect();
        prop_assert_eq!(seen, all);
        let stats = outcome.network.link_stats(LinkId::new(0), outcome.now);
        prop_assert_eq!(stats.offered, case.traffic.len() as u64);
        prop_assert_eq!(stats.forwarded, outcome.delivered.len() as u64);
        prop_assert_eq!(stats.dropped_queue + stats.thinned, outcome.dropped.len() as u64);
        prop_assert!(stats.dropped_early + stats.pushed_out <= stats.dropped_queue);
        prop_assert!(stats.dropped_protected <= stats.offered_protected);
    }

    /// The transmitter is never idle while a packet waits: from the times of departure alone.
    #[test]
    fn the_transmitter_rests_only_when_nothing_waits(case in cases()) {
        prop_assume!(!shapes(&case.queue));
        let outcome = run(&case);
        let mut free_at = Time::ZERO;
        for (time, packet) in &outcome.delivered {
            let departure = time.as_nanos() - 300_000;
            let begin = departure - u64::from(packet.size) * 1000;
            prop_assert!(begin >= free_at.as_nanos(), "two packets at once");
            let arrived = case.traffic[packet.payload.0 as usize].0 * 1000;
            prop_assert!(arrived <= begin);
            if begin > free_at.as_nanos() {
                // Idle before: the packet came at that very moment.
                prop_assert_eq!(begin, arrived);
            }
            free_at = Time::from_nanos(departure);
        }
    }

    /// Packets of a flow with one codepoint keep their order.
    #[test]
    fn a_flow_keeps_its_order(case in cases()) {
        prop_assume!(!reorders(&case.queue));
        let mut latest: BTreeMap<(u32, bool), u32> = BTreeMap::new();
        for (_, packet) in run(&case).delivered {
            let number = packet.payload.0;
            let capable = case.traffic[number as usize].4;
            let before = latest.insert((packet.flow, capable), number);
            prop_assert!(before.is_none_or(|before| before < number), "{before:?} before {number}");
        }
    }

    #[test]
    fn only_those_are_marked_that_may_be(case in cases()) {
        for (_, packet) in run(&case).delivered {
            let capable = case.traffic[packet.payload.0 as usize].4;
            prop_assert!(capable || packet.ecn == Ecn::NotCapable);
        }
    }

    /// SFQ with one bucket is a drop-tail queue: a queue from which the transmitter pulls agrees to the nanosecond with one
    /// that decides on arrival.
    #[test]
    fn one_bucket_is_drop_tail(case in cases()) {
        let one = Sfq { buckets: 1, depth: None, perturbation: None };
        let (served, settled) = (
            run(&Case { queue: Queue::Sfq(one), ..case.clone() }),
            run(&Case { queue: Queue::default(), ..case }),
        );
        prop_assert_eq!(&served.delivered, &settled.delivered);
        let stats = |outcome: &Outcome| {
            let stats = outcome.network.link_stats(LinkId::new(0), outcome.now);
            (
                (stats.offered, stats.admitted, stats.forwarded, stats.dropped_queue, stats.max_queue_packets),
                (stats.busy, stats.mean_queue_packets(), stats.mean_queueing_delay_secs()),
            )
        };
        prop_assert_eq!(stats(&served), stats(&settled));
    }
}

/// A queue that decides when the transmitter falls idle may stand anywhere on a way.
#[test]
fn a_packet_goes_through_several_queues() {
    let mut graph = ackclock_network::Graph::new();
    let nodes: Vec<_> = (0..4).map(|node| graph.node(&format!("n{node}"))).collect();
    for hop in 0..3 {
        let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000 >> hop), Duration::from_millis(1))
            .with_buffer(BufferSize::Packets(3))
            .with_queue(Queue::Sfq(Sfq::default()));
        graph.add_link(nodes[hop], nodes[hop + 1], config).unwrap();
    }
    let mut network: Network<()> = Network::new(graph, 1);
    let route = network.route(nodes[0], nodes[3]).unwrap();
    network.enable_cut_through(|_| false);
    let mut events = EventList::new();
    for flow in 0..20 {
        let packet =
            Packet { flow, incarnation: 0, route, size: 1000, data: true, ecn: Ecn::NotCapable, payload: () };
        let _ = network.send(Time::ZERO, &packet, &mut events);
    }
    let mut delivered = 0;
    while let Some(event) = events.pop() {
        if let Arrival::Delivered(..) = network.arrive(LinkId::new(event.target), event.time, &mut events) {
            delivered += 1;
        }
        assert!(network.conservation().holds());
    }
    let counts = network.conservation();
    assert_eq!((counts.delivered, counts.in_flight), (delivered, 0));
    assert!(delivered >= 4 && counts.dropped_queue >= 16, "{counts:?}");
}

/// Statistics can begin in the middle, with packets waiting.
#[test]
fn statistics_begin_at_the_start_of_the_measurement() {
    let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::ZERO)
        .with_buffer(BufferSize::Packets(10))
        .with_queue(Queue::Sfq(Sfq::default()));
    let (mut network, route) = single(config, 1);
    let mut events = EventList::new();
    for number in 0..5 {
        let _ = network.send(Time::ZERO, &crate::common::packet(route, 1000, number), &mut events);
    }
    // Two have been transmitted, the third is half-way, two wait.
    let middle = Time::from_nanos(2_500_000);
    while let Some(event) = events.pop_until(middle) {
        let _ = network.arrive(LinkId::new(event.target), event.time, &mut events);
    }
    network.measure_from(middle);
    while let Some(event) = events.pop() {
        let _ = network.arrive(LinkId::new(event.target), event.time, &mut events);
    }
    let stats = network.link_stats(LinkId::new(0), Time::from_nanos(5_000_000));
    assert_eq!((stats.offered, stats.forwarded, stats.max_queue_packets), (0, 3, 2));
    assert_eq!(stats.busy, Duration::from_micros(2500));
    // Two wait for half a millisecond more, one for another.
    assert!((stats.mean_queue_packets() - 2.0 / 2.5 * 1.0).abs() < 1e-9, "{}", stats.mean_queue_packets());
    assert!(
        (stats.mean_queueing_delay_secs() - 3.5e-3).abs() < 1e-9,
        "the fourth waited 3 ms, the fifth 4 ms"
    );
    assert_eq!(stats.max_queueing_delay, Some(Duration::from_millis(4)));
}
