//! Routes are shortest, deterministic, and computed quickly in large graphs.

use ackclock_network::{Ecn, EventList, Graph, LinkConfig, Network, Packet};
use ackclock_units::{Duration, Rate, Time};
use proptest::prelude::*;

fn config(delay_ms: u64) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(1_000_000), Duration::from_millis(delay_ms))
}

/// A graph from lines like `a b 10`: one direction each, with its delay in milliseconds.
fn graph(links: &str) -> Graph {
    let mut graph = Graph::new();
    for line in links.split(',') {
        let words: Vec<_> = line.split_whitespace().collect();
        let (from, to) = (graph.node(words[0]), graph.node(words[1]));
        graph.add_link(from, to, config(words[2].parse().unwrap())).unwrap();
    }
    graph
}

fn path(network: &mut Network<()>, source: &str, destination: &str) -> Vec<String> {
    let node = |name| network.graph().find_node(name).unwrap();
    let (source, destination) = (node(source), node(destination));
    let route = network.route(source, destination).unwrap();
    network.path(route).map(|link| network.graph().link_name(link)).collect()
}

fn links(graph: Graph, source: &str, destination: &str) -> Vec<String> {
    path(&mut Network::new(graph, 1), source, destination)
}

#[test]
fn fewer_links_win_then_less_delay_then_the_lower_link() {
    let few = "a b 1, b c 1, a c 100";
    assert_eq!(links(graph(few), "a", "c"), ["a->c"]);
    let quick = "a b 5, b d 5, a c 5, c d 4";
    assert_eq!(links(graph(quick), "a", "d"), ["a->c", "c->d"]);
    let equal = "a b 5, c d 5, b d 5, a c 5";
    assert_eq!(links(graph(equal), "a", "d"), ["a->c", "c->d"], "c->d was laid before b->d");
}

#[test]
fn the_way_back_may_be_another() {
    let mut network = Network::new(graph("a b 1, b c 1, c a 9, b a 1"), 1);
    assert_eq!(path(&mut network, "a", "c"), ["a->b", "b->c"]);
    assert_eq!(path(&mut network, "c", "a"), ["c->a"]);
    assert_eq!(path(&mut network, "c", "b"), ["c->a", "a->b"]);
}

#[test]
fn a_route_is_found_once() {
    let mut network: Network<()> = Network::new(graph("a b 1, b c 1"), 1);
    let (a, c) = (network.graph().find_node("a").unwrap(), network.graph().find_node("c").unwrap());
    assert_eq!(network.route(a, c).unwrap(), network.route(a, c).unwrap());
}

#[test]
fn what_cannot_be_reached_is_named() {
    let mut network: Network<()> = Network::new(graph("a b 1, b a 1, c d 1, d e 1, a c 1"), 1);
    let mut complaint = |source, destination| {
        let node = |name| network.graph().find_node(name).unwrap();
        let (source, destination) = (node(source), node(destination));
        network.route(source, destination).unwrap_err().to_string()
    };
    assert_eq!(complaint("e", "a"), "no links lead from e to a");
    assert_eq!(complaint("c", "b"), "no links lead from c to b");
    assert_eq!(complaint("b", "b"), "node b is source and destination at once");
}

#[test]
fn thousands_of_pairs_are_routed_both_ways() {
    let pairs = 5000;
    let mut graph = graph("left right 1, right left 1");
    for pair in 1..=pairs {
        for (host, router) in [(format!("src{pair}"), "left"), (format!("dst{pair}"), "right")] {
            let (host, router) = (graph.node(&host), graph.node(router));
            graph.add_link(host, router, config(1)).unwrap();
            graph.add_link(router, host, config(1)).unwrap();
        }
    }
    let mut network: Network<()> = Network::new(graph, 1);
    for pair in 1..=pairs {
        let (source, destination) = (format!("src{pair}"), format!("dst{pair}"));
        assert_eq!(path(&mut network, &source, &destination).len(), 3);
        assert_eq!(path(&mut network, &destination, &source).len(), 3);
    }
}

/// The links of the flows 0 to `count - 1` from a to the end of a graph that spreads flows with this seed.
fn spread(laid: &str, seed: u64, destination: &str, count: u32) -> Vec<Vec<String>> {
    let mut network: Network<()> = Network::new(graph(laid), 1);
    network.spread_flows(seed);
    let node = |network: &Network<()>, name| network.graph().find_node(name).unwrap();
    let (source, destination) = (node(&network, "a"), node(&network, destination));
    let mut way = |flow| {
        let route = network.route_of(flow, source, destination).unwrap();
        network.path(route).map(|link| network.graph().link_name(link)).collect::<Vec<String>>()
    };
    let ways: Vec<_> = (0..count).map(&mut way).collect();
    let again: Vec<_> = (0..count).map(&mut way).collect();
    assert_eq!(ways, again, "a flow stays on its path");
    ways
}

/// Four paths of two links; a fifth of three is not as short. Of 400 flows each takes 100 in the mean, with a standard
/// deviation of 8.7.
#[test]
fn flows_are_spread_evenly_over_the_paths_of_fewest_links() {
    let laid = "a m1 1, a m2 9, a m3 1, a m4 1, m1 b 1, m2 b 1, m3 b 1, m4 b 1, a n1 0, n1 n2 0, n2 b 0";
    let ways = spread(laid, 7, "b", 400);
    for middle in ["m1", "m2", "m3", "m4"] {
        let over = ways.iter().filter(|way| way[0] == format!("a->{middle}")).count();
        assert!((65..=135).contains(&over), "{over} of 400 over {middle}");
    }
    assert!(ways.iter().all(|way| way.len() == 2));
    let other = spread(laid, 8, "b", 400);
    let moved = ways.iter().zip(&other).filter(|(one, other)| one != other).count();
    assert!(
        (250..=350).contains(&moved),
        "by another seed three of four flows take another path, not {moved} of 400"
    );
}

/// Routers choose independently: of the flows that the first sends one way, the second sends a half each way.
#[test]
fn the_choice_of_a_router_says_nothing_about_the_next() {
    let ways = spread("a x 1, a y 1, x p 1, x q 1, y p 1, y q 1, p b 1, q b 1", 3, "b", 400);
    for (first, second) in [("x", "p"), ("x", "q"), ("y", "p"), ("y", "q")] {
        let over = ways.iter().filter(|way| way[1] == format!("{first}->{second}")).count();
        assert!((65..=135).contains(&over), "{over} of 400 over {first} and {second}");
    }
}

#[test]
fn what_cannot_be_reached_is_named_where_flows_are_spread() {
    let mut network: Network<()> = Network::new(graph("a b 1, c d 1"), 1);
    network.spread_flows(1);
    let node = |name| network.graph().find_node(name).unwrap();
    let (a, d) = (node("a"), node("d"));
    assert_eq!(network.route_of(0, a, d).unwrap_err().to_string(), "no links lead from a to d");
    assert!(network.route_of(0, a, a).is_err());
}

/// Every node's best distance from one, by trying all links over and over (Bellman and Ford).
fn distances(graph: &Graph, source: usize) -> Vec<Option<(u32, Duration)>> {
    let mut best = vec![None; graph.node_names().len()];
    best[source] = Some((0, Duration::ZERO));
    for _ in graph.node_names() {
        for edge in graph.edges() {
            let Some((hops, delay)) = best[edge.from.index()] else { continue };
            let through = (hops + 1, delay + edge.config.delay);
            let known = &mut best[edge.to.index()];
            if known.is_none_or(|known| through < known) {
                *known = Some(through);
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_route_is_a_shortest_one(laid in prop::collection::vec((0_usize..9, 0_usize..9, 0_u64..4), 0..24)) {
        let mut graph = Graph::new();
        let nodes: Vec<_> = (0..9).map(|node| graph.node(&format!("n{node}"))).collect();
        for (from, to, delay) in laid {
            // Loops and doubles are refused, which is as well.
            let _ = graph.add_link(nodes[from], nodes[to], config(delay));
        }
        let mut network: Network<()> = Network::new(graph.clone(), 1);
        for source in &nodes {
            let best = distances(&graph, source.index());
            for destination in nodes.iter().filter(|node| *node != source) {
                let Ok(route) = network.route(*source, *destination) else {
                    prop_assert_eq!(best[destination.index()], None);
                    continue;
                };
                let (mut at, mut hops, mut delay) = (*source, 0, Duration::ZERO);
                for link in network.path(route) {
                    let edge = graph.edge(link);
                    prop_assert_eq!(edge.from, at);
                    (at, hops, delay) = (edge.to, hops + 1, delay + edge.config.delay);
                }
                prop_assert_eq!(at, *destination);
                prop_assert_eq!(Some((hops, delay)), best[destination.index()]);
            }
        }
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_packet_without_a_route_is_not_sent() {
    let mut network: Network<()> = Network::new(graph("a b 1"), 1);
    let packet = Packet {
        flow: 0,
        incarnation: 0,
        route: ackclock_network::RouteCursor::NOWHERE,
        size: 1,
        data: true,
        ecn: Ecn::NotCapable,
        payload: (),
    };
    let _ = network.send(Time::ZERO, &packet, &mut EventList::new());
}
