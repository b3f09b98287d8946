//! The first packets of each flow.

use ackclock_catalogue::{Parameter, Unit};
use ackclock_units::Time;

use super::flow_table::FlowTable;

/// The default threshold of RIO-PS: the packets from the beginning of a flow that are In.
pub(crate) const SHORT: f64 = 32.0;

/// The parameter `flows`: the number of flows whose packets are counted.
pub(crate) const FLOWS: Parameter =
    Parameter::new("flows", Unit::Count, 4096.0, (1.0, 1_048_576.0), "number of flows with state");

/// Tells the first packets of each flow from the later ones, as the edge router of RIO-PS does (Guo and Matta 2001): nothing says how
/// long a flow will be, so that it counts what the flow has sent.
#[derive(Clone, Debug)]
pub(crate) struct ShortFlows {
    short: u32,
    /// The packets of each flow so far.
    counts: FlowTable<u32>,
}

impl ShortFlows {
    /// A count of at most `flows` flows, of which the first `short` packets are told from the others.
    pub(crate) fn new(short: u32, flows: u32) -> ShortFlows {
        ShortFlows { short, counts: FlowTable::new(flows) }
    }

    /// Counts a packet of the flow. True for its first packets. A SYN begins a new flow: to a router, every connection of a user is one.
    pub(crate) fn is_among_the_first(&mut self, now: Time, flow: u32, opens: bool) -> bool {
        let count = self.counts.touch(now, flow);
        *count = if opens { 1 } else { count.saturating_add(1) };
        *count <= self.short
    }
}
