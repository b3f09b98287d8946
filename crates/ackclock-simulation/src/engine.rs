//! The engine that endpoints run on: the network, the events that are due, and the clock.

pub(crate) mod event;
pub(crate) mod processing;

use ackclock_network::{DropReason, EventList, LinkId};
use ackclock_units::Time;

use crate::engine::processing::HostProcessing;
use crate::facts::{Network, Packet};
use crate::recording::recorder::Recorder;

/// The parts of a simulation that a flow's endpoints use, together so that one pointer refers to
/// all of them.
pub(crate) struct Engine {
    pub network: Network,
    pub events: EventList,
    pub recorder: Recorder,
    pub processing: HostProcessing,
    /// Simulated time.
    pub now: Time,
    /// The steps of long walks and of long bursts so far. They take time as events do.
    pub steps: u64,
}

impl Engine {
    /// Records that a link direction has dropped the packet sent last.
    #[cold]
    #[inline(never)]
    pub fn note_refusal(&mut self, link: LinkId, reason: DropReason) {
        let packet = self.network.dropped();
        self.note_drop(link, reason, &packet);
    }

    /// Records that a link direction drops a packet now.
    #[inline]
    pub fn note_drop(&mut self, link: LinkId, reason: DropReason, packet: &Packet) {
        self.recorder.drop_packet(self.now, link, reason, packet);
    }
}
