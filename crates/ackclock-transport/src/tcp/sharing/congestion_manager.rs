//! The Congestion Manager: connections between the same hosts are one macroflow with one congestion controller.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "congestion-manager",
    title: "one congestion controller for all connections between the same hosts, each with a part of its window by its weight",
    source: "Balakrishnan, Rahul and Seshan, SIGCOMM 1999; RFC 3124; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The window is the macroflow's ([`Macroflow`](ackclock_congestion::Macroflow)); the round-trip time is the mean of the open
/// connections, or that of the latest.
///
/// The scheduler shares by weights, and gives the unused part of a connection to others; flows of `[[udp]]` are
/// clients, too. The protocol between the managers of two hosts is left out.
pub(super) fn begin(history: &History<'_>, start: &Start, _packets: Option<u64>) -> Beginning {
    let known = history.mean().or(history.latest);
    Beginning { rtt: known.map(|state| (state.srtt, state.rttvar)), ..Beginning::alone(start) }
}
