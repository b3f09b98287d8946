//! No packet appears or vanishes: sent is delivered plus dropped plus in flight, at every instant.

use crate::common::{Numbered, byte_per_microsecond, packet, paths, run as run_log, single};
use ackclock_network::{
    Arrival, BufferSize, Class, EventList, Fate, FqCodel, GilbertElliott, Graph, LinkConfig, LinkId,
    LossModel, Network, Queue, Red, Sfq,
};
use ackclock_units::{Bytes, Duration, Rate, Time};
use proptest::prelude::*;

fn configs() -> impl Strategy<Value = LinkConfig> {
    let buffer = prop_oneof![
        Just(BufferSize::Unlimited),
        (0_u32..4).prop_map(BufferSize::Packets),
        (0_u64..3000).prop_map(|bytes| BufferSize::Bytes(Bytes::new(bytes))),
    ];
    let burst = GilbertElliott { good_to_bad: 0.2, bad_to_good: 0.3, loss_good: 0.1, loss_bad: 0.9 };
    let loss = prop_oneof![
        3 => Just(LossModel::None),
        1 => (0.0_f64..1.0).prop_map(LossModel::Bernoulli),
        1 => Just(LossModel::GilbertElliott(burst)),
    ];
    let marks = prop::option::of(0_u32..3);
    let queue = prop_oneof![
        3 => Just(Queue::default()),
        1 => Just(Queue::Red(Red { min: 0.2, max: 2.0, weight: 0.5, ..Red::default() })),
        1 => Just(Queue::Sfq(Sfq { buckets: 2, ..Sfq::default() })),
        1 => Just(Queue::FqCodel(FqCodel { flows: 2, limit: 3, ..FqCodel::default() })),
    ];
    let links = (1_u64..50, 0_u64..2000, buffer, loss, marks, queue, paths());
    links.prop_map(|(megabits, delay, buffer, loss, ecn_threshold, queue, path)| {
        let rate = Rate::from_bits_per_second(megabits * 1_000_000);
        LinkConfig::new(rate, Duration::from_micros(delay))
            .with_buffer(buffer)
            .with_loss(loss)
            .with_ecn_threshold(ecn_threshold.filter(|_| queue.is_drop_tail()))
            .with_queue(queue)
            .with_path(path)
    })
}

/// Links of a small random graph, and packets by source, destination, sending time and size.
type Case = (Vec<(usize, usize, LinkConfig)>, Vec<(usize, usize, u64, u32)>);

fn cases() -> impl Strategy<Value = Case> {
    let links = prop::collection::vec((0_usize..5, 0_usize..5, configs()), 1..14);
    let traffic = prop::collection::vec((0_usize..5, 0_usize..5, 0_u64..5000, 1_u32..1500), 1..120);
    (links, traffic)
}

struct Outcome {
    network: Network<u32>,
    /// Time and number of every packet delivered or dropped.
    history: Vec<(Time, u32, bool)>,
    now: Time,
}

/// Runs a case to its end, looking at the conservation after every event.
fn run(case: &Case) -> Outcome {
    let mut graph = Graph::new();
    let nodes: Vec<_> = (0..5).map(|node| graph.node(&format!("n{node}"))).collect();
    for (from, to, config) in &case.0 {
        let _ = graph.add_link(nodes[*from], nodes[*to], config.clone());
    }
    let mut network = Network::new(graph, 11);
    let mut events = EventList::new();
    for (number, (_, _, micros, _)) in case.1.iter().enumerate() {
        events.schedule(Time::from_nanos(micros * 1_000), Class::Control, number as u32);
    }
    let (mut history, mut now) = (Vec::new(), Time::ZERO);
    while let Some(event) = events.pop() {
        assert!(event.time >= now, "time runs forward");
        now = event.time;
        if event.class == Class::Link {
            let link = LinkId::new(event.target);
            let head = network.head(link);
            assert!(
                head.is_some() || link.index() >= network.graph().edges().len(),
                "a link's event has a packet"
            );
            match network.arrive(link, now, &mut events) {
                Arrival::Delivered(packet, _) => history.push((now, packet.payload, true)),
                Arrival::Dropped { packet, .. } => {
                    assert!(head.is_none_or(|(head, _)| head.payload == packet.payload));
                    history.push((now, packet.payload, false));
                }
                Arrival::Forwarded { .. } | Arrival::Dequeued | Arrival::Admitted => {}
            }
        } else {
            let (source, destination, _, size) = case.1[event.target as usize];
            if let Ok(route) = network.route(nodes[source], nodes[destination])
                && network.send(now, &packet(route, size, event.target), &mut events) != Fate::Queued
            {
                history.push((now, event.target, false));
            }
        }
        assert!(network.conservation().holds(), "{:?}", network.conservation());
    }
    Outcome { network, history, now }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packets_are_conserved_and_seen_to_their_end(case in cases()) {
        let outcome = run(&case);
        let counts = outcome.network.conservation();
        prop_assert_eq!(counts.in_flight, 0);
        prop_assert_eq!(outcome.history.len() as u64, counts.sent + counts.duplicated, "every end is reported, and once");
        let mut numbers: Vec<_> = outcome.history.iter().map(|(_, number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(numbers.len() as u64, counts.sent);
        let delivered = outcome.history.iter().filter(|(_, _, delivered)| *delivered).count() as u64;
        prop_assert_eq!(delivered, counts.delivered);

        let (mut queue, mut loss) = (0, 0);
        for link in outcome.network.graph().links() {
            let stats = outcome.network.link_stats(link, outcome.now);
            prop_assert_eq!(stats.offered, stats.forwarded + stats.dropped_queue + stats.dropped_loss);
            prop_assert!(stats.utilisation() <= 1.0);
            queue += stats.dropped_queue;
            loss += stats.dropped_loss;
        }
        prop_assert_eq!((queue, loss), (counts.dropped_queue, counts.dropped_loss));
    }

    #[test]
    fn the_same_run_twice_is_the_same_run(case in cases()) {
        prop_assert_eq!(run(&case).history, run(&case).history);
    }

    /// Pipes are first in, first out: between two nodes nothing overtakes, unless an impairment lets it.
    #[test]
    fn nothing_overtakes_on_one_route(case in cases()) {
        let reorders = |link: &LinkConfig| {
            let mut names = link.path.impairments.iter().map(|part| part.entry().name);
            names.any(|name| ["reordering", "spraying", "overtaking"].contains(&name))
        };
        prop_assume!(!case.0.iter().any(|(_, _, link)| reorders(link)));
        let outcome = run(&case);
        for source in 0..5 {
            for destination in 0..5 {
                let sent: Vec<_> = outcome.history.iter()
                    .filter(|(_, number, delivered)| {
                        let traffic = case.1[*number as usize];
                        *delivered && (traffic.0, traffic.1) == (source, destination)
                    })
                    .map(|(_, number, _)| (case.1[*number as usize].2, *number))
                    .collect();
                prop_assert!(sent.is_sorted(), "{:?}", sent);
            }
        }
    }
}

/// A late packet of a closed connection is known by its incarnation, wherever it has waited.
#[test]
fn a_packet_arrives_with_its_flow_and_the_incarnation_of_its_connection() {
    let queues = [Queue::default(), Queue::Sfq(Sfq::default()), Queue::FqCodel(FqCodel::default())];
    for queue in queues {
        let config = byte_per_microsecond(Duration::from_micros(10)).with_queue(queue);
        let (mut network, route) = single(config, 1);
        let sent = [(0, 0), (0, 1), (5, 255), (1_000_000 - 1, 128)];
        let traffic = sent
            .map(|(flow, incarnation)| (Time::ZERO, Numbered { flow, incarnation, ..packet(route, 100, 0) }));
        let log = run_log(&mut network, &traffic);
        let mut arrived: Vec<_> = log
            .iter()
            .filter_map(|(_, arrival)| match arrival {
                Arrival::Delivered(packet, _) => Some((packet.flow, packet.incarnation)),
                _ => None,
            })
            .collect();
        arrived.sort_unstable();
        assert_eq!(arrived, sent);
    }
}
