//! The constant facts of flows, stored compactly: there are many flows.

use std::sync::Arc;

use ackclock_network::NodeId;
use ackclock_units::Time;

use crate::texts::Names;

/// The constant facts of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowInfo {
    pub start: Time,
    pub source: NodeId,
    pub destination: NodeId,
    /// The number of the facts that it shares with others.
    pub common: u32,
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
    commons: Vec<Common>,
    names: Arc<Names>,
}

impl FlowInfos {
    /// None yet, with room for so many.
    pub fn for_flows(flows: usize) -> FlowInfos {
        FlowInfos {
            each: Vec::with_capacity(flows),
            commons: Vec::new(),
            names: Arc::new(Names::with_capacity(flows)),
        }
    }

    /// Adds facts that flows share: their number.
    pub fn add_common(&mut self, common: Common) -> u32 {
        self.commons.push(common);
        self.commons.len() as u32 - 1
    }

    /// Adds the next flow.
    pub fn add(&mut self, name: &str, info: FlowInfo) {
        Arc::make_mut(&mut self.names).push(name);
        self.each.push(info);
    }

    pub fn len(&self) -> usize {
        self.each.len()
    }

    pub fn get(&self, flow: usize) -> &FlowInfo {
        &self.each[flow]
    }

    /// The facts that a flow shares with others.
    pub fn common(&self, flow: usize) -> &Common {
        &self.commons[self.each[flow].common as usize]
    }

    /// All facts that flows share, by their numbers.
    pub fn commons(&self) -> &[Common] {
        &self.commons
    }

    pub fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names)
    }

    /// All flows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FlowInfo> {
        self.each.iter()
    }
}
