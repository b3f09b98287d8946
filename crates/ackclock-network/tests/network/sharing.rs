//! Shares of a link under each discipline, for flows without congestion control.

use crate::common::single;
use ackclock_network::{
    Arrival, BufferSize, Class, Ecn, EventList, FqCodel, LinkConfig, LinkId, Packet, Queue, Sfq,
};
use ackclock_units::{Duration, Rate, Time};

/// A flow that sends a packet of `size` bytes every so many microseconds.
#[derive(Clone, Copy)]
struct Sender {
    size: u32,
    every: u64,
}

/// A flow's share: packets sent and delivered, bytes, and the longest packet delay in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    sent: u64,
    delivered: u64,
    bytes: u64,
    longest: u64,
}

/// Lets the senders share a link of a byte per microsecond for two seconds; the payload is the time of sending.
fn share(queue: Queue, buffer: u32, senders: &[Sender]) -> Vec<Share> {
    let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::ZERO)
        .with_buffer(BufferSize::Packets(buffer))
        .with_queue(queue);
    let (mut network, route) = single(config, 5);
    let mut events = EventList::new();
    let mut shares = vec![Share::default(); senders.len()];
    for flow in 0..senders.len() as u32 {
        events.schedule(Time::ZERO, Class::Timer, flow);
    }
    while let Some(event) = events.pop_until(Time::from_nanos(2_000_000_000)) {
        let micros = (event.time.as_nanos() / 1000) as u32;
        if event.class == Class::Timer {
            let Sender { size, every } = senders[event.target as usize];
            let (flow, ecn) = (event.target, Ecn::NotCapable);
            let packet = Packet { flow, incarnation: 0, route, size, data: true, ecn, payload: micros };
            let _ = network.send(event.time, &packet, &mut events);
            events.schedule(event.time + Duration::from_micros(every), Class::Timer, flow);
            shares[flow as usize].sent += 1;
        } else if let Arrival::Delivered(packet, _) =
            network.arrive(LinkId::new(event.target), event.time, &mut events)
        {
            let share = &mut shares[packet.flow as usize];
            share.delivered += 1;
            share.bytes += u64::from(packet.size);
            if packet.payload > 10_000 {
                // At the very beginning all flows are new.
                share.longest = share.longest.max(u64::from(micros - packet.payload));
            }
        }
    }
    assert!(network.conservation().holds());
    shares
}

/// RFC 8290, 1.3 and 4: flows that send too much have equal shares in bytes, whatever their packets' size, and one that
/// sends little finds an empty queue of its own: it waits for no more than the packet being transmitted.
#[test]
fn flow_queueing_shares_bytes_and_lets_sparse_flows_through() {
    let senders = [
        Sender { size: 1500, every: 1000 },
        Sender { size: 500, every: 250 },
        Sender { size: 100, every: 50_000 },
    ];
    let shares = share(Queue::FqCodel(FqCodel::default()), 1000, &senders);
    let (large, small) = (shares[0].bytes as f64, shares[1].bytes as f64);
    assert!((large / small - 1.0).abs() < 0.02, "{shares:?}");
    assert!(large + small > 1.9e6, "the link is full: {shares:?}");
    assert!(shares[2].delivered + 1 >= shares[2].sent, "{shares:?}");
    assert!(shares[2].longest <= 1500 + 100, "{shares:?}");
}

/// The buffer is the fattest queue's to lose: a flow that floods costs another nothing.
#[test]
fn at_a_full_buffer_flow_queueing_drops_from_the_fattest() {
    let senders = [Sender { size: 1000, every: 100 }, Sender { size: 1000, every: 2500 }];
    let shares = share(Queue::FqCodel(FqCodel::default()), 20, &senders);
    assert!(shares[1].delivered + 1 >= shares[1].sent, "{shares:?}");
}

/// `McKenney` 1990: each bucket has its turn, so that flows that send too much have equal shares, and one that sends less
/// than its share loses nothing, though the buffer is always full.
#[test]
fn stochastic_fairness_gives_equal_shares_and_takes_from_the_longest() {
    let senders = [
        Sender { size: 1000, every: 1000 },
        Sender { size: 1000, every: 300 },
        Sender { size: 1000, every: 8000 },
    ];
    let shares = share(Queue::Sfq(Sfq::default()), 30, &senders);
    let (one, other) = (shares[0].delivered as f64, shares[1].delivered as f64);
    assert!((one / other - 1.0).abs() < 0.02, "{shares:?}");
    assert!(shares[2].delivered + 1 >= shares[2].sent, "{shares:?}");
    // With drop-tail it is the phase of regular arrivals that decides (Floyd and Jacobson 1992).
    let shares = share(Queue::DropTail, 30, &senders);
    let ratio = shares[0].delivered as f64 / shares[1].delivered as f64;
    assert!(!(0.5..2.0).contains(&ratio), "{shares:?}");
}
