#![doc = include_str!("../README.md")]

mod event_list;
mod graph;
mod ids;
mod link;
mod loss;
mod network;
mod outcome;
mod packet;
mod path;
mod pull;
mod queue;
mod routes;

use ackclock_random::RandomStream;

pub use event_list::{Class, Event, EventList};
pub use graph::{Edge, Graph, GraphError};
pub use ids::{LinkId, NodeId};
pub use link::config::LinkConfig;
pub use link::stats::LinkStats;
pub use loss::{CERTAIN, ENTRIES as LOSSES, GilbertElliott, LossModel, ScriptedLoss};
pub use network::Network;
pub use network::snapshot::Snapshot;
pub use outcome::{Arrival, Conservation, Delivered, ExtensionSlot, Fate, Passed, Refused, Upcoming};
pub use packet::Packet;
pub use packet::congestion_header::CongestionHeader;
pub use packet::drop_reason::DropReason;
pub use packet::ecn::Ecn;
pub use packet::gateway_view::{AcknowledgmentView, GatewayView};
pub use packet::header_view::HeaderView;
pub use packet::route_cursor::RouteCursor;
pub use path::config::PathConfig;
pub use path::impairment::ENTRIES as IMPAIRMENTS;
pub use path::opportunities::Opportunities;
pub use path::profile::{Markov, Points, Profile};
pub use path::tunnel::ENTRIES as TUNNELS;
pub use queue::buffer::{BufferSize, Occupancy};
pub use queue::disciplines::*;
pub use queue::parts::classifier::CLASSES;
pub use queue::parts::flow_monitor::FlowMonitor;
pub use routes::RouteError;
