//! Tunnels over a link (RFC 6040): what a mark of the tunnel's queue, and its absence, become at the end.

use ackclock_catalogue::Part;
use ackclock_network::{
    Arrival, BufferSize, Codel, DropReason, Ecn, LinkConfig, LinkId, LossModel, Packet, PathConfig, Queue,
    TUNNELS,
};
use ackclock_units::{Duration, Time};

use crate::common::{at, byte_per_microsecond, impairments, packet, run, single};

/// A link of a byte in a microsecond that is this tunnel.
fn tunnel(mode: &str, impaired: &[&str]) -> LinkConfig {
    let entry = TUNNELS.iter().find(|entry| entry.name == mode).expect("a mode");
    let path = PathConfig {
        tunnel: Some(Part::of(entry)),
        impairments: impairments(impaired),
        ..PathConfig::default()
    };
    byte_per_microsecond(Duration::ZERO).with_path(path)
}

/// The arrivals of three packets of 980 bytes with this field. The last finds one waiting, and is marked if it can be.
fn arriving(link: LinkConfig, ecn: Ecn) -> Vec<(Time, Arrival<u32, ()>)> {
    let (mut network, route) = single(link.with_ecn_threshold(Some(0)), 1);
    let traffic: Vec<_> =
        (0..3).map(|number| (at(0), Packet { ecn, ..packet(route, 980, number) })).collect();
    run(&mut network, &traffic)
}

/// The field of the first packet, which finds no queue, and of the last.
fn ends(mode: &str, ecn: Ecn) -> [Option<Ecn>; 2] {
    let log = arriving(tunnel(mode, &[]), ecn);
    let field = |(_, arrival): &(Time, Arrival<u32, ()>)| match arrival {
        Arrival::Delivered(packet, _) => Some(packet.ecn),
        _ => None,
    };
    [log.first().and_then(field), log.last().and_then(field)]
}

const NOT: Ecn = Ecn::NotCapable;
const ECT0: Ecn = Ecn::Capable0;
const ECT1: Ecn = Ecn::Capable1;
const CE: Ecn = Ecn::Congested;

/// RFC 6040, 4.1 and 4.2: in normal mode a mark in the tunnel arrives; in compatibility mode there is none. In both the field of a
/// packet that was not marked arrives as it was.
#[test]
fn a_mark_arrives_in_normal_mode() {
    for capable in [ECT0, ECT1] {
        assert_eq!(ends("normal", capable), [Some(capable), Some(CE)]);
        assert_eq!(ends("compatibility", capable), [Some(capable), Some(capable)]);
        assert_eq!(ends("mark-losing", capable), [Some(capable), Some(capable)], "the mark is lost");
        assert_eq!(ends("bleaching", capable), [Some(NOT), Some(NOT)]);
    }
    for mode in ["normal", "compatibility", "mark-losing"] {
        assert_eq!(ends(mode, CE), [Some(CE), Some(CE)], "{mode}: a mark from before the tunnel stays");
    }
    for mode in ["normal", "compatibility", "mark-losing", "bleaching", "re-marking", "capable-dropping"] {
        assert_eq!(ends(mode, NOT), [Some(NOT), Some(NOT)], "{mode}");
    }
}

/// RFC 9000, 13.4.2 and 13.4.2.1, name what broken paths do: they rewrite ECT(0), mark whatever comes, or drop what is not zero.
#[test]
fn broken_tunnels_rewrite_fields_or_drop_their_packets() {
    for (field, after) in [(ECT0, ECT1), (ECT1, ECT1), (CE, CE)] {
        assert_eq!(ends("re-marking", field)[0], Some(after));
        assert_eq!(ends("re-marking", field)[1], Some(CE), "its queue marks");
    }
    for field in [NOT, ECT0, ECT1, CE] {
        assert_eq!(ends("all-marking", field), [Some(CE), Some(CE)]);
    }
    for field in [ECT0, ECT1, CE] {
        let log = arriving(tunnel("capable-dropping", &[]), field);
        let dropped = |(_, arrival): &(Time, Arrival<u32, ()>)| {
            matches!(arrival, Arrival::Dropped { reason: DropReason::Loss, .. })
        };
        assert_eq!(log.iter().filter(|entry| dropped(entry)).count(), 3, "{log:?}");
    }
}

/// RFC 6040, 4.2: what is not capable, and was marked outside, is dropped: its sender would hear of congestion in no other way.
#[test]
fn a_mark_on_what_is_not_capable_is_a_drop() {
    assert_eq!(ends("capable", ECT1), [Some(ECT1), Some(CE)]);
    assert_eq!(ends("capable", NOT)[0], Some(NOT));
    let log = arriving(tunnel("capable", &[]), NOT);
    let Some((_, Arrival::Dropped { reason, packet, .. })) = log.last() else { panic!("{log:?}") };
    assert_eq!((*reason, packet.size, packet.ecn), (DropReason::Loss, 980, NOT));
}

/// The outer header of 20 bytes is on the wire, counts there, and is gone at the end.
#[test]
fn the_outer_header_takes_time() {
    let (mut network, route) = single(tunnel("normal", &[]), 1);
    let log = run(&mut network, &[(at(0), packet(route, 980, 0)), (at(0), packet(route, 480, 1))]);
    let found: Vec<_> = log
        .iter()
        .filter_map(|(time, arrival)| match arrival {
            Arrival::Delivered(packet, _) => Some((*time, packet.size)),
            _ => None,
        })
        .collect();
    assert_eq!(found, [(at(1000), 980), (at(1500), 480)]);
    let stats = network.link_stats(LinkId::new(0), at(1500));
    assert_eq!((stats.forwarded, stats.bytes_forwarded.get()), (2, 1500));
}

/// Whatever drops a packet on the way, its sender sees it as it was sent; and copies are what the packet is.
#[test]
fn packets_that_are_dropped_or_copied_are_those_that_were_sent() {
    let whole = |log: &[(Time, Arrival<u32, ()>)], count: usize| {
        let packets: Vec<_> = log
            .iter()
            .filter_map(|(_, arrival)| match arrival {
                Arrival::Delivered(packet, _) | Arrival::Dropped { packet, .. } => Some(packet),
                _ => None,
            })
            .collect();
        assert_eq!(packets.len(), count, "{log:?}");
        assert!(packets.iter().all(|packet| (packet.size, packet.ecn) == (980, ECT0)), "{log:?}");
    };
    whole(&arriving(tunnel("mark-losing", &["duplication(probability=1)"]), ECT0), 6);
    whole(&arriving(tunnel("mark-losing", &[]).with_loss(LossModel::Bernoulli(1.0)), ECT0), 3);
    whole(&arriving(tunnel("mark-losing", &["reordering(probability=1,packets=1,delay=10 ms)"]), ECT0), 3);
    // Dropped on arrival, by the buffer: the packet that the sender gets back.
    let (mut network, route) = single(tunnel("normal", &[]).with_buffer(BufferSize::Packets(0)), 1);
    let mut events = ackclock_network::EventList::new();
    for number in 0..2 {
        let sent = Packet { ecn: ECT0, ..packet(route, 980, number) };
        if let ackclock_network::Fate::Dropped { .. } = network.send(at(0), &sent, &mut events) {
            assert_eq!((network.dropped().size, network.dropped().ecn, number), (980, ECT0, 1));
        } else {
            assert_eq!(number, 0);
        }
    }
    // Dropped from the queue, later: CoDel's transmitter drops what has waited too long.
    let codel = tunnel("normal", &[]).with_queue(Queue::Codel(Codel::default()));
    let (mut network, route) = single(codel, 1);
    let traffic: Vec<_> = (0..400).map(|number| (at(0), packet(route, 980, number))).collect();
    let log = run(&mut network, &traffic);
    let dropped: Vec<_> = log
        .iter()
        .filter_map(|(_, arrival)| match arrival {
            Arrival::Dropped { packet, .. } => Some(packet.size),
            _ => None,
        })
        .collect();
    assert!(!dropped.is_empty() && dropped.iter().all(|size| *size == 980), "{dropped:?}");
}
