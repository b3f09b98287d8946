//! A packet network that can be repeated to the nanosecond: event list, links, queues, loss, graphs and routes.
//!
//! The network moves packets and knows nothing of what they carry. Who sends when, and what a delivery means, is the
//! caller's: see [`Network`]. Everything random draws from a [`RandomStream`] with a name.

mod busy_periods;
mod cut_through;
mod event_list;
mod graph;
mod heap;
mod ingress_buffer;
mod link;
mod link_stats;
mod loss;
mod network;
mod outcome;
mod packet;
mod pipe;
mod prefetch;
mod pull;
mod queue;
mod random;
mod routes;
mod snapshot;

pub use event_list::{Class, Event, EventList};
pub use graph::{Edge, Graph, GraphError, LinkConfig, LinkId, NodeId};
pub use link_stats::LinkStats;
pub use loss::{GilbertElliott, LossModel, ScriptedLoss};
pub use network::{Network, Snapshot};
pub use outcome::{Arrival, Conservation, DropReason, Fate, Refused, Upcoming};
pub use packet::{Ecn, Packet, RouteCursor};
pub use prefetch::{memory_of, prefetch, prefetch_part};
pub use queue::{
    Budgets, BufferSize, Classes, Codel, FlowMonitor, FqCodel, HeaderView, Occupancy, Pie, Protect, Queue,
    Red, Sfq,
};
pub use random::RandomStream;
pub use routes::RouteError;
