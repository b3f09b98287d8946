//! Explicit feedback: queues write into the congestion headers of the packets that pass them.

use ackclock_network::{
    Arrival, CongestionHeader, EventList, Graph, LinkConfig, LinkId, Network, Queue, Xcp,
};
use ackclock_units::{Duration, Rate};

use crate::common::{at, packet};

/// A congestion header: the round-trip time, X, and the change of the throughput.
type Header = (f64, f64, f32);

#[expect(clippy::unnecessary_wraps, reason = "the network asks every extension")]
fn congestion_header(header: &mut Header) -> Option<CongestionHeader<'_>> {
    let (rtt, spacing, delta_throughput) = header;
    Some(CongestionHeader { rtt: *rtt, spacing: *spacing, delta_throughput })
}

/// A flow of 250 kB/s over links of 1000 and 500 kB/s, in control intervals of 100 ms with 25 packets each: the first grants 40 % of
/// 750 kB/s, 12,000 B/s for each packet, the second 40 % of 250, 4000 B/s. The packet arrives with the less of both, and one
/// without a header with none.
#[test]
fn the_tighter_link_decides() {
    let mut graph = Graph::new();
    let nodes = [graph.node("a"), graph.node("b"), graph.node("c")];
    let rule = Xcp { initial_interval: Duration::from_millis(100), ..Xcp::default() };
    for (place, megabits) in [(0, 8), (1, 4)] {
        let rate = Rate::from_bits_per_second(megabits * 1_000_000);
        let config = LinkConfig::new(rate, Duration::from_millis(1)).with_queue(Queue::Xcp(rule));
        graph.add_link(nodes[place], nodes[place + 1], config).unwrap();
    }
    let mut network: Network<u32, Header> = Network::new(graph, 1);
    network.read_congestion_headers(congestion_header);
    let route = network.route(nodes[0], nodes[2]).unwrap();
    let mut events = EventList::new();
    let mut arrived = Vec::new();
    for number in 0..75 {
        let now = at(u64::from(number) * 4_000);
        while let Some(event) = events.pop_until(now) {
            if let Arrival::Delivered(packet, extension) =
                network.arrive(LinkId::new(event.target), event.time, &mut events)
            {
                arrived.push((packet.payload, extension.map(|header| header.2)));
            }
        }
        let packet = packet(route, 1000, number);
        let _ = match number {
            60 => network.send(now, &packet, &mut events),
            _ => network.send_with(now, &packet, &(0.1, 0.004, f32::INFINITY), &mut events),
        };
    }
    let granted = |number: u32| arrived.iter().find(|(packet, _)| *packet == number).unwrap().1;
    assert_eq!(granted(0), Some(0.0), "nothing is known in the first interval");
    assert!((granted(40).unwrap() - 4_000.0).abs() < 1.0, "{:?}", granted(40));
    assert_eq!(granted(60), None);
}
