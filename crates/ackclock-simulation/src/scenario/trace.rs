//! `[trace]`: what is written down beside the summaries.

use ackclock_units::Duration;
use serde::Deserialize;

use super::epoch::Epoch;
use super::read::quantity;

/// `[trace]`: what is recorded beside the summaries.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trace {
    /// The step of the time series; none are recorded where it is left out.
    #[serde(deserialize_with = "quantity::read_option")]
    pub interval: Option<Duration>,
    /// Over what spans of time each flow's packets are counted; not at all where it is left out.
    #[serde(deserialize_with = "quantity::read_option")]
    pub epoch: Option<Epoch>,
    /// The link directions whose packets are captured, such as `"left->right"`.
    pub packets: Vec<String>,
    /// Whether every flow gets series and drops of its own, beside those of all flows together.
    pub flows: bool,
    /// Whether every link direction gets series of its own.
    pub links: bool,
    /// Whether every transfer gets a row, beside the classes of transfers by size.
    pub transfers: bool,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace { interval: None, epoch: None, packets: Vec::new(), flows: true, links: true, transfers: true }
    }
}
