//! A queue marks what finds too much waiting (RFC 3168, section 5; DCTCP's threshold, Alizadeh et al. 2010, 3.1).

use ackclock_network::{Arrival, BufferSize, Ecn, EventList, LinkConfig, LinkId, LossModel, Network, Packet};
use ackclock_units::Duration;

use crate::common::{at, byte_per_microsecond, packet, run, single};

fn link() -> LinkConfig {
    byte_per_microsecond(Duration::ZERO)
}

/// The fields of what was delivered, in order.
fn fields(log: &[(ackclock_units::Time, Arrival<u32, ()>)]) -> Vec<Ecn> {
    let field = |(_, arrival): &(_, Arrival<u32, ()>)| match arrival {
        Arrival::Delivered(packet, _) => Some(packet.ecn),
        _ => None,
    };
    log.iter().filter_map(field).collect()
}

/// One on the wire, and then a queue that grows: the packets that find three, four and five waiting are marked, those
/// before them are not, and nothing changes about when they arrive.
#[test]
fn what_finds_more_than_the_threshold_is_marked() {
    let (mut network, route) = single(link().with_ecn_threshold(Some(2)), 1);
    let traffic: Vec<_> =
        (0..7).map(|number| (at(0), Packet { ecn: Ecn::Capable0, ..packet(route, 1000, number) })).collect();
    let log = run(&mut network, &traffic);
    let mut expected = vec![Ecn::Capable0; 4];
    expected.extend([Ecn::Congested; 3]);
    assert_eq!(fields(&log), expected);
    let times: Vec<_> = log.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, (1..=7).map(|count| at(1000 * count)).collect::<Vec<_>>());
    let stats = network.link_stats(LinkId::new(0), at(7000));
    assert_eq!((stats.marked, stats.forwarded, stats.dropped_queue), (3, 7, 0));
}

/// The threshold applies to the instantaneous queue, not to an average: once the queue is empty no packet is marked.
#[test]
fn the_threshold_is_instantaneous() {
    let (mut network, route) = single(link().with_ecn_threshold(Some(0)), 1);
    let capable = |number| Packet { ecn: Ecn::Capable1, ..packet(route, 1000, number) };
    let traffic = [(at(0), capable(0)), (at(0), capable(1)), (at(0), capable(2)), (at(3000), capable(3))];
    let log = run(&mut network, &traffic);
    let (clean, marked) = (Ecn::Capable1, Ecn::Congested);
    assert_eq!(fields(&log), [clean, clean, marked, clean]);
    assert_eq!(Ecn::Congested.bits(), 0b11);
}

/// Only packets of ECN-capable transports are marked; others wait, and a full buffer drops packets of both.
#[test]
fn what_is_not_capable_is_not_marked_but_dropped_by_the_tail() {
    let (mut network, route) =
        single(link().with_ecn_threshold(Some(1)).with_buffer(BufferSize::Packets(3)), 1);
    let field = |number: u32| if number.is_multiple_of(2) { Ecn::Capable0 } else { Ecn::NotCapable };
    let traffic: Vec<_> =
        (0..8).map(|number| (at(0), Packet { ecn: field(number), ..packet(route, 1000, number) })).collect();
    let log = run(&mut network, &traffic);
    assert_eq!(fields(&log), [Ecn::Capable0, Ecn::NotCapable, Ecn::Capable0, Ecn::NotCapable]);
    // The fifth packet would have been marked, had there been room for it.
    let stats = network.link_stats(LinkId::new(0), at(8000));
    assert_eq!((stats.marked, stats.dropped_queue), (0, 4));
}

/// A mark stays on the packet on links that do not mark, and other links' losses do not change that.
#[test]
fn a_mark_travels_to_the_end() {
    let mut graph = ackclock_network::Graph::new();
    let (a, b, c) = (graph.node("a"), graph.node("b"), graph.node("c"));
    graph.add_link(a, b, link().with_ecn_threshold(Some(0))).unwrap();
    graph.add_link(b, c, link().with_loss(LossModel::Bernoulli(0.0))).unwrap();
    let mut network: Network<u32> = Network::new(graph, 1);
    let route = network.route(a, c).unwrap();
    let mut events = EventList::new();
    for number in 0..3 {
        let _ =
            network.send(at(0), &Packet { ecn: Ecn::Capable0, ..packet(route, 1000, number) }, &mut events);
    }
    let mut arrived = Vec::new();
    while let Some(event) = events.pop() {
        if let Arrival::Delivered(packet, _) =
            network.arrive(LinkId::new(event.target), event.time, &mut events)
        {
            arrived.push((packet.ecn, packet.size));
        }
    }
    assert_eq!(arrived, [(Ecn::Capable0, 1000), (Ecn::Capable0, 1000), (Ecn::Congested, 1000)]);
}

/// Marks before the end of the warm-up do not count.
#[test]
fn marks_are_counted_from_the_end_of_the_warm_up() {
    let (mut network, route) = single(link().with_ecn_threshold(Some(0)), 1);
    let mut events = EventList::new();
    let mut send = |network: &mut Network<u32>, micros| {
        let _ =
            network.send(at(micros), &Packet { ecn: Ecn::Capable0, ..packet(route, 1000, 0) }, &mut events);
    };
    (0..4).for_each(|_| send(&mut network, 0));
    assert_eq!(network.link_stats(LinkId::new(0), at(10)).marked, 2);
    network.measure_from(at(10));
    send(&mut network, 20);
    assert_eq!(network.link_stats(LinkId::new(0), at(30)).marked, 1);
}
