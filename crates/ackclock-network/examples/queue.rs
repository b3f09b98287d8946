//! Packets of many flows through one queue discipline, its buffer full from the beginning: the load of which
//! `python -m benches.queues` counts the instructions.

use std::error::Error;

use ackclock_catalogue::{Part, find};
use ackclock_network::{
    Arrival, BufferSize, DropReason, Ecn, EventList, Fate, Graph, HeaderView, LinkConfig, LinkId, Network,
    Packet, QUEUES, Queue, RouteCursor,
};
use ackclock_random::RandomStream;
use ackclock_units::{Duration, Rate, Time};

const USAGE: &str = "usage: queue SPECIFICATION FLOWS PACKETS";
const SIZE: u32 = 1000;
/// The offered load relative to the link's rate.
const LOAD: f64 = 1.1;
/// The buffer, in packets per flow.
const ROOM: u32 = 2;
/// One packet in this many is marked to be dropped first: fewer than are dropped, so that those that wait are used up, and the rare one
/// that is left may be anywhere in the queue.
const MARKED: u64 = 50;
/// One packet in this many is sent again, as its flow's next.
const RESENT: u64 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [queue, flows, packets] = &arguments[..] else { return Err(USAGE.into()) };
    let name = queue.split('(').next().unwrap_or_default();
    let entry = find(QUEUES, name).ok_or(USAGE)?;
    let queue = Queue::try_from(&Part::read(entry, queue)?.ok_or(USAGE)?)?;
    let mut sources = Sources::new(queue, flows.parse()?)?;
    sources.fill();
    sources.offer(packets.parse()?);
    let Counts { delivered, refused, pushed_out, early } = sources.counts;
    println!(
        "{{\"delivered\": {delivered}, \"refused\": {refused}, \"pushed_out\": {pushed_out}, \"early\": {early}}}"
    );
    Ok(())
}

/// The packets by their fate.
#[derive(Default)]
struct Counts {
    delivered: u64,
    /// Dropped as they arrived, the buffer full.
    refused: u64,
    /// Dropped for others.
    pushed_out: u64,
    /// Dropped for other reasons than a full buffer.
    early: u64,
}

impl Counts {
    fn drop(&mut self, reason: DropReason) {
        match reason {
            DropReason::Queue => self.refused += 1,
            DropReason::PushedOut => self.pushed_out += 1,
            _ => self.early += 1,
        }
    }
}

/// Flows that share one link.
struct Sources {
    network: Network<HeaderView>,
    route: RouteCursor,
    events: EventList,
    random: RandomStream,
    /// The next sequence number of each flow.
    next: Vec<u64>,
    sent: u64,
    counts: Counts,
}

impl Sources {
    fn new(queue: Queue, flows: u32) -> Result<Sources, Box<dyn Error>> {
        let mut graph = Graph::new();
        let (a, b) = (graph.node("a"), graph.node("b"));
        // A byte per microsecond.
        let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::ZERO)
            .with_buffer(BufferSize::Packets(ROOM * flows))
            .with_queue(queue);
        graph.add_link(a, b, config)?;
        let mut network = Network::new(graph, 1);
        network.read_headers(|header| *header);
        let route = network.route(a, b)?;
        let (events, random) = (EventList::new(), RandomStream::new(1, "flows"));
        let (next, counts) = (vec![0; flows as usize], Counts::default());
        Ok(Sources { network, route, events, random, next, sent: 0, counts })
    }

    /// Fills the buffer at time zero: the flows send by turns. The first packet is on the wire.
    fn fill(&mut self) {
        let flows = self.next.len() as u32;
        for number in 0..=ROOM * flows {
            self.send(Time::ZERO, number % flows);
        }
    }

    /// Offers packets of random flows at [`LOAD`].
    fn offer(&mut self, packets: u32) {
        let gap = Duration::from_nanos((f64::from(SIZE) * 1000.0 / LOAD) as u64);
        for number in 0..packets {
            let now = Time::ZERO + gap.saturating_mul(u64::from(number));
            while let Some(event) = self.events.pop_until(now) {
                match self.network.arrive(LinkId::new(event.target), event.time, &mut self.events) {
                    Arrival::Delivered(..) => self.counts.delivered += 1,
                    Arrival::Dropped { reason, .. } => self.counts.drop(reason),
                    _ => {}
                }
            }
            let flow = (self.random.bits() % self.next.len() as u64) as u32;
            self.send(now, flow);
        }
    }

    fn send(&mut self, now: Time, flow: u32) {
        self.sent += 1;
        let first = self.next[flow as usize];
        self.next[flow as usize] += u64::from(!self.sent.is_multiple_of(RESENT));
        let drop_first = self.sent.is_multiple_of(MARKED);
        let payload = HeaderView { first, end: first + 1, drop_first, ..HeaderView::default() };
        let (route, ecn) = (self.route, Ecn::NotCapable);
        let packet = Packet { flow, incarnation: 0, route, size: SIZE, data: true, ecn, payload };
        if let Fate::Dropped { reason, .. } = self.network.send(now, &packet, &mut self.events) {
            self.counts.drop(reason);
        }
    }
}
