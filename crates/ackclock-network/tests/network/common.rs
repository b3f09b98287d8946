//! Helpers for the tests of the network.

use ackclock_network::{
    Arrival, Class, Ecn, EventList, Graph, LinkConfig, LinkId, Network, Packet, RouteCursor,
};
use ackclock_units::{Duration, Rate, Time};

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
