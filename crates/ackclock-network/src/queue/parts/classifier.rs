//! The classes of flows, for queues with priorities.

use std::sync::Arc;

use crate::packet::header::flow_of;
use crate::packet::queued_packet::QueuedPacket;

/// The classes that queues distinguish.
pub const CLASSES: usize = 8;

/// The class of a packet: its flow's class, or the lowest if it has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classifier(pub(crate) Arc<[u8]>);

impl Classifier {
    pub(crate) fn class(&self, packet: &QueuedPacket) -> usize {
        let class = self.0.get(flow_of(packet.flow) as usize).copied().unwrap_or_default();
        usize::from(class).min(CLASSES - 1)
    }
}
