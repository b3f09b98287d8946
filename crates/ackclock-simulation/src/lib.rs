#![doc = include_str!("../README.md")]

mod assemble;
mod engine;
mod facts;
mod flows;
mod recording;
mod simulation;
mod summary;
mod tables;
mod world;

use ackclock_application::{ADAPTATIONS, ENTRIES as APPLICATIONS};
use ackclock_catalogue::Entry;
use ackclock_congestion::media::ENTRIES as MEDIA;
use ackclock_congestion::registry;
use ackclock_network::{IMPAIRMENTS, LOSSES, QUEUES, TUNNELS};
use ackclock_scenario::{PATHS, PROTOCOLS, SYSTEMS, Topology};
use ackclock_transport::Transport;
use ackclock_transport::tcp::{MECHANISMS, Recovery, Sharing};

pub use ackclock_congestion::learning::{Action, Actions, Meaning, OBSERVATIONS, Observation, StepFacts};
pub use ackclock_scenario as scenario;
pub use assemble::{CustomControllers, CustomMedia};
pub use flows::stack_connection as stack;
pub use recording::capture;
pub use simulation::Simulation;
pub use summary::Output;
pub use tables::table::{Column, Table};
pub use tables::texts::Texts;
pub use world::{Span, World};

/// The entries of all kinds, grouped by kind.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let recoveries = Recovery::ENTRIES.iter().map(|recovery| &recovery.entry);
    let algorithms = recoveries.chain(Transport::ENTRIES).chain(registry::entries()).chain(MEDIA);
    let links = QUEUES.iter().chain(LOSSES).chain(IMPAIRMENTS).chain(TUNNELS).chain(PATHS).chain(SYSTEMS);
    let connections = PROTOCOLS.iter().chain(MECHANISMS).chain(Sharing::ENTRIES);
    algorithms.chain(links).chain(connections).chain(APPLICATIONS).chain(ADAPTATIONS).chain(Topology::ENTRIES)
}
