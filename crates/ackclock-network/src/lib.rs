#![doc = include_str!("../README.md")]

mod by_key;
mod calendar;
mod event_list;
mod graph;
mod heap;
#[cfg(target_os = "linux")]
mod huge_pages;
mod link;
mod loss;
mod network;
mod outcome;
mod packet;
mod path;
mod prefetch;
mod pull;
mod queue;
mod routes;

use ackclock_random::RandomStream;

pub use by_key::{ByKey, Numbers};
pub use event_list::{Class, Event, EventList};
pub use graph::{Edge, Graph, GraphError, LinkId, NodeId};
#[cfg(target_os = "linux")]
pub use huge_pages::HugePages;
pub use link::config::LinkConfig;
pub use link::stats::LinkStats;
pub use loss::{CERTAIN, ENTRIES as LOSSES, GilbertElliott, LossModel, ScriptedLoss};
pub use network::Network;
pub use network::snapshot::Snapshot;
pub use outcome::{Arrival, Conservation, Delivered, ExtensionSlot, Fate, Refused, Upcoming};
pub use packet::Packet;
pub use packet::congestion_header::CongestionHeader;
pub use packet::drop_reason::DropReason;
pub use packet::ecn::Ecn;
pub use packet::header_view::HeaderView;
pub use packet::route_cursor::RouteCursor;
pub use path::config::PathConfig;
pub use path::impairment::ENTRIES as IMPAIRMENTS;
pub use path::opportunities::Opportunities;
pub use path::profile::{Markov, Points, Profile};
pub use prefetch::{memory_of, prefetch, prefetch_part};
pub use queue::admission::Admission;
pub use queue::budgets::Budgets;
pub use queue::buffer::{BufferSize, Occupancy};
pub use queue::classes::Classes;
pub use queue::cobalt::Cobalt;
pub use queue::codel::Codel;
pub use queue::drop_priority::DropPriority;
pub use queue::drr::Drr;
pub use queue::dualpi2::{DualOrder, DualPi2};
pub use queue::flow_monitor::FlowMonitor;
pub use queue::flow_proportional::FlowProportional;
pub use queue::fq_codel::FqCodel;
pub use queue::fq_pie::FqPie;
pub use queue::marker::Marker;
pub use queue::pie::Pie;
pub use queue::priority::CLASSES;
pub use queue::protect::Protect;
pub use queue::red::Red;
pub use queue::rio::Rio;
pub use queue::sfq::Sfq;
pub use queue::weighted_priority::WeightedPriority;
pub use queue::xcp::Xcp;
pub use queue::{ENTRIES as QUEUES, Queue};
pub use routes::RouteError;
