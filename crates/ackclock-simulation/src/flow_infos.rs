//! The constant facts of flows, stored compactly: there are many flows.

use std::sync::Arc;

use ackclock_network::NodeId;
use ackclock_units::Time;

/// The constant facts of a flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowInfo {
    pub source: NodeId,
    pub destination: NodeId,
    pub start: Time,
    pub common: Arc<Common>,
    /// The end of its name among all names.
    name_ends: usize,
}

/// The constant facts of the flows of a group that run one algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    /// The canonical variant; empty for UDP.
    pub algorithm: String,
    /// The time at which they stop by themselves; [`Time::MAX`] for never.
    pub stop: Time,
    /// Header bytes on the wire per packet; zero where they are part of the packet, as for all but TCP.
    pub header: u32,
    /// The options of its SYNs; none for all but TCP.
    pub syn_options: Option<SynOptions>,
}

/// The options that both SYNs of a TCP connection carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SynOptions {
    pub mss: u16,
    pub sack: bool,
    pub timestamps: bool,
    pub window: u32,
}

/// All flows of a run by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct FlowInfos {
    each: Vec<FlowInfo>,
    /// All names, one behind the other: a string each would take four times as much.
    names: String,
}

impl FlowInfos {
    /// None yet, with room for so many.
    pub fn for_flows(flows: usize) -> FlowInfos {
        FlowInfos { each: Vec::with_capacity(flows), names: String::new() }
    }

    /// Adds the next flow.
    pub fn add(
        &mut self,
        name: &str,
        start: Time,
        (source, destination): (NodeId, NodeId),
        common: Arc<Common>,
    ) {
        self.names.push_str(name);
        self.each.push(FlowInfo { source, destination, start, common, name_ends: self.names.len() });
    }

    pub fn len(&self) -> usize {
        self.each.len()
    }

    pub fn get(&self, flow: usize) -> &FlowInfo {
        &self.each[flow]
    }

    pub fn name(&self, flow: usize) -> &str {
        let begins = flow.checked_sub(1).map_or(0, |before| self.each[before].name_ends);
        &self.names[begins..self.each[flow].name_ends]
    }

    /// All flows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FlowInfo> {
        self.each.iter()
    }
}
