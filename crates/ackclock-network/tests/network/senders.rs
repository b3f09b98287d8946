//! Senders without congestion control, and what each gets through a queue.

use ackclock_network::{Arrival, BufferSize, Class, Ecn, EventList, LinkConfig, LinkId, Packet, Queue};
use ackclock_units::{Duration, Rate, Time};

use crate::common::single;

/// A flow that sends a packet of `size` bytes every this many microseconds.
#[derive(Clone, Copy)]
pub struct Sender {
    pub size: u32,
    pub every: u64,
    pub ecn: Ecn,
    pub class: u8,
}

impl Sender {
    /// A flow of the lowest class whose packets are not ECN-capable.
    pub fn new(size: u32, every: u64) -> Sender {
        Sender { size, every, ecn: Ecn::NotCapable, class: 0 }
    }
}

/// A flow's share: packets sent, delivered and marked, bytes, and packet delays in microseconds: their sum and the longest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    pub sent: u64,
    pub delivered: u64,
    pub marked: u64,
    pub bytes: u64,
    pub delays: u64,
    pub longest: u64,
}

impl Share {
    /// The part of its packets that was lost.
    pub fn lost(&self) -> f64 {
        1.0 - self.delivered as f64 / self.sent as f64
    }

    /// The mean delay in milliseconds.
    pub fn mean_delay(&self) -> f64 {
        self.delays as f64 / self.delivered as f64 / 1000.0
    }
}

/// Lets the senders share a link of a byte per microsecond for two seconds, without those before 10 ms: at the very beginning
/// all flows are new.
pub fn share(queue: Queue, buffer: u32, senders: &[Sender]) -> Vec<Share> {
    share_in(queue, buffer, senders, (10, 2000))
}

/// [`share`], of the packets sent in this span of milliseconds; the payload is the time of sending.
pub fn share_in(queue: Queue, buffer: u32, senders: &[Sender], (from, to): (u64, u64)) -> Vec<Share> {
    let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::ZERO)
        .with_buffer(BufferSize::Packets(buffer))
        .with_queue(queue);
    let (mut network, route) = single(config, 5);
    network.set_classes(&senders.iter().map(|sender| sender.class).collect());
    let mut events = EventList::new();
    let mut shares = vec![Share::default(); senders.len()];
    for flow in 0..senders.len() as u32 {
        events.schedule(Time::ZERO, Class::Timer, flow);
    }
    while let Some(event) = events.pop_until(Time::from_nanos(to * 1_000_000)) {
        let micros = (event.time.as_nanos() / 1000) as u32;
        if event.class == Class::Timer {
            let Sender { size, every, ecn, .. } = senders[event.target as usize];
            let flow = event.target;
            let packet = Packet { flow, incarnation: 0, route, size, data: true, ecn, payload: micros };
            let _ = network.send(event.time, &packet, &mut events);
            events.schedule(event.time + Duration::from_micros(every), Class::Timer, flow);
            shares[flow as usize].sent += u64::from(u64::from(micros) >= 1000 * from);
        } else if let Arrival::Delivered(packet, _) =
            network.arrive(LinkId::new(event.target), event.time, &mut events)
            && u64::from(packet.payload) >= 1000 * from
        {
            let share = &mut shares[packet.flow as usize];
            let delay = u64::from(micros - packet.payload);
            share.delivered += 1;
            share.marked += u64::from(packet.ecn == Ecn::Congested);
            share.bytes += u64::from(packet.size);
            share.delays += delay;
            share.longest = share.longest.max(delay);
        }
    }
    assert!(network.conservation().holds());
    shares
}
