//! `[trace]`: what is written down beside the summaries.

use ackclock_units::Duration;
use serde::Deserialize;

use super::quantity;

/// `[trace]`: what is recorded beside the summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trace {
    /// The step of the time series; none are recorded where it is left out.
    #[serde(deserialize_with = "quantity::read_option")]
    pub interval: Option<Duration>,
    /// The link directions whose packets are captured, such as `"left->right"`.
    pub packets: Vec<String>,
}
