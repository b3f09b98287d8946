//! Packets of many flows through one queue discipline, its buffer full: the load of which `python -m benches.queues` counts
//! the instructions.

use std::error::Error;

use ackclock_catalogue::{Part, find};
use ackclock_network::{
    Arrival, BufferSize, Ecn, EventList, Graph, HeaderView, LinkConfig, LinkId, Network, Packet, QUEUES,
    Queue,
};
use ackclock_random::RandomStream;
use ackclock_units::{Duration, Rate, Time};

const USAGE: &str = "usage: queue SPECIFICATION FLOWS PACKETS";
const SIZE: u32 = 1000;
/// The offered load relative to the link's rate.
const LOAD: f64 = 1.1;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [queue, flows, packets] = &arguments[..] else { return Err(USAGE.into()) };
    let name = queue.split('(').next().unwrap_or_default();
    let entry = find(QUEUES, name).ok_or(USAGE)?;
    let queue = Queue::try_from(&Part::read(entry, queue)?.ok_or(USAGE)?)?;
    println!("{}", offer(queue, flows.parse()?, packets.parse()?)?);
    Ok(())
}

/// Offers packets of random flows at [`LOAD`], with a buffer of two packets per flow. Returns the number delivered.
fn offer(queue: Queue, flows: u32, packets: u32) -> Result<u64, Box<dyn Error>> {
    let mut graph = Graph::new();
    let (a, b) = (graph.node("a"), graph.node("b"));
    // A byte per microsecond.
    let config = LinkConfig::new(Rate::from_bits_per_second(8_000_000), Duration::ZERO)
        .with_buffer(BufferSize::Packets(2 * flows))
        .with_queue(queue);
    graph.add_link(a, b, config)?;
    let mut network: Network<u64> = Network::new(graph, 1);
    network.read_headers(|number| HeaderView { first: *number, end: *number + 1, ..HeaderView::default() });
    let route = network.route(a, b)?;
    let mut events = EventList::new();
    let mut random = RandomStream::new(1, "flows");
    let gap = Duration::from_nanos((f64::from(SIZE) * 1000.0 / LOAD) as u64);
    let mut delivered = 0;
    for number in 0..packets {
        let now = Time::ZERO + gap.saturating_mul(u64::from(number));
        while let Some(event) = events.pop_until(now) {
            let arrival = network.arrive(LinkId::new(event.target), event.time, &mut events);
            delivered += u64::from(matches!(arrival, Arrival::Delivered(..)));
        }
        let flow = (random.bits() % u64::from(flows)) as u32;
        let payload = u64::from(number);
        let ecn = Ecn::NotCapable;
        let _ = network.send(
            now,
            &Packet { flow, incarnation: 0, route, size: SIZE, data: true, ecn, payload },
            &mut events,
        );
    }
    Ok(delivered)
}
