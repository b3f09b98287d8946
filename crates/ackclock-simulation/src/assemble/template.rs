//! The template of the flows of a group.

use std::cell::OnceCell;
use std::sync::Arc;

use ackclock_application::PageGraph;
use ackclock_congestion::media::{MediaControl, MediaStart};
use ackclock_congestion::{CongestionControl, Start};
use ackclock_scenario::Install;
use ackclock_transport::Variant;
use ackclock_transport::tcp::Recovery;
use ackclock_units::Time;

/// Makes controllers that are not in the registry, by name.
pub type CustomControllers<'a> = &'a dyn Fn(&str, &Start) -> Box<dyn CongestionControl>;

/// Makes congestion controls for media that are not in the catalogue, by name.
pub type CustomMedia<'a> = &'a dyn Fn(&str, &MediaStart) -> Box<dyn MediaControl>;

/// The properties that the flows of a group with the same algorithm share.
pub(super) struct FlowTemplate {
    pub variant: Variant,
    pub start: Start,
    /// The time at which they stop by themselves; [`Time::MAX`] for never.
    pub stop: Time,
    /// Makes their applications.
    pub install: Install,
    /// The page that their users load; none for others.
    pub page: Option<Arc<PageGraph>>,
    /// The number of their sockets' configuration, if they send files.
    pub socket_config: Option<u32>,
    /// The recovery, if they are made on arrival.
    pub arriving: Option<Recovery>,
    /// The number of the facts that results show; known with the first flow.
    pub common: OnceCell<u32>,
}
