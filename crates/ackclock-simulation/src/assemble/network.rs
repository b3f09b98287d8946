//! The network of a scenario: its graph, and buffers that depend on the flows.

use std::sync::Arc;

use ackclock_memory::ByKey;
use ackclock_network::{BufferSize, Graph, LinkId, RouteCursor};
use ackclock_scenario::{Buffer, Scenario};
use ackclock_units::{Bytes, Duration, LinkRate, PacketRate};

use crate::facts::flow_infos::FlowInfo;
use crate::simulation::Simulation;
use crate::simulation::arrivals::Arriving;

impl Simulation {
    /// Sets the buffers that are given as a part of the bandwidth-delay product.
    pub(super) fn resolve_bdp(&mut self, scenario: &Scenario) {
        let mut crossing: ByKey<LinkId, Crossing> = ByKey::new();
        if !has_fractions(scenario) {
            return;
        }
        for flow in 0..self.flows.len() {
            let Some((size, ack)) = self.sizes(flow) else { continue };
            let (forward, backward) = self.routes_of(flow);
            let network = &self.engine.network;
            let there = network.empty_path_delay(forward, Bytes::new(u64::from(size)));
            let back = network.empty_path_delay(backward, Bytes::new(u64::from(ack)));
            let propagation = network.propagation_delay(forward) + network.propagation_delay(backward);
            for link in network.path(forward).chain(network.path(backward)) {
                let all = crossing.entry(link);
                all.flows += 1;
                all.round_trips += (there + back).as_secs_f64();
                all.propagation += propagation.as_secs_f64();
                all.largest = all.largest.max(size);
            }
        }
        let mut links = (0..).map(LinkId::new);
        let network = &mut self.engine.network;
        scenario.topology.directions(&mut |_, _, config| {
            let Some(link) = links.next() else { return };
            if let (Buffer::BdpFraction(fraction), Some(crossing)) = (config.buffer, crossing.get(link)) {
                let packets = fraction_of_bdp(fraction, config.mean_rate(), crossing);
                network.set_buffer(link, BufferSize::Packets(packets.max(1.0) as u32));
            }
        });
    }

    /// Tells queues the hosts at the ends of each flow, if any queue tells hosts apart.
    pub(super) fn set_hosts(&mut self) {
        if !self.engine.network.has_gateways() {
            return;
        }
        let hosts = (0..self.flows.len()).map(|flow| {
            let FlowInfo { source, destination, .. } = self.infos.get(flow);
            [source, destination].map(|node| node.index() as u32)
        });
        self.engine.network.set_hosts(&hosts.collect());
    }

    /// Bytes on the wire of a flow's largest data packet and of an acknowledgment; none if nothing comes back.
    fn sizes(&self, flow: usize) -> Option<(u32, u32)> {
        match self.flows.find(flow) {
            Some(endpoints) => endpoints.sizes(),
            None => self.arrivals.group(flow, &self.infos).map(Arriving::sizes),
        }
    }

    /// The way of a flow's data, and the way back.
    fn routes_of(&mut self, flow: usize) -> (RouteCursor, RouteCursor) {
        let FlowInfo { source, destination, .. } = self.infos.get(flow);
        match self.flows.find(flow) {
            Some(endpoints) => endpoints.routes(),
            None => self.routes_between(flow as u32, source, destination),
        }
    }
}

/// True if any buffer is given as a part of the bandwidth-delay product.
fn has_fractions(scenario: &Scenario) -> bool {
    let mut found = false;
    scenario.topology.directions(&mut |_, _, config| {
        found |= matches!(config.buffer, Buffer::BdpFraction(_));
    });
    found
}

/// The flows that cross a link direction, summed up.
#[derive(Default)]
struct Crossing {
    flows: u32,
    /// The sum of their round-trip times without queueing, in seconds.
    round_trips: f64,
    /// The sum of their round-trip propagation delays, in seconds.
    propagation: f64,
    /// The largest packet among them, in bytes.
    largest: u32,
}

/// A part of a link's bandwidth-delay product in packets: its rate times the mean base round-trip time of the flows that
/// cross it, in packets of the largest size among them, rounded.
///
/// For a rate in packets it is MesoNet's product (5.4.8, Table 5-9), which uses the propagation delay alone and
/// rounds down to whole packets: 20 % of 42, 162 and 324 ms at 21 packets/ms are 176, 680 and 1360 packets.
fn fraction_of_bdp(fraction: f64, rate: LinkRate, crossing: &Crossing) -> f64 {
    let flows = f64::from(crossing.flows);
    match rate {
        LinkRate::Bits(rate) => {
            let mean_rtt = Duration::from_secs_f64(crossing.round_trips / flows);
            (fraction * rate.bytes_in(mean_rtt) / f64::from(crossing.largest)).round()
        }
        // Rounded to a millionth of a packet first, so that a whole number is not rounded down because of a
        // product's last bit.
        LinkRate::Packets(PacketRate(rate)) => {
            (fraction * rate * crossing.propagation / flows + 1e-6).floor()
        }
    }
}

/// The graph of a scenario.
pub(super) fn graph(scenario: &Scenario) -> Graph {
    let mut graph = Graph::new();
    scenario.topology.directions(&mut |from, to, link| {
        let (from, to) = (graph.node(from), graph.node(to));
        graph.add_link(from, to, link.network(scenario.duration)).unwrap_or_else(|error| panic!("{error}"));
    });
    graph
}

/// The class of each flow, by its number; none if all have the lowest.
pub(super) fn classes(scenario: &Scenario) -> Option<Arc<[u8]>> {
    let of_flows = scenario.flow.iter().any(|group| group.priority > 0);
    let of_calls = scenario.call.iter().any(|group| group.priority > 0);
    if !of_flows && !of_calls && scenario.udp.iter().all(|group| group.priority == 0) {
        return None;
    }
    let mut classes = vec![0; scenario.flow_count() as usize];
    scenario.each_flow(|flow| classes[flow.index as usize] = flow.group.priority);
    scenario.each_udp_flow(|flow| classes[flow.index as usize] = flow.group.priority);
    scenario.each_call(|call| classes[call.index as usize] = call.group.priority);
    Some(classes.into())
}
