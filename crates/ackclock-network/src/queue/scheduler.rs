//! The interface of a queue from which the transmitter pulls a packet when it falls idle.

use std::fmt;
use std::sync::Arc;

use ackclock_units::Time;
use dyn_clone::DynClone;

use super::buffer::{BufferSize, Occupancy};
use crate::packet::congestion_header::CongestionHeader;
use crate::packet::gateway_view::GatewayView;
use crate::packet::header_view::HeaderView;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::packet::slot::SlotId;

/// With more queues than this, prefetching the state of the next queues pays.
pub(super) const MANY: usize = 4096;

/// A queue from which the transmitter pulls a packet when it falls idle.
///
/// Time does not decrease from one call to the next. Every packet enqueued leaves exactly once, by `dequeue` or among
/// the `discards` of either call; a discard may be the arriving packet or another.
pub(crate) trait Scheduler: DynClone + fmt::Debug + Send + Sync {
    /// True if the discipline reads transport headers: [`Self::protects`] is called for every packet. Asked once.
    fn reads_headers(&self) -> bool {
        false
    }
    /// True if the arriving packet is of the kind that the queue protects. Called once, before [`Self::enqueue`], if
    /// the discipline [reads headers](Self::reads_headers).
    fn protects(&mut self, _now: Time, _packet: &QueuedPacket, _header: &HeaderView) -> bool {
        false
    }
    /// True if the discipline marks the packets that it protects In and all others Out, for later queues on the path.
    /// Asked once.
    fn marks_profile(&self) -> bool {
        false
    }
    /// True if the discipline reads congestion headers on arrival and writes feedback into them on departure. Asked
    /// once.
    fn stamps(&self) -> bool {
        false
    }
    /// Reads the congestion header of an arriving packet, before [`Self::enqueue`].
    fn note_header(&mut self, _now: Time, _header: &CongestionHeader<'_>) {}
    /// Writes feedback into the congestion header of a packet that [`Self::dequeue`] has just returned.
    fn stamp(&mut self, _packet: &QueuedPacket, _header: &mut CongestionHeader<'_>) {}
    /// True if the discipline reads more headers, as a home gateway does: [`Self::note_view`] is called for every packet. Asked
    /// once.
    fn reads_as_gateway(&self) -> bool {
        false
    }
    /// Reads the headers of an arriving packet, before [`Self::enqueue`].
    fn note_view(&mut self, _view: &GatewayView) {}
    /// Enqueues an arriving packet. The waiting packets and this one share a buffer of this size.
    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>);
    /// Dequeues the next packet; none only if the queue is empty or [holds its packets back](Self::held_until).
    fn dequeue(&mut self, now: Time, discards: &mut Vec<Discard>) -> Option<QueuedPacket>;
    /// The time until which the queue holds all its packets back, when [`Self::dequeue`] has returned none though packets wait.
    /// Only disciplines that shape need it.
    fn held_until(&self) -> Option<Time> {
        None
    }
    /// Notes that the transmitter has been idle since this time, when it found the queue empty. Only disciplines whose
    /// state depends on idle time need it.
    fn on_idle(&mut self, _since: Time) {}
    /// Sets the class of each flow. Only disciplines that distinguish classes need it.
    fn set_classes(&mut self, _classes: &Arc<[u8]>) {}
    /// Sets the hosts at the ends of each flow. Only disciplines that read as a gateway need it.
    fn set_hosts(&mut self, _hosts: &Arc<[[u32; 2]]>) {}
    /// Prefetches the memory that a packet of the flow will need. Only disciplines with [`MANY`] queues need it.
    fn prefetch(&self, _flow: u32) {}
    /// Prefetches the state that the next calls of [`Self::dequeue`] read. Returns the slot of the next packet, if it is known.
    fn prefetch_next(&self) -> Option<SlotId> {
        None
    }
    /// The packets that wait.
    fn occupancy(&self) -> Occupancy;
}

dyn_clone::clone_trait_object!(Scheduler);
