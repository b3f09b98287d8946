//! Helpers for the tests of the network.

use ackclock_catalogue::Part;
use ackclock_network::{
    Arrival, Class, Ecn, EventList, Graph, IMPAIRMENTS, LinkConfig, LinkId, Markov, Network, Opportunities,
    Packet, PathConfig, Points, Profile, RouteCursor, TUNNELS,
};
use ackclock_units::{Duration, Rate, Time};
use proptest::prelude::*;

/// A packet whose payload is its number.
pub type Numbered = Packet<u32>;

/// The instant `micros` microseconds after the start.
pub fn at(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

/// 8 Mbit/s: a byte takes a microsecond.
pub fn byte_per_microsecond(delay: Duration) -> LinkConfig {
    LinkConfig::new(Rate::from_bits_per_second(8_000_000), delay)
}

/// One link direction between two nodes, and the route over it.
pub fn single(config: LinkConfig, seed: u64) -> (Network<u32>, RouteCursor) {
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    graph.add_link(a, b, config).unwrap();
    let mut network = Network::new(graph, seed);
    let route = network.route(a, b).unwrap();
    (network, route)
}

/// A data packet of flow 0.
pub fn packet(route: RouteCursor, size: u32, number: u32) -> Numbered {
    Packet { flow: 0, incarnation: 0, route, size, data: true, ecn: Ecn::NotCapable, payload: number }
}

/// The arrivals at the far ends, in order.
pub type Log = Vec<(Time, Arrival<u32, ()>)>;

/// Sends packets given by time, in order, and runs until nothing is due.
pub fn run(network: &mut Network<u32>, traffic: &[(Time, Numbered)]) -> Log {
    let mut events = EventList::new();
    for (index, (time, _)) in traffic.iter().enumerate() {
        events.schedule(*time, Class::Control, index as u32);
    }
    let mut log = Log::new();
    while let Some(event) = events.pop() {
        if event.class == Class::Link {
            log.push((event.time, network.arrive(LinkId::new(event.target), event.time, &mut events)));
        } else {
            let _ = network.send(event.time, &traffic[event.target as usize].1, &mut events);
        }
    }
    log
}

/// Times and numbers of the packets delivered.
pub fn delivered(log: &Log) -> Vec<(Time, u32)> {
    let number = |(time, arrival): &(Time, Arrival<u32, ()>)| match arrival {
        Arrival::Delivered(packet, _) => Some((*time, packet.payload)),
        _ => None,
    };
    log.iter().filter_map(number).collect()
}

/// Impairments by their specifications.
pub fn impairments(specs: &[&str]) -> Vec<Part> {
    let part = |spec: &&str| {
        let read = |entry| Part::read(entry, spec).unwrap();
        IMPAIRMENTS.iter().find_map(read).unwrap_or_else(|| panic!("no impairment {spec}"))
    };
    specs.iter().map(part).collect()
}

/// Paths on which nothing varies, mostly, or one or several things do.
pub fn paths() -> impl Strategy<Value = PathConfig> {
    let plain = Just(PathConfig::default());
    prop_oneof![3 => plain, 1 => varying_paths()]
}

/// Paths with impairments alone.
pub fn impaired_paths() -> impl Strategy<Value = PathConfig> {
    let plain = PathConfig::default();
    prop_oneof![
        4 => Just(plain.clone()),
        1 => specs().prop_map(move |specs| PathConfig { impairments: impairments(&specs), ..plain.clone() }),
    ]
}

fn specs() -> impl Strategy<Value = Vec<&'static str>> {
    let specs = [
        "jitter(uniform=3)",
        "aggregation(period=0.7)",
        "retransmission(probability=0.3,after=1,attempts=3)",
        "reordering(probability=0.3,delay=2)",
        "reordering(probability=0.3,delay=5,packets=2)",
        "spraying(paths=3,spread=2)",
        "overtaking",
        "duplication(probability=0.3)",
        "policer(rate=5 Mbit/s,burst=3000)",
        "circuit-breaker(interval=0.002,reset=0.01)",
        "shaper(rate=5 Mbit/s,burst=3000)",
    ];
    prop::sample::subsequence(specs.to_vec(), 0..4).prop_shuffle()
}

fn varying_paths() -> impl Strategy<Value = PathConfig> {
    let trace = prop::collection::vec(0_u32..3, 1..9).prop_map(|gaps| {
        let mut time = 0;
        let times = gaps.into_iter().chain([1]).map(|gap| {
            time += gap;
            time
        });
        Opportunities { times: times.collect(), size: Opportunities::SIZE, header: Opportunities::HEADER }
    });
    let rate = prop_oneof![4 => Just(None), 1 => profiles(50_000_000).prop_map(Some)];
    let up = prop_oneof![4 => Just(None), 1 => profiles(2).prop_map(Some)];
    let delay = prop_oneof![2 => Just(None), 1 => profiles(3_000_000).prop_map(Some)];
    let trace = prop_oneof![3 => Just(None), 1 => trace.prop_map(Some)];
    let tunnel =
        prop_oneof![3 => Just(None), 1 => (0..TUNNELS.len()).prop_map(|mode| Some(Part::of(&TUNNELS[mode])))];
    let parts = (rate, trace, up, delay, specs(), tunnel);
    parts.prop_map(|(rate, opportunities, up, delay, specs, tunnel)| PathConfig {
        // A trace has no outages.
        up: up.filter(|_| opportunities.is_none()),
        rate: rate.filter(|_| opportunities.is_none()),
        opportunities,
        delay,
        impairments: impairments(&specs),
        tunnel,
        until: at(1_000_000_000),
    })
}

/// Functions of time that are below `most`, and not zero for ever.
fn profiles(most: u64) -> impl Strategy<Value = Profile> {
    let values = prop::collection::vec((1_u64..1000, 0..most), 1..5);
    (values, any::<bool>(), any::<bool>()).prop_map(move |(values, linear, random)| {
        let spans = values.iter().map(|(micros, _)| Duration::from_micros(*micros));
        let ends: Vec<u64> = values
            .iter()
            .scan(0, |time, (micros, _)| {
                *time += micros;
                Some(*time)
            })
            .collect();
        let levels: Vec<u64> = values.iter().map(|(_, value)| *value).chain([most - 1]).collect();
        if random {
            let dwell = spans.chain([Duration::from_micros(100)]);
            let states = levels.into_iter().zip(dwell).collect();
            return Profile::Markov(Markov { states, neighbours: linear });
        }
        let times = [0].into_iter().chain(ends.iter().copied()).map(Duration::from_micros);
        let every = ends.last().map(|last| Duration::from_micros(last + 100));
        Profile::Points(Points { points: times.zip(levels).collect(), linear, every })
    })
}
