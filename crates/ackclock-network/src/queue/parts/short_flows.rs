//! The first packets of each flow.

use ackclock_catalogue::{Parameter, Unit};
use ackclock_units::Time;

use super::flow_table::FlowTable;

/// The default threshold of RIO-PS: how many packets at the beginning of a flow are In.
pub(crate) const SHORT: f64 = 32.0;

/// The parameter `flows`: the number of flows whose packets are counted.
pub(crate) const FLOWS: Parameter =
    Parameter::new("flows", Unit::Count, 4096.0, (1.0, 1_048_576.0), "number of flows with state");

/// Tells the first packets of each flow from the later ones, as the edge router of RIO-PS does (Guo and Matta 2001):
/// nothing announces how long a flow will be, so the router counts the packets that the flow has sent.
#[derive(Clone, Debug)]
pub(crate) struct ShortFlows {
    short: u32,
    /// The packets of each flow so far.
    counts: FlowTable<u32>,
}

impl ShortFlows {
    /// Counts the packets of at most `flows` flows, to distinguish the first `short` packets of each.
    pub(crate) fn new(short: u32, flows: u32) -> ShortFlows {
        ShortFlows { short, counts: FlowTable::new(flows) }
    }

    /// Counts a packet of the flow. Returns true for the flow's first packets. A SYN begins a new flow: to a router,
    /// every connection of a user is a flow.
    pub(crate) fn is_among_the_first(&mut self, now: Time, flow: u32, opens: bool) -> bool {
        let count = self.counts.touch(now, flow);
        *count = if opens { 1 } else { count.saturating_add(1) };
        *count <= self.short
    }
}
