//! The counters of a link direction.

use ackclock_units::{Bytes, Duration, Time};

use super::stats::LinkStats;
use crate::path::WorkDone;
use crate::queue::counters::QueueCounters;

/// The running sums of a link direction at one instant; statistics are the difference of two.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkCounters {
    pub(crate) time: Time,
    pub(crate) admitted: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped_queue: u64,
    pub(crate) dropped_early: u64,
    pub(crate) dropped_loss: u64,
    pub(crate) marked: u64,
    pub(crate) bytes_forwarded: u64,
    /// The waiting time until now of all packets admitted, in packet-nanoseconds.
    pub(crate) queue_area: u128,
    /// Packets whose transmission has begun, and their waiting time in packet-nanoseconds.
    pub(crate) begun: u64,
    pub(crate) waited: u128,
    /// The transmission time of all packets admitted, and the part of it that lies in the future.
    pub(crate) busy: Duration,
    pub(crate) busy_ahead: Duration,
    /// Packets dropped by policers and circuit breakers.
    pub(crate) policed: u64,
    /// Acknowledgments that later ones replaced.
    pub(crate) thinned: u64,
    /// The work done, if something varies.
    pub(crate) work: Option<Box<WorkDone>>,
    /// The counters of the queue, if the transmitter pulls from one.
    pub(crate) queue: Option<Box<QueueCounters>>,
}

impl LinkCounters {
    /// The statistics from these counters to later ones.
    pub(crate) fn until(&self, end: &LinkCounters, max_queue_packets: u32) -> LinkStats {
        let policed = end.policed - self.policed;
        let thinned = end.thinned - self.thinned;
        let stats = self.until_of_admitted(end, max_queue_packets);
        LinkStats {
            offered: stats.offered + policed + thinned,
            dropped_queue: stats.dropped_queue + policed,
            policed,
            thinned: stats.thinned + thinned,
            work: end
                .work
                .as_deref()
                .map(|work| work.since(self.work.as_deref().copied().unwrap_or_default())),
            ..stats
        }
    }

    /// The statistics without the packets that policers dropped or thinning replaced.
    fn until_of_admitted(&self, end: &LinkCounters, max_queue_packets: u32) -> LinkStats {
        let admitted = end.admitted - self.admitted;
        let dropped_queue = end.dropped_queue - self.dropped_queue;
        let dropped_loss = end.dropped_loss - self.dropped_loss;
        let stats = LinkStats {
            span: end.time.since(self.time),
            offered: admitted + dropped_queue,
            admitted,
            forwarded: end.arrived - self.arrived - dropped_loss,
            dropped_queue,
            dropped_early: end.dropped_early - self.dropped_early,
            dropped_loss,
            marked: end.marked - self.marked,
            bytes_forwarded: Bytes::new(end.bytes_forwarded - self.bytes_forwarded),
            busy: (end.busy + self.busy_ahead).saturating_sub(self.busy + end.busy_ahead),
            max_queue_packets,
            queue_area: end.queue_area - self.queue_area,
            begun: end.begun - self.begun,
            waited: end.waited - self.waited,
            ..LinkStats::default()
        };
        let Some(end) = end.queue.as_deref() else { return stats };
        let queue = self.queue.as_deref().map_or(*end, |start| end.since(start));
        LinkStats {
            offered: queue.offered,
            dropped_queue: queue.dropped_tail + queue.dropped_early + queue.pushed_out,
            dropped_early: queue.dropped_early,
            pushed_out: queue.pushed_out,
            marked: queue.marked,
            thinned: queue.thinned,
            offered_protected: queue.offered_protected,
            dropped_protected: queue.dropped_protected,
            queue_area: queue.area,
            begun: queue.served,
            waited: queue.waited,
            ..stats
        }
    }
}
