//! The settings of a scenario: the values of all keys.

mod flows;
mod trace;

use ackclock_units::{Bytes, Duration};
use serde::Deserialize;
use serde_json::{Map, Value};

pub use flows::Names;
pub(crate) use flows::{CALL, TCP, UDP};
pub use trace::{Epoch, Trace};

use crate::endpoints::acknak::AckNakConfig;
use crate::endpoints::tcp::TcpConfig;
use crate::read::limits::MEMORY_LIMIT;
use crate::read::quantity;
use crate::topology::Topology;
use crate::traffic::call::CallGroup;
use crate::traffic::{FlowGroup, UdpGroup};

/// The values of a scenario, with defaults for keys that are left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// A short name, for files and tables.
    pub name: String,
    /// A heading of one line.
    #[serde(default)]
    pub title: String,
    /// The purpose of the scenario, and its source.
    #[serde(default)]
    pub description: String,
    /// The seed of all random streams of a run.
    #[serde(default = "one")]
    pub seed: u64,
    /// The simulated time.
    #[serde(deserialize_with = "quantity::read")]
    pub duration: Duration,
    /// The time at the beginning that averages exclude.
    #[serde(default, deserialize_with = "quantity::read")]
    pub warm_up: Duration,
    /// The most memory that flows, queues and time series may take, by an estimate.
    #[serde(default = "memory_limit", deserialize_with = "quantity::read")]
    pub memory_limit: Bytes,
    /// Nodes and links.
    pub topology: Topology,
    /// The behaviour of TCP endpoints, for flows without their own table.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// The behaviour of endpoints of the ACK/NAK transport, for flows without their own table.
    #[serde(default)]
    pub acknak: AckNakConfig,
    /// Flows whose packets are acknowledged, in groups.
    #[serde(default)]
    pub flow: Vec<FlowGroup>,
    /// UDP flows, in groups.
    #[serde(default)]
    pub udp: Vec<UdpGroup>,
    /// Calls whose rate a congestion control for media decides, in groups.
    #[serde(default)]
    pub call: Vec<CallGroup>,
    /// Records in addition to the summaries.
    #[serde(default)]
    pub trace: Trace,
    /// The values that the seed has drawn, by their paths.
    #[serde(default)]
    pub draw: Map<String, Value>,
}

impl Settings {
    /// [`Trace::unrecorded`], with the tables for which the scenario has no traffic.
    #[must_use]
    pub fn unrecorded(&self, is_sampled: bool) -> Vec<&'static str> {
        let has_pages = self.flow.iter().any(|group| group.application.page().is_some());
        let further = [("freezes", !self.call.is_empty()), ("objects", has_pages && self.trace.transfers)];
        let missing = further.into_iter().filter_map(|(table, asked)| (!asked).then_some(table));
        self.trace.unrecorded(is_sampled).into_iter().chain(missing).collect()
    }
}

fn memory_limit() -> Bytes {
    MEMORY_LIMIT
}

fn one() -> u64 {
    1
}
