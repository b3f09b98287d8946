//! `epoch` of `[trace]`: the spans of time over which a flow's packets are counted.

use std::str::FromStr;

use ackclock_units::{Duration, ParseQuantityError};

use super::read::quantity::Quantity;

/// The length of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Epoch {
    /// `"own rtt"`: each flow's own mean round-trip time.
    OwnRtt,
    /// `"common rtt"`: the mean of the flows' mean round-trip times.
    CommonRtt,
    /// A fixed length: `"400 ms"`.
    Fixed(Duration),
}

impl Epoch {
    /// The length of a flow's epochs, from the flow's own mean round-trip time and that of all flows.
    pub fn length(self, own_rtt: Option<Duration>, common_rtt: Option<Duration>) -> Option<Duration> {
        match self {
            Epoch::OwnRtt => own_rtt,
            Epoch::CommonRtt => common_rtt,
            Epoch::Fixed(length) => Some(length),
        }
    }
}

impl Quantity for Epoch {
    const WHAT: &'static str = "the length of an epoch";
    const EXAMPLE: &'static str = "own rtt";
}

impl FromStr for Epoch {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Epoch, ParseQuantityError> {
        match text.trim() {
            "own rtt" => Ok(Epoch::OwnRtt),
            "common rtt" => Ok(Epoch::CommonRtt),
            other => other.parse().map(Epoch::Fixed).map_err(|_| {
                ParseQuantityError::new(format!(
                    "found {text:?}; expected \"own rtt\", \"common rtt\" or a duration such as \"400 ms\""
                ))
            }),
        }
    }
}
