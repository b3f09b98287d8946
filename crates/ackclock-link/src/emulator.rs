//! The link without a host: packets and times in, packets and times out.

use std::collections::{BTreeMap, VecDeque};

use ackclock_network::{
    Arrival, DropReason, Ecn, EventList, Fate, GatewayView, Graph, HeaderView, LinkConfig, LinkId, LinkStats,
    Network, Packet, RouteCursor,
};
use ackclock_units::Time;

use crate::packet::{FlowKey, Header, mark};

/// An end of the link.
///
/// Exhaustive: a link has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end from which forward packets come.
    Near = 0,
    /// The end to which they go.
    Far = 1,
}

/// A packet that has crossed the link.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The end by which it leaves.
    pub end: End,
    /// The instant at which it leaves.
    pub due: Time,
    /// The packet.
    pub bytes: Vec<u8>,
}

/// A packet that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The instant.
    pub time: Time,
    /// The end from which it came.
    pub from: End,
    /// The reason.
    pub reason: DropReason,
    /// Its size.
    pub bytes: usize,
}

/// The payload of a packet in the network: the place of its bytes, and the header fields that queues read.
#[derive(Clone, Copy, Debug)]
struct Carried {
    place: u32,
    from: End,
    view: HeaderView,
    gateway: GatewayView,
}

/// The number of flows that are distinguished; then numbers start again.
const MOST_FLOWS: usize = 1 << 20;

/// An emulated link: the simulator's network of two nodes. Its caller passes the time.
#[derive(Debug)]
pub struct Emulator {
    network: Network<Carried>,
    events: EventList,
    routes: [RouteCursor; 2],
    now: Time,
    /// Packets on the link, by their place, and the places that are free.
    packets: Vec<Vec<u8>>,
    free: Vec<u32>,
    flows: BTreeMap<FlowKey, u32>,
    outgoing: VecDeque<Outgoing>,
    dropped: VecDeque<Dropped>,
}

impl Emulator {
    /// A link of these two directions. Random numbers are drawn by the names of the ends, as in a scenario.
    ///
    /// # Errors
    /// When the ends have the same name.
    pub fn new(ends: [&str; 2], [forward, backward]: [LinkConfig; 2], seed: u64) -> Result<Emulator, String> {
        let mut graph = Graph::new();
        let [near, far] = ends.map(|name| graph.node(name));
        for (from, to, config) in [(near, far, forward), (far, near, backward)] {
            graph.add_link(from, to, config).map_err(|error| error.to_string())?;
        }
        let mut network = Network::new(graph, seed);
        network.read_headers(|carried: &Carried| carried.view);
        network.read_as_gateway(|carried: &Carried, _| carried.gateway);
        let mut route = |from, to| network.route(from, to).map_err(|error| error.to_string());
        let routes = [route(near, far)?, route(far, near)?];
        Ok(Emulator {
            network,
            events: EventList::new(),
            routes,
            now: Time::ZERO,
            packets: Vec::new(),
            free: Vec::new(),
            flows: BTreeMap::new(),
            outgoing: VecDeque::new(),
            dropped: VecDeque::new(),
        })
    }

    /// Offers a packet that comes from an end, after processing everything due before. Bytes that are no IP
    /// packet are ignored.
    pub fn offer(&mut self, now: Time, from: End, bytes: &[u8]) {
        self.advance(now);
        let Some(header) = Header::of(bytes) else { return };
        let place = self.store(bytes);
        let packet = Packet {
            flow: self.flow(header.flow),
            incarnation: 0,
            route: self.routes[from as usize],
            size: bytes.len() as u32,
            data: header.data,
            ecn: header.ecn,
            payload: Carried { place, from, view: header.view, gateway: header.gateway },
        };
        if let Fate::Dropped { reason, .. } = self.network.send(self.now, &packet, &mut self.events) {
            self.drop(self.now, &packet, reason);
        }
    }

    /// Advances to an instant. An earlier instant is ignored.
    pub fn advance(&mut self, now: Time) {
        self.now = self.now.max(now);
        while let Some(event) = self.events.pop_until(self.now) {
            match self.network.arrive(LinkId::new(event.target), event.time, &mut self.events) {
                Arrival::Delivered(packet, _) => self.deliver(event.time, &packet),
                Arrival::Dropped { reason, packet, .. } => self.drop(event.time, &packet, reason),
                Arrival::Forwarded { .. } | Arrival::Dequeued | Arrival::Admitted => {}
            }
        }
    }

    /// The next packet that has crossed the link, in the order of time.
    pub fn outgoing(&mut self) -> Option<Outgoing> {
        self.outgoing.pop_front()
    }

    /// The next packet that was dropped, in the order of time.
    pub fn dropped(&mut self) -> Option<Dropped> {
        self.dropped.pop_front()
    }

    /// The instant at which something is due next.
    pub fn next_due(&self) -> Option<Time> {
        self.events.peek().map(|event| event.time)
    }

    /// The statistics of a direction, named by the end from which its packets come.
    pub fn stats(&self, from: End) -> LinkStats {
        self.network.link_stats(LinkId::new(from as u32), self.now)
    }

    /// The present instant.
    pub fn now(&self) -> Time {
        self.now
    }

    fn deliver(&mut self, due: Time, packet: &Packet<Carried>) {
        let mut bytes = self.take(packet.payload.place);
        if packet.ecn == Ecn::Congested {
            mark(&mut bytes);
        }
        let end = match packet.payload.from {
            End::Near => End::Far,
            End::Far => End::Near,
        };
        self.outgoing.push_back(Outgoing { end, due, bytes });
    }

    fn drop(&mut self, time: Time, packet: &Packet<Carried>, reason: DropReason) {
        let Carried { place, from, .. } = packet.payload;
        self.free.push(place);
        self.dropped.push_back(Dropped { time, from, reason, bytes: packet.size as usize });
    }

    fn store(&mut self, bytes: &[u8]) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.packets.push(Vec::new());
            self.packets.len() as u32 - 1
        });
        self.packets[place as usize] = bytes.to_vec();
        place
    }

    fn take(&mut self, place: u32) -> Vec<u8> {
        self.free.push(place);
        std::mem::take(&mut self.packets[place as usize])
    }

    /// The number of a flow, in the order of appearance.
    fn flow(&mut self, key: FlowKey) -> u32 {
        if self.flows.len() >= MOST_FLOWS {
            self.flows.clear();
        }
        let next = self.flows.len() as u32;
        *self.flows.entry(key).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use ackclock_network::{DropReason, Ecn, LinkConfig};
    use clap::Parser;

    use ackclock_units::{Duration, Time};

    use super::{Emulator, End};
    use crate::packet::tests::datagram;
    use crate::{Header, Options, link};

    /// A link of 12 Mbit/s, at which 1500 bytes take a millisecond, and 10 ms.
    fn emulator(more: &[&str]) -> Emulator {
        let own = ["ackclock-link", "a", "b", "--rate", "12 Mbit/s", "--delay", "10 ms"];
        let directions: [LinkConfig; 2] = link(&Options::parse_from(own.iter().chain(more))).expect("a link");
        Emulator::new(["a", "b"], directions, 1).expect("two ends")
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Goes on to an instant: the packets that left, by port and instant.
    fn left(emulator: &mut Emulator, now: Time) -> Vec<(u16, Time, End)> {
        emulator.advance(now);
        let mut all = Vec::new();
        while let Some(packet) = emulator.outgoing() {
            let port = Header::of(&packet.bytes).expect("a packet").flow.3;
            all.push((port, packet.due, packet.end));
        }
        all
    }

    #[test]
    fn packets_take_their_transmission_and_the_delay() {
        let mut emulator = emulator(&[]);
        for port in 1..=3 {
            emulator.offer(at(0), End::Near, &datagram(port, 1472, Ecn::NotCapable));
        }
        assert_eq!(emulator.next_due(), Some(at(11)));
        assert_eq!(left(&mut emulator, at(10)), []);
        assert_eq!(left(&mut emulator, at(12)), [(1, at(11), End::Far), (2, at(12), End::Far)]);
        // A late call finds the instant at which the packet was due.
        assert_eq!(left(&mut emulator, at(500)), [(3, at(13), End::Far)]);
        assert_eq!(emulator.next_due(), None);
    }

    #[test]
    fn the_directions_do_not_wait_for_each_other() {
        let mut emulator = emulator(&["--set", "reverse.delay=2 ms"]);
        emulator.offer(at(0), End::Near, &datagram(1, 1472, Ecn::NotCapable));
        emulator.offer(at(0), End::Far, &datagram(2, 1472, Ecn::NotCapable));
        assert_eq!(left(&mut emulator, at(20)), [(2, at(3), End::Near), (1, at(11), End::Far)]);
    }

    #[test]
    fn a_full_buffer_drops() {
        let mut emulator = emulator(&["--buffer", "2 packets"]);
        for port in 0..5 {
            emulator.offer(at(1), End::Near, &datagram(port, 1472, Ecn::NotCapable));
        }
        // One in transmission, two wait.
        let drops: Vec<_> = std::iter::from_fn(|| emulator.dropped()).collect();
        assert_eq!(drops.len(), 2);
        assert!(drops.iter().all(|drop| (drop.time, drop.from, drop.bytes) == (at(1), End::Near, 1500)));
        assert!(drops.iter().all(|drop| drop.reason == DropReason::Queue));
        assert_eq!(left(&mut emulator, at(50)).len(), 3);
        assert_eq!(emulator.stats(End::Near).dropped_queue, 2);
    }

    #[test]
    fn a_queue_marks_the_packets_themselves() {
        let mut emulator = emulator(&["--ecn-threshold", "1 packets"]);
        for port in 0..4 {
            emulator.offer(at(0), End::Near, &datagram(port, 1472, Ecn::Capable0));
        }
        emulator.advance(at(50));
        let fields: Vec<Ecn> = std::iter::from_fn(|| emulator.outgoing())
            .map(|packet| Header::of(&packet.bytes).expect("a packet").ecn)
            .collect();
        // The first finds nobody, the second none that waits, the third one, the fourth two.
        assert_eq!(fields, [Ecn::Capable0, Ecn::Capable0, Ecn::Capable0, Ecn::Congested]);
    }

    #[test]
    fn a_fair_queue_tells_flows_apart() {
        let mut emulator = emulator(&["--queue", "fq-codel"]);
        for _ in 0..20 {
            emulator.offer(at(0), End::Near, &datagram(1, 1472, Ecn::NotCapable));
        }
        emulator.offer(at(0), End::Near, &datagram(2, 1472, Ecn::NotCapable));
        let ports: Vec<u16> = left(&mut emulator, at(14)).iter().map(|(port, ..)| *port).collect();
        assert!(ports.contains(&2), "the second flow waits behind twenty packets of the first: {ports:?}");
    }

    #[test]
    fn a_rate_changes_by_its_schedule() {
        let steps = r#"rate={ steps = [["0 s", "12 Mbit/s"], ["100 ms", "1.2 Mbit/s"]] }"#;
        let mut options = Options::parse_from(["ackclock-link", "a", "b", "--delay", "10 ms"]);
        options.set.push(steps.to_owned());
        let mut emulator = Emulator::new(["a", "b"], link(&options).expect("a link"), 1).expect("two ends");
        emulator.offer(at(0), End::Near, &datagram(1, 1472, Ecn::NotCapable));
        emulator.offer(at(200), End::Near, &datagram(2, 1472, Ecn::NotCapable));
        assert_eq!(left(&mut emulator, at(300)), [(1, at(11), End::Far), (2, at(220), End::Far)]);
    }

    #[test]
    fn equal_packets_and_times_give_equal_losses() {
        let losses = || {
            let mut emulator = emulator(&["--loss", "0.1"]);
            for millis in 0..1000 {
                emulator.offer(at(2 * millis), End::Near, &datagram(1, 1472, Ecn::NotCapable));
            }
            emulator.advance(at(5000));
            std::iter::from_fn(|| emulator.dropped()).map(|drop| drop.time).collect::<Vec<_>>()
        };
        let one = losses();
        assert!((50..150).contains(&one.len()), "{} of 1000", one.len());
        assert_eq!(one, losses());
    }

    #[test]
    fn what_is_no_packet_is_ignored() {
        let mut emulator = emulator(&[]);
        emulator.offer(at(0), End::Near, &[0; 40]);
        assert_eq!(emulator.next_due(), None);
    }
}
