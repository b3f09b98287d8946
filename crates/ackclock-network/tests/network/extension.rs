//! The extensions of packets: delivered with their packets and with no others.

use ackclock_network::{Arrival, EventList, Graph, LinkId, Network};
use ackclock_units::Duration;

use crate::common::{at, byte_per_microsecond, packet};

#[test]
fn an_extension_arrives_with_its_packet_only() {
    let mut graph = Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    graph.add_link(a, b, byte_per_microsecond(Duration::from_millis(2))).unwrap();
    graph.add_link(b, c, byte_per_microsecond(Duration::from_millis(3))).unwrap();
    let mut network: Network<u32, [u64; 4]> = Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    let mut events = EventList::new();
    // Every third has something, and slots are used again.
    let extension = |number: u32| number.is_multiple_of(3).then_some([u64::from(number); 4]);
    let mut arrived = Vec::new();
    for number in 0..60 {
        let now = at(u64::from(number) * 1_000);
        while let Some(event) = events.pop_until(now) {
            let link = LinkId::new(event.target);
            if let Some((head, found)) = network.head(link) {
                assert_eq!(found, extension(head.payload), "of a packet in flight");
            }
            if let Arrival::Delivered(packet, delivered) = network.arrive(link, event.time, &mut events) {
                assert_eq!(delivered, extension(packet.payload));
                arrived.push(packet.payload);
            }
        }
        let packet = packet(route, 100, number);
        let _ = match extension(number) {
            Some(extension) => network.send_with(now, &packet, &extension, &mut events),
            None => network.send(now, &packet, &mut events),
        };
    }
    assert!(arrived.len() > 50 && arrived.is_sorted());
}
