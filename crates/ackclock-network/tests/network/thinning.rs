//! Acknowledgments that take the place of earlier ones in the queue (RFC 3449, 5.2.1), by timelines worked out by hand.

use ackclock_network::{
    Arrival, BufferSize, DropReason, EventList, Fate, Graph, HeaderView, LinkConfig, LinkId, Network, Packet,
    PathConfig, RouteCursor,
};
use ackclock_units::Duration;

use crate::common::{Numbered, at, byte_per_microsecond, delivered, impairments, packet, run};

/// Payloads from here on are not those of acknowledgments.
const OTHER: u32 = 1000;

/// A link of 8 Mbit/s that thins acknowledgments; a packet below [`OTHER`] acknowledges its number.
fn thinning_link<A: Copy>(buffer: BufferSize) -> (Network<u32, A>, RouteCursor) {
    let path = PathConfig { impairments: impairments(&["thinning"]), ..PathConfig::default() };
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    let config: LinkConfig = byte_per_microsecond(Duration::ZERO).with_path(path).with_buffer(buffer);
    graph.add_link(a, b, config).unwrap();
    let mut network = Network::new(graph, 1);
    network.read_headers(|number| HeaderView {
        acknowledgment: (*number < OTHER).then_some(u64::from(*number)),
        ..HeaderView::default()
    });
    let route = network.route(a, b).unwrap();
    (network, route)
}

/// The route over that link, the only one.
fn only_route() -> RouteCursor {
    thinning_link::<()>(BufferSize::Unlimited).1
}

/// An acknowledgment of 100 bytes.
fn acknowledgment(route: RouteCursor, number: u32) -> Numbered {
    Packet { data: false, ..packet(route, 100, number) }
}

/// Arrivals, in microseconds, of packets sent at these microseconds; the number of acknowledgments thinned out.
fn arrivals(buffer: BufferSize, sent: &[(u64, Numbered)]) -> (Vec<(u64, u32)>, u64) {
    let (mut network, _) = thinning_link(buffer);
    let traffic: Vec<_> = sent.iter().map(|(time, packet)| (at(*time), *packet)).collect();
    let log = run(&mut network, &traffic);
    let (counts, stats) = (network.conservation(), network.link_stats(LinkId::new(0), at(100_000)));
    assert!(counts.holds(), "{counts:?}");
    assert_eq!(stats.offered, stats.forwarded + stats.dropped_queue + stats.thinned);
    assert_eq!((stats.thinned, stats.dropped_loss), (counts.thinned, 0));
    (
        delivered(&log).into_iter().map(|(time, number)| (time.as_nanos() / 1000, number)).collect(),
        stats.thinned,
    )
}

#[test]
fn an_acknowledgment_takes_the_place_of_the_one_that_waits() {
    let route = only_route();
    let sent = [
        (0, packet(route, 1000, OTHER)),
        (100, acknowledgment(route, 10)),
        (200, acknowledgment(route, 20)),
        (300, Packet { flow: 1, ..packet(route, 500, OTHER + 1) }),
        (400, acknowledgment(route, 30)),
        // The place is taken from 1000 us on, when its transmission begins.
        (1050, acknowledgment(route, 40)),
    ];
    let expected = vec![(1000, OTHER), (1100, 30), (1600, OTHER + 1), (1700, 40)];
    assert_eq!(arrivals(BufferSize::Unlimited, &sent), (expected, 2));
}

/// Three duplicates say that a segment is missing.
#[test]
fn duplicates_stay_three() {
    let route = only_route();
    let sent = [
        (0, packet(route, 1000, OTHER)),
        (1, acknowledgment(route, 10)),
        (2, acknowledgment(route, 20)),
        (3, acknowledgment(route, 20)),
        (4, acknowledgment(route, 20)),
        (5, acknowledgment(route, 20)),
    ];
    let numbers: Vec<u32> =
        arrivals(BufferSize::Unlimited, &sent).0.into_iter().map(|(_, number)| number).collect();
    assert_eq!(numbers, [OTHER, 20, 20, 20, 20]);
}

#[test]
fn no_acknowledgment_overtakes_a_packet_of_its_flow() {
    let route = only_route();
    let larger = Packet { size: 112, ..acknowledgment(route, 20) };
    let sent = [
        (0, packet(route, 1000, OTHER)),
        (1, acknowledgment(route, 10)),
        (2, larger),
        (3, acknowledgment(route, 30)),
        (4, packet(route, 1000, OTHER + 1)),
        (5, acknowledgment(route, 40)),
        (6, acknowledgment(route, 50)),
    ];
    let expected = vec![(1000, OTHER), (1100, 10), (1212, 20), (1312, 30), (2312, OTHER + 1), (2412, 50)];
    assert_eq!(arrivals(BufferSize::Unlimited, &sent), (expected, 1));
}

#[test]
fn flows_keep_their_own_places() {
    let route = only_route();
    let of_other_flow = |number| Packet { flow: 1, ..acknowledgment(route, number) };
    let sent = [
        (0, packet(route, 1000, OTHER)),
        (1, acknowledgment(route, 10)),
        (2, of_other_flow(11)),
        (3, of_other_flow(21)),
        (4, acknowledgment(route, 20)),
    ];
    assert_eq!(arrivals(BufferSize::Unlimited, &sent), (vec![(1000, OTHER), (1100, 20), (1200, 21)], 2));
}

/// An exchange needs no room, so that the acknowledgments of a full queue go on.
#[test]
fn a_full_buffer_takes_an_acknowledgment_that_replaces_another() {
    let (mut network, route) = thinning_link::<()>(BufferSize::Packets(2));
    let mut events = EventList::new();
    let mut send = |time, packet| network.send(at(time), &packet, &mut events);
    for packet in [packet(route, 1000, OTHER), acknowledgment(route, 10)] {
        assert_eq!(send(0, packet), Fate::Queued);
    }
    assert_eq!(send(0, Packet { flow: 1, ..packet(route, 1000, OTHER + 1) }), Fate::Queued);
    assert!(matches!(
        send(1, Packet { flow: 1, ..acknowledgment(route, 7) }),
        Fate::Dropped { reason: DropReason::Queue, .. }
    ));
    assert!(matches!(send(2, acknowledgment(route, 20)), Fate::Dropped { reason: DropReason::Thinned, .. }));
    // The packet that is gone is the earlier acknowledgment.
    assert_eq!(network.dropped().payload, 10);
}

/// SACK blocks and timestamps are in the extension.
#[test]
fn an_extension_goes_with_its_acknowledgment() {
    let route = only_route();
    for (first, second) in [(Some(1_u8), Some(2)), (None, Some(2)), (Some(1), None)] {
        let (mut network, _) = thinning_link::<u8>(BufferSize::Unlimited);
        let mut events = EventList::new();
        assert_eq!(network.send(at(0), &packet(route, 1000, OTHER), &mut events), Fate::Queued);
        for (number, extension) in [(10, first), (20, second)] {
            let packet = acknowledgment(route, number);
            let _ = match extension {
                Some(extension) => network.send_with(at(u64::from(number)), &packet, &extension, &mut events),
                None => network.send(at(u64::from(number)), &packet, &mut events),
            };
        }
        let mut last = None;
        while let Some(event) = events.pop() {
            if let Arrival::Delivered(packet, extension) =
                network.arrive(LinkId::new(event.target), event.time, &mut events)
            {
                last = Some((packet.payload, extension));
            }
        }
        assert_eq!(last, Some((20, second)));
    }
}
