//! The constant facts of flows, stored compactly: there are many flows.

use std::sync::Arc;

use ackclock_network::{Graph, NodeId};
use ackclock_scenario::Names;
use ackclock_units::Time;

use crate::tables::table::{Column, Table};
use crate::tables::texts::Texts;

/// The transport of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tcp,
    TwoWay,
    AckNak,
    Tfrc,
    Udp,
    Stack,
    Media,
}

impl Kind {
    /// The names of all kinds in tables, in order.
    pub const NAMES: [&'static str; 7] = ["tcp", "tcp", "acknak", "tfrc", "udp", "quic", "rtp"];
}

/// The constant facts of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowInfo {
    pub start: Time,
    pub source: NodeId,
    pub destination: NodeId,
    /// The number of the facts that it shares with others.
    pub common: u32,
}

/// The constant facts that the flows of a group with the same algorithm share.
#[derive(Clone, Debug)]
pub(crate) struct Common {
    /// The canonical variant; empty for UDP.
    pub algorithm: String,
    /// The time at which they stop by themselves; [`Time::MAX`] for never.
    pub stop: Time,
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
    pub fast_open: bool,
}

/// All flows of a run by their numbers: the columns of their constant facts.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowInfos {
    starts: Vec<Time>,
    sources: Vec<NodeId>,
    destinations: Vec<NodeId>,
    /// By flow: the number of the facts that it shares with others.
    shared: Vec<u32>,
    commons: Vec<Common>,
    names: Arc<Names>,
}

impl FlowInfos {
    /// No flows yet, with room for this many.
    pub fn for_flows(flows: usize) -> FlowInfos {
        FlowInfos {
            starts: Vec::with_capacity(flows),
            sources: Vec::with_capacity(flows),
            destinations: Vec::with_capacity(flows),
            shared: Vec::with_capacity(flows),
            commons: Vec::new(),
            names: Arc::new(Names::with_capacity(flows)),
        }
    }

    /// Adds facts that flows share. Returns their number.
    pub fn add_common(&mut self, common: Common) -> u32 {
        self.commons.push(common);
        self.commons.len() as u32 - 1
    }

    /// Adds the next flow.
    pub fn add(&mut self, name: &str, info: FlowInfo) {
        let FlowInfo { start, source, destination, common } = info;
        Arc::make_mut(&mut self.names).push(name);
        self.starts.push(start);
        self.sources.push(source);
        self.destinations.push(destination);
        self.shared.push(common);
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn get(&self, flow: usize) -> FlowInfo {
        FlowInfo {
            start: self.starts[flow],
            source: self.sources[flow],
            destination: self.destinations[flow],
            common: self.shared[flow],
        }
    }

    /// The facts that a flow shares with others.
    pub fn common(&self, flow: usize) -> &Common {
        &self.commons[self.shared[flow] as usize]
    }

    pub fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names)
    }

    /// A table of the flows, which are of these kinds. The facts become its columns.
    pub fn into_table(self, kinds: Vec<u32>, graph: &Graph) -> Table {
        let flows = self.len() as u32;
        let FlowInfos { starts, sources, destinations, shared, commons, names } = self;
        let node = |nodes: Vec<NodeId>| {
            let numbers = nodes.into_iter().map(|node| node.index() as u32).collect();
            Column::Text(Texts::shared(graph.node_names().iter().map(|name| &**name), numbers))
        };
        let algorithms = commons.iter().map(|common| &*common.algorithm);
        Table::default()
            .with("flow", Column::Index((0..flows).collect()))
            .with("name", Column::Text(Texts::of_each(names)))
            .with("kind", Column::Text(Texts::shared(Kind::NAMES, kinds)))
            .with("algorithm", Column::Text(Texts::shared(algorithms, shared)))
            .with("source", node(sources))
            .with("destination", node(destinations))
            .with("start_s", Column::Real(starts.into_iter().map(Time::as_secs_f64).collect()))
    }
}
