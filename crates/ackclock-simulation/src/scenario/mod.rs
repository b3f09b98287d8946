//! Scenarios: network, traffic and what to record, as a text that people write, share and cite.
//!
//! One schema for TOML and JSON. Quantities carry their units, unknown keys are refused with the nearest known one,
//! and whatever can be known to be wrong before a run is said before it.

mod expand;
mod quantity;
mod tcp;
mod topology;
mod trace;
mod traffic;

use ackclock_units::Duration;
use serde::Deserialize;

pub use expand::{LinkSpec, link_name};
pub use quantity::{Buffer, InitialWindow, ReceiveWindow, Threshold};
pub use tcp::TcpConfig;
pub use topology::{
    Direction, Dumbbell, GilbertElliott, Graph, GraphLink, LinkConfig, Loss, ParkingLot, Queue, Reverse,
    Script, Topology,
};
pub use trace::Trace;
pub use traffic::{FlowGroup, FlowSpec, Pattern, UdpGroup, UdpSpec};

/// Everything a scenario says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
pub struct Settings {
    /// A short name, for files and tables.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// What the scenario is for, and where it comes from.
    #[serde(default)]
    pub description: String,
    /// What all random numbers of a run are derived from.
    #[serde(default = "one")]
    pub seed: u64,
    /// How long to simulate.
    #[serde(deserialize_with = "quantity::read")]
    pub duration: Duration,
    /// What averages leave out at the beginning.
    #[serde(default, deserialize_with = "quantity::read")]
    pub warm_up: Duration,
    /// Nodes and links.
    pub topology: Topology,
    /// How TCP endpoints behave where a flow says nothing else.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// TCP flows, in groups.
    #[serde(default)]
    pub flow: Vec<FlowGroup>,
    /// UDP flows, in groups.
    #[serde(default)]
    pub udp: Vec<UdpGroup>,
    /// What is recorded beside the summaries.
    #[serde(default)]
    pub trace: Trace,
}

fn one() -> u64 {
    1
}
