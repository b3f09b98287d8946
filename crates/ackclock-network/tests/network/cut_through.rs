//! A network with cut-through agrees, packet by packet, with one in which every hop is an event.

use crate::common::{impaired_paths, packet};
use ackclock_network::{
    Arrival, BufferSize, Class, Codel, EventList, Fate, Graph, LinkConfig, LinkId, LinkStats, LossModel,
    Network, NodeId, Occupancy, Pie, Queue, Red, Sfq,
};
use ackclock_units::{Bytes, Duration, LinkRate, PacketRate, Rate, Time};
use proptest::prelude::*;

const NODES: usize = 9;

fn configs() -> impl Strategy<Value = LinkConfig> {
    let rate = prop_oneof![
        3 => prop_oneof![Just(2), Just(5), 1_u64..50]
            .prop_map(|bits| LinkRate::Bits(Rate::from_bits_per_second(bits))),
        1 => (0.001_f64..0.1).prop_map(|packets| LinkRate::Packets(PacketRate(packets))),
    ];
    let buffer = prop_oneof![
        2 => Just(BufferSize::Unlimited),
        1 => (0_u32..6).prop_map(BufferSize::Packets),
        1 => (0_u64..6000).prop_map(|bytes| BufferSize::Bytes(Bytes::new(bytes))),
    ];
    let loss = prop_oneof![5 => Just(LossModel::None), 1 => (0.0_f64..0.5).prop_map(LossModel::Bernoulli)];
    let marks = prop_oneof![5 => Just(None), 1 => (0_u32..3).prop_map(Some)];
    let delay = prop_oneof![1 => Just(0), 3 => 0_u64..2_000_000_000_000];
    let parts = (rate, delay, buffer, loss, marks, queues(), impaired_paths());
    parts.prop_map(|(rate, delay, buffer, loss, ecn_threshold, queue, path)| {
        LinkConfig::new(rate, Duration::from_nanos(delay))
            .with_buffer(buffer)
            .with_loss(loss)
            .with_ecn_threshold(ecn_threshold.filter(|_| queue.is_drop_tail()))
            .with_queue(queue)
            .with_path(path)
    })
}

/// A plain link with a rate in packets per second.
fn by_packet(rate: f64, delay: Duration) -> LinkConfig {
    LinkConfig::new(PacketRate(rate), delay)
}

/// Plain links with rates in packets, half of them without a delay, as routers that serve by the packet are.
fn routers() -> impl Strategy<Value = LinkConfig> {
    let rate = 0.01_f64..0.1;
    let delay = prop_oneof![1 => Just(0), 1 => 0_u64..2_000_000_000_000];
    let buffer = prop_oneof![Just(BufferSize::Unlimited), (0_u32..6).prop_map(BufferSize::Packets)];
    (rate, delay, buffer)
        .prop_map(|(rate, delay, buffer)| by_packet(rate, Duration::from_nanos(delay)).with_buffer(buffer))
}

/// Disciplines that decide on arrival, whose links may forward early, and pull queues, whose links may not.
fn queues() -> impl Strategy<Value = Queue> {
    let red = Red { min: 0.2, max: 2.0, max_p: 0.5, weight: 0.5, ..Red::default() };
    let seconds = |seconds| Duration::from_secs(seconds);
    let pie =
        Pie { reference: seconds(500), update: seconds(100), burst: seconds(0), packet: 1, ..Pie::default() };
    let codel = Codel { target: seconds(200), interval: seconds(1000), ..Codel::default() };
    prop_oneof![
        12 => Just(Queue::default()),
        1 => Just(Queue::Red(red)),
        1 => Just(Queue::Pie(pie)),
        1 => Just(Queue::Codel(codel)),
        1 => Just(Queue::Sfq(Sfq { buckets: 2, ..Sfq::default() })),
    ]
}

#[derive(Clone, Debug)]
struct Case {
    /// The parent of each node but the first, and the links down and up.
    tree: Vec<(usize, LinkConfig, LinkConfig)>,
    /// Source, destination, time, and size of each packet.
    traffic: Vec<(usize, usize, u64, u32)>,
    /// When everything is looked at, and when the statistics begin.
    looks: Vec<u64>,
    warm_up: u64,
    /// A link direction whose arrivals are noted.
    watched: u32,
}

/// The parent of a node is among this many before it: the fewer, the longer are the ways.
fn cases<L: Strategy<Value = LinkConfig>>(configs: fn() -> L, reach: usize) -> impl Strategy<Value = Case> {
    let parents = |node: usize| node.saturating_sub(reach)..node;
    let tree: Vec<_> = (1..NODES).map(|node| (parents(node), configs(), configs())).collect();
    let size = prop_oneof![Just(1500_u32), Just(40), 1_u32..1500];
    // Few ways, so that many links are fed by one other alone.
    let pairs = prop::collection::vec((0..NODES, 0..NODES), 1..6);
    let time = 0_u64..5_000_000_000_000;
    let sent = prop::collection::vec((0_usize..6, time.clone(), size), 1..100);
    let looks = prop::collection::vec(0_u64..20_000_000_000_000, 1..12);
    (tree, pairs, sent, looks, time, 0_u32..40).prop_map(|(tree, pairs, sent, looks, warm_up, watched)| {
        let on_the_way = |(pair, time, size)| {
            let (source, destination): (usize, usize) = pairs[pair % pairs.len()];
            (source, destination, time, size)
        };
        Case { tree, traffic: sent.into_iter().map(on_the_way).collect(), looks, warm_up, watched }
    })
}

/// All that can be seen of a run from outside.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    /// Time and number of every packet delivered or dropped, and where.
    ends: Vec<(Time, u32, Option<LinkId>)>,
    links: Vec<(LinkStats, Occupancy)>,
    in_flight: Vec<u64>,
    watched: Vec<Time>,
    /// Packets on the way of the first that had been dropped by each look, by what its own way alone tells.
    dropped_like_the_first: Vec<usize>,
}

fn network(case: &Case, cut_through: bool) -> (Network<u32>, Vec<NodeId>) {
    let mut graph = Graph::new();
    let nodes: Vec<_> = (0..NODES).map(|node| graph.node(&format!("n{node}"))).collect();
    for (child, (parent, down, up)) in (1..).zip(&case.tree) {
        graph.add_link(nodes[*parent], nodes[child], down.clone()).unwrap();
        graph.add_link(nodes[child], nodes[*parent], up.clone()).unwrap();
    }
    let mut network = Network::new(graph, 3);
    for (source, destination, ..) in &case.traffic {
        let _ = network.route(nodes[*source], nodes[*destination]);
    }
    if cut_through {
        network.enable_cut_through(|link| link == LinkId::new(case.watched));
    }
    (network, nodes)
}

/// The drops that no arrival has reported.
fn refused(network: &mut Network<u32>) -> impl Iterator<Item = (Time, u32, Option<LinkId>)> {
    network.take_refused().map(|refused| (refused.time, refused.packet.payload, Some(refused.link)))
}

/// Runs a case to its end; how many events it took. What happens in one instant is in a fixed order.
fn run(case: &Case, cut_through: bool) -> (Seen, u64) {
    let (mut seen, count) = run_in_order(case, cut_through);
    seen.ends.sort_unstable();
    (seen, count)
}

/// As [`run`], with the ends in the order in which they were seen.
fn run_in_order(case: &Case, cut_through: bool) -> (Seen, u64) {
    let (mut network, nodes) = network(case, cut_through);
    let (look, warm_up) = (case.traffic.len() as u32, case.traffic.len() as u32 + 1);
    let mut events = EventList::new();
    for (number, (_, _, time, _)) in (0..).zip(&case.traffic) {
        events.schedule(Time::from_nanos(*time), Class::Timer, number);
    }
    for time in &case.looks {
        events.schedule(Time::from_nanos(*time), Class::Control, look);
    }
    events.schedule(Time::from_nanos(case.warm_up), Class::Control, warm_up);
    let (mut seen, mut count, mut latest) = (Seen::default(), 0, Time::ZERO);
    while let Some(event) = events.pop() {
        let now = event.time;
        assert!(now >= latest, "an event of the past");
        latest = now;
        if event.class == Class::Link {
            count += 1;
            let link = LinkId::new(event.target);
            if event.target == case.watched && link.index() < network.graph().edges().len() {
                seen.watched.push(now);
            }
            match network.arrive(link, now, &mut events) {
                Arrival::Delivered(packet, _) => seen.ends.push((now, packet.payload, None)),
                Arrival::Dropped { packet, link, .. } => seen.ends.push((now, packet.payload, Some(link))),
                Arrival::Forwarded { .. } | Arrival::Dequeued | Arrival::Admitted => {}
            }
        } else if event.target == warm_up {
            network.catch_up(now, &mut events);
            network.measure_from(now);
        } else if event.target == look {
            let way = |number: u32| (case.traffic[number as usize].0, case.traffic[number as usize].1);
            let (source, destination) = way(0);
            if let Ok(route) = network.route(nodes[source], nodes[destination]) {
                network.catch_up_route(route, now, &mut events);
            }
            seen.ends.extend(refused(&mut network));
            let is_alike = |(_, number, link): &&_| Option::is_some(link) && way(*number) == way(0);
            seen.dropped_like_the_first.push(seen.ends.iter().filter(is_alike).count());
            network.catch_up(now, &mut events);
            seen.in_flight.push(network.conservation().in_flight);
            let links: Vec<_> = network.graph().links().collect();
            seen.links
                .extend(links.iter().map(|link| (network.link_stats(*link, now), network.queue(*link, now))));
        } else {
            let (source, destination, _, size) = case.traffic[event.target as usize];
            if let Ok(route) = network.route(nodes[source], nodes[destination])
                && let Fate::Dropped { link, .. } =
                    network.send(now, &packet(route, size, event.target), &mut events)
            {
                seen.ends.push((now, event.target, Some(link)));
            }
        }
        seen.ends.extend(refused(&mut network));
        assert!(network.conservation().holds(), "{:?}", network.conservation());
    }
    seen.watched.extend(network.take_passed().map(|passed| passed.time));
    seen.watched.sort_unstable();
    (seen, count)
}

/// Links of one rate, by the packet, and delays of whole packets, so that packets often arrive at one queue in the same nanosecond.
fn alike() -> impl Strategy<Value = LinkConfig> {
    let buffer = prop_oneof![Just(BufferSize::Unlimited), (0_u32..3).prop_map(BufferSize::Packets)];
    let delay = (0_u64..4).prop_map(|delay| Duration::from_secs(100 * delay));
    let queue = prop_oneof![12 => Just(Queue::default()), 1 => queues()];
    let loss = prop_oneof![8 => Just(LossModel::None), 1 => Just(LossModel::Bernoulli(0.3))];
    (delay, buffer, queue, loss, impaired_paths()).prop_map(|(delay, buffer, queue, loss, path)| {
        by_packet(0.01, delay).with_buffer(buffer).with_queue(queue).with_loss(loss).with_path(path)
    })
}

/// Cases of such links, whose packets are sent and looked at when others arrive.
fn ties() -> impl Strategy<Value = Case> {
    cases(alike, 2).prop_map(|mut case| {
        let times = case.traffic.iter_mut().map(|(_, _, time, _)| time).chain(&mut case.looks);
        times.chain([&mut case.warm_up]).for_each(|time| *time -= *time % 100_000_000_000);
        case
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_through_changes_the_number_of_events_only(case in cases(configs, NODES)) {
        let ((ahead, _), (stepwise, _)) = (run(&case, true), run(&case, false));
        prop_assert_eq!(ahead, stepwise);
    }

    #[test]
    fn nor_does_it_where_routers_serve_by_the_packet(case in cases(routers, 2)) {
        let ((ahead, _), (stepwise, _)) = (run(&case, true), run(&case, false));
        prop_assert_eq!(ahead, stepwise);
    }

    #[test]
    fn nor_does_it_where_packets_arrive_in_the_same_nanosecond(case in ties()) {
        let ((ahead, _), (stepwise, _)) = (run(&case, true), run(&case, false));
        prop_assert_eq!(ahead, stepwise);
    }

    /// Not even the order of what happens in one nanosecond.
    #[test]
    fn noting_packets_changes_nothing_else(mut case in ties()) {
        let noted = run_in_order(&case, true);
        case.watched = u32::MAX;
        let plain = run_in_order(&case, true);
        prop_assert_eq!(Seen { watched: Vec::new(), ..noted.0 }, plain.0);
        prop_assert_eq!(noted.1, plain.1);
    }
}

/// Two packets reach the link to the receiver in the same nanosecond, at 20 s, and it has room for one. The event that lets the first
/// into its way comes after the event of the other: at 19 s, for its link takes a second for a packet, at 18 s for the other's, which
/// takes two. A look at 9 s, after the first has arrived there and before the other has, let it in before the other.
#[test]
fn a_look_changes_no_order_within_a_nanosecond() {
    let link = |bits, delay| LinkConfig::new(Rate::from_bits_per_second(bits), Duration::from_secs(delay));
    let access = || link(1000, 0);
    let tree = vec![
        (0, access(), link(1000, 11)), // 1: the first packet's way
        (0, access(), link(500, 8)),   // 2: the other's
        (0, link(100, 1).with_buffer(BufferSize::Packets(0)), access()), // 3: the receiver
        (1, access(), access()),       // 4, 5: senders before 1
        (1, access(), access()),
        (2, access(), access()), // 6, 7: senders before 2
        (2, access(), access()),
        (0, access(), access()),
    ];
    let at = |seconds: u64| seconds * 1_000_000_000;
    let traffic = vec![
        (4, 3, at(7), 125),
        (6, 3, at(9), 125),
        // What makes two senders lead to each of the two links, after all of this.
        (5, 3, at(1000), 125),
        (7, 3, at(2000), 125),
    ];
    let ends = |looks: Vec<u64>, ahead| {
        let case = Case {
            tree: tree.clone(),
            traffic: traffic.clone(),
            looks,
            warm_up: at(3000),
            watched: u32::MAX,
        };
        run(&case, ahead).0.ends
    };
    let expected = ends(vec![], false);
    let dropped: Vec<_> = expected.iter().filter(|(_, _, link)| link.is_some()).collect();
    assert_eq!(
        dropped,
        [&(Time::from_nanos(at(20)), 1, Some(LinkId::new(4)))],
        "the one over the later link"
    );
    for looks in [vec![], vec![at(9)], vec![at(9), at(15)]] {
        assert_eq!(ends(looks.clone(), true), expected, "{looks:?}");
    }
}

/// Packets of 500 bytes each second over a bottleneck that takes 800 s for one, then two links of which the first is
/// `exit`, and one packet of another source that ends the run: all that is seen, and events with and without looking
/// ahead.
fn dumbbell(exit: LinkConfig, packets: u32) -> (Seen, u64, u64) {
    let plain = LinkConfig::new(Rate::from_bits_per_second(50), Duration::ZERO);
    let bottleneck = LinkConfig::new(Rate::from_bits_per_second(5), Duration::from_secs(7));
    let mut tree: Vec<_> = (1..NODES).map(|_| (0, plain.clone(), plain.clone())).collect();
    tree[1].1 = bottleneck;
    tree[2] = (2, exit, plain.clone());
    tree[3] = (3, plain.clone(), plain);
    let mut traffic: Vec<_> = (0..packets).map(|n| (1, 4, u64::from(n) * 1_000_000_000, 500)).collect();
    traffic.push((5, 4, 100_000_000_000_000, 500));
    let looks = (1..200).map(|n| n * 97_000_000_000).collect();
    let case = Case { tree, traffic, looks, warm_up: 3_000_000_001, watched: u32::MAX };
    let (ahead, stepwise) = (run(&case, true), run(&case, false));
    assert_eq!(ahead.0, stepwise.0);
    (ahead.0, ahead.1, stepwise.1)
}

/// One event for the way in and one for all the rest.
#[test]
fn a_chain_behind_a_bottleneck_takes_no_events_of_its_own() {
    let exit = LinkConfig::new(Rate::from_bits_per_second(5), Duration::from_secs(1));
    let (_, ahead, stepwise) = dumbbell(exit.clone(), 20);
    assert_eq!((ahead, stepwise), (2 * 21, 4 * 21));
    let (seen, ahead, _) = dumbbell(exit.with_buffer(BufferSize::Packets(0)), 20);
    assert_eq!(ahead, 2 * 21);
    assert!(seen.ends.iter().all(|(_, _, dropped)| dropped.is_none()), "nothing ever waits there");
}

/// A slower link behind the first has a queue: most packets find it busy and come hop by hop, and some are dropped.
#[test]
fn a_queue_behind_a_bottleneck_takes_events() {
    let slower = LinkConfig::new(Rate::from_bits_per_second(3), Duration::from_secs(1));
    let (seen, ahead, stepwise) = dumbbell(slower.with_buffer(BufferSize::Packets(2)), 20);
    assert!(ahead > 2 * 21 && ahead < stepwise, "{ahead}, {stepwise}");
    assert!(seen.ends.iter().any(|(_, _, dropped)| dropped.is_some()), "its buffer overflows");
}

/// Four sources with different delays before one bottleneck: one event admits the packets that arrive within its delay,
/// and they wait and are dropped as if each had an event.
#[test]
fn what_several_links_feed_is_let_in_by_one_event_for_many() {
    let plain = LinkConfig::new(Rate::from_bits_per_second(50_000), Duration::ZERO);
    let slow = LinkConfig::new(Rate::from_bits_per_second(20_000), Duration::from_secs(100));
    let mut tree: Vec<_> = (1..NODES).map(|_| (0, plain.clone(), plain.clone())).collect();
    tree[0].1 = slow.with_buffer(BufferSize::Packets(3));
    for (node, source) in tree[1..5].iter_mut().enumerate() {
        source.2.delay = Duration::from_nanos(3_000_000_007 * (4 - node as u64));
    }
    let traffic: Vec<_> = (0..80).map(|n| (2 + n % 4, 1, n as u64 * 50_000_003, 500)).collect();
    let case = Case { tree, traffic, looks: vec![5_000_000_000], warm_up: 3_000_000_001, watched: u32::MAX };
    let (ahead, stepwise) = (run(&case, true), run(&case, false));
    assert_eq!(ahead.0, stepwise.0);
    let dropped = ahead.0.ends.iter().filter(|(_, _, link)| link.is_some()).count() as u64;
    assert!(dropped > 10, "{dropped} dropped");
    let delivered = 80 - dropped;
    assert_eq!(stepwise.1, 80 + delivered, "each comes to the bottleneck, and then to its end");
    assert!(ahead.1 <= delivered + 5, "{} events for {delivered} packets", ahead.1);
}

/// Four sources before a bottleneck without a delay, whose packets a link takes over that has one: they are collected if
/// that link serves them as fast, by the packet. Events, with looking ahead and without.
fn before_a_bottleneck_without_delay(beyond: LinkConfig) -> (u64, u64) {
    let packets = |rate| by_packet(rate, Duration::ZERO);
    let mut tree: Vec<_> = (1..NODES).map(|_| (0, packets(100.0), packets(100.0))).collect();
    tree[0].1 = packets(5.0).with_buffer(BufferSize::Packets(30));
    tree[1] = (1, beyond, packets(100.0));
    let traffic: Vec<_> = (0..80).map(|n| (3 + n % 4, 2, n as u64 * 50_000_003, 500)).collect();
    let case = Case { tree, traffic, looks: vec![5_000_000_000], warm_up: 3_000_000_001, watched: u32::MAX };
    let (ahead, stepwise) = (run(&case, true), run(&case, false));
    assert_eq!(ahead.0, stepwise.0);
    assert!(ahead.0.ends.iter().any(|(_, _, link)| link.is_some()), "its buffer overflows");
    (ahead.1, stepwise.1)
}

#[test]
fn the_delay_of_the_next_link_lets_packets_be_collected_too() {
    let second = Duration::from_secs(1);
    let (ahead, stepwise) = before_a_bottleneck_without_delay(by_packet(5.0, second));
    assert!(ahead * 5 < stepwise * 2, "{ahead} of {stepwise}");
    for slower in [by_packet(4.9, second), LinkConfig::new(Rate::from_bits_per_second(500 * 8 * 100), second)]
    {
        let (ahead, stepwise) = before_a_bottleneck_without_delay(slower);
        assert!(ahead * 2 > stepwise, "each comes to the bottleneck by itself: {ahead} of {stepwise}");
    }
}

#[test]
#[should_panic(expected = "routes are computed before cut-through is enabled")]
fn a_new_route_after_cut_through_is_enabled_is_refused() {
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    graph.add_link(a, b, LinkConfig::new(Rate::from_bits_per_second(5), Duration::ZERO)).unwrap();
    let mut network: Network<u32> = Network::new(graph, 3);
    network.enable_cut_through(|_| false);
    let _ = network.route(a, b);
}
