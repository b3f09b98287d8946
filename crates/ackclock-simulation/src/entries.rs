//! The catalogue: the entries of every kind.

use ackclock_application::ENTRIES as APPLICATIONS;
use ackclock_catalogue::Entry;
use ackclock_congestion::registry;
use ackclock_network::{IMPAIRMENTS, LOSSES, QUEUES};
use ackclock_scenario::{PATHS, PROTOCOLS, SYSTEMS, Topology};
use ackclock_transport::Transport;
use ackclock_transport::tcp::{MECHANISMS, Recovery, Sharing};

/// The entries of all kinds, those of one kind together.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let recoveries = Recovery::ENTRIES.iter().map(|recovery| &recovery.entry);
    let algorithms = recoveries.chain(Transport::ENTRIES).chain(registry::entries());
    let links = QUEUES.iter().chain(LOSSES).chain(IMPAIRMENTS).chain(PATHS).chain(SYSTEMS);
    let connections = PROTOCOLS.iter().chain(MECHANISMS).chain(Sharing::ENTRIES);
    algorithms.chain(links).chain(connections).chain(APPLICATIONS).chain(Topology::ENTRIES)
}
