//! The configuration of one direction of a link.

use ackclock_units::{Duration, LinkRate};

use crate::path::config::PathConfig;
use crate::queue::disciplines::Queue;
use crate::{BufferSize, LossModel};

/// The configuration of one direction of a link.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinkConfig {
    /// Transmission rate, above zero; the mean if it varies.
    pub rate: LinkRate,
    /// Propagation delay; the smallest if it varies.
    pub delay: Duration,
    /// The size of the buffer in front of the transmitter.
    pub buffer: BufferSize,
    /// Losses on the link, besides the drops of its queue.
    pub loss: LossModel,
    /// The marking threshold in packets: an ECN-capable packet that finds more packets waiting is marked (DCTCP's
    /// instantaneous threshold, Alizadeh et al. 2010, 3.1); none for no marks.
    pub ecn_threshold: Option<u32>,
    /// The queue discipline.
    pub queue: Queue,
    /// Variations of rate and delay over time, and impairments.
    pub path: PathConfig,
}

impl LinkConfig {
    /// A direction with an unlimited buffer and no loss.
    pub fn new(rate: impl Into<LinkRate>, delay: Duration) -> LinkConfig {
        let (buffer, loss) = (BufferSize::Unlimited, LossModel::None);
        let (queue, path) = (Queue::default(), PathConfig::default());
        LinkConfig { rate: rate.into(), delay, buffer, loss, ecn_threshold: None, queue, path }
    }

    /// This configuration with another buffer.
    pub fn with_buffer(self, buffer: BufferSize) -> LinkConfig {
        LinkConfig { buffer, ..self }
    }

    /// This configuration with another loss model.
    pub fn with_loss(self, loss: LossModel) -> LinkConfig {
        LinkConfig { loss, ..self }
    }

    /// This configuration with another marking threshold, in packets waiting.
    pub fn with_ecn_threshold(self, ecn_threshold: Option<u32>) -> LinkConfig {
        LinkConfig { ecn_threshold, ..self }
    }

    /// This configuration with another path.
    pub fn with_path(self, path: PathConfig) -> LinkConfig {
        LinkConfig { path, ..self }
    }

    /// True if rate, delay or losses vary over time, or packets suffer an impairment.
    pub(crate) fn varies(&self) -> bool {
        !self.path.is_plain() || self.loss.is_scheduled()
    }

    /// This configuration with another queue discipline.
    pub fn with_queue(self, queue: Queue) -> LinkConfig {
        LinkConfig { queue, ..self }
    }
}
