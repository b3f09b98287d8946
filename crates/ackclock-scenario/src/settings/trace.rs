//! `[trace]`: records in addition to the summaries.

use std::str::FromStr;

use ackclock_units::{Duration, ParseQuantityError};
use serde::Deserialize;

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::read::quantity::{self, Quantity};
use crate::topology::NodeIndex;

/// The most samples of one time series.
const MOST_SAMPLES: f64 = 1e7;

/// `[trace]`: records in addition to the summaries.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "independent keys")]
#[non_exhaustive]
pub struct Trace {
    /// The step of the time series; without it none are recorded.
    #[serde(deserialize_with = "quantity::read_option")]
    pub interval: Option<Duration>,
    /// The spans of time over which each flow's packets are counted; without it none are counted.
    #[serde(deserialize_with = "quantity::read_option")]
    pub epoch: Option<Epoch>,
    /// The link directions whose packets are captured, such as `"left->right"`.
    pub packets: Vec<String>,
    /// True if every flow over a QUIC stack, or over TCP with data one way, writes a qlog.
    pub qlog: bool,
    /// True if every flow has its own series and drops, in addition to the series of all flows together.
    pub flows: bool,
    /// True if every link direction has its own series.
    pub links: bool,
    /// True if every transfer has a row, in addition to the classes of transfers by size.
    pub transfers: bool,
    /// True if the table of flows has percentiles of the one-way delay of TCP's data packets.
    pub one_way_delays: bool,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace {
            interval: None,
            epoch: None,
            packets: Vec::new(),
            qlog: false,
            flows: true,
            links: true,
            transfers: true,
            one_way_delays: false,
        }
    }
}

impl Trace {
    /// The tables that a run does not record: a table without rows is one that was recorded. `is_sampled` says whether the run has
    /// time series, which a comparison records for one of its seeds alone.
    #[must_use]
    pub fn unrecorded(&self, is_sampled: bool) -> Vec<&'static str> {
        let asked = [
            ("packets", !self.packets.is_empty()),
            ("network_series", is_sampled),
            ("flow_series", is_sampled && self.flows),
            ("link_series", is_sampled && self.links),
            ("drops", is_sampled && self.flows),
            ("gauges", is_sampled && self.flows),
            ("flow_events", is_sampled && self.flows),
            ("epochs", self.epoch.is_some()),
            ("silences", self.epoch.is_some()),
            ("transfers", self.transfers),
            ("pages", self.transfers),
            ("responses", self.transfers),
        ];
        asked.into_iter().filter_map(|(table, asked)| (!asked).then_some(table)).collect()
    }

    /// Refuses steps of zero, too many samples in a run of this length, and link directions that do not exist.
    pub(crate) fn check(&self, at: &Key, duration: Duration, nodes: &NodeIndex<'_>) -> Checked {
        if let Some(Epoch::Fixed(length)) = self.epoch {
            at.then("epoch").above_zero(length)?;
        }
        if let Some(interval) = self.interval {
            let at = at.then("interval");
            at.above_zero(interval)?;
            let samples = duration / interval;
            if samples > MOST_SAMPLES {
                let message =
                    format!("found {interval}; that makes {samples:.0} samples of each series, too many");
                return Err(at.wrong(interval, message));
            }
        }
        for (index, name) in self.packets.iter().enumerate() {
            let at = at.then("packets").then(index);
            if !nodes.has_link(name) {
                let problem = format!("there is no link direction {:?}", clip(name));
                return Err(at.unknown(&clip(name), &problem, &nodes.links()));
            }
            if self.packets[..index].contains(name) {
                return Err(at.wrong(name, format!("{name:?} is there already")));
            }
        }
        Ok(())
    }
}

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
    /// The length of a flow's epochs, from the flow's own mean round-trip time and the mean over all flows.
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
