use ackclock_units::{Bytes, Duration, Time};

use crate::queue::scheduler::QueuedPacket;
use crate::{DropReason, Occupancy};

/// How a link direction stands at one instant: found by looking at every packet that has not departed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkState {
    /// Packets in the queue or on the transmitter, and their bytes.
    packets: u32,
    bytes: u64,
    /// The first of them to depart: when, and of what size.
    first: Option<(Time, u32)>,
    /// The waiting time still ahead of them, in packet-nanoseconds; the first has begun.
    pub(crate) waiting_ahead: u64,
    /// When the last of them will have departed.
    pub(crate) free_at: Time,
    /// Packets booked that have yet to come, and their transmission time.
    pub(crate) future: u64,
    pub(crate) future_busy: Duration,
    /// Packets booked as arrived that are on their way, and their bytes.
    pub(crate) not_arrived: u64,
    pub(crate) bytes_not_arrived: u64,
}

impl LinkState {
    /// Takes a packet into account. One let in ahead of time does not wait, so it comes when it begins.
    pub(crate) fn count(
        &mut self,
        now: Time,
        (departure, size, ahead): (Time, u32, bool),
        transmission: Duration,
    ) {
        if departure <= now {
            return;
        }
        let begin = Time::from_nanos(departure.as_nanos() - transmission.as_nanos());
        if ahead && begin > now {
            self.future += 1;
            self.future_busy += transmission;
            return;
        }
        self.packets += 1;
        self.bytes += u64::from(size);
        self.first = self.first.into_iter().chain([(departure, size)]).min();
        self.waiting_ahead += begin.since(now).as_nanos();
        self.free_at = self.free_at.max(departure);
    }

    /// The packet just counted has not reached the far end.
    pub(crate) fn not_arrived(&mut self, size: u32) {
        self.not_arrived += 1;
        self.bytes_not_arrived += u64::from(size);
    }

    /// What waits: all but the first, which is being transmitted.
    pub(crate) fn waiting(&self) -> Occupancy {
        self.first.map_or_else(Occupancy::default, |(_, size)| Occupancy {
            packets: self.packets - 1,
            bytes: Bytes::new(self.bytes - u64::from(size)),
        })
    }
}

/// A link direction's running sums at one instant; statistics are the difference of two.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkCounters {
    pub(crate) time: Time,
    pub(crate) admitted: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped_queue: u64,
    pub(crate) dropped_early: u64,
    pub(crate) dropped_loss: u64,
    pub(crate) marked: u64,
    pub(crate) bytes_forwarded: u64,
    /// Waiting time of all packets admitted, in packet-nanoseconds, booked when they are admitted ...
    pub(crate) waited: u64,
    /// ... and how much of it lies in the future.
    pub(crate) waiting_ahead: u64,
    /// Transmission time of all packets admitted, and how much of it lies in the future.
    pub(crate) busy: Duration,
    pub(crate) busy_ahead: Duration,
    /// What a queue has counted that is asked when the transmitter falls idle.
    pub(crate) queue: Option<QueueCounters>,
}

/// The running sums of a queue that counts for itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueCounters {
    pub(crate) offered: u64,
    pub(crate) dropped_tail: u64,
    pub(crate) dropped_early: u64,
    pub(crate) pushed_out: u64,
    pub(crate) marked: u64,
    pub(crate) offered_protected: u64,
    pub(crate) dropped_protected: u64,
    /// Packets whose transmission has begun, and their waiting time in packet-nanoseconds.
    pub(crate) served: u64,
    pub(crate) waited: u64,
    /// The area under the queue's length, in packet-nanoseconds.
    pub(crate) area: u64,
}

impl QueueCounters {
    /// Counts a packet that is given up.
    pub(crate) fn drop(&mut self, packet: &QueuedPacket, reason: DropReason) {
        match reason {
            DropReason::Queue | DropReason::Loss => self.dropped_tail += 1,
            DropReason::Early => self.dropped_early += 1,
            DropReason::PushedOut => self.pushed_out += 1,
        }
        self.dropped_protected += u64::from(packet.protected);
    }

    fn since(&self, earlier: &QueueCounters) -> QueueCounters {
        QueueCounters {
            offered: self.offered - earlier.offered,
            dropped_tail: self.dropped_tail - earlier.dropped_tail,
            dropped_early: self.dropped_early - earlier.dropped_early,
            pushed_out: self.pushed_out - earlier.pushed_out,
            marked: self.marked - earlier.marked,
            offered_protected: self.offered_protected - earlier.offered_protected,
            dropped_protected: self.dropped_protected - earlier.dropped_protected,
            served: self.served - earlier.served,
            waited: self.waited - earlier.waited,
            area: self.area - earlier.area,
        }
    }
}

impl LinkCounters {
    pub(crate) fn until(&self, end: &LinkCounters, max_queue_packets: u32) -> LinkStats {
        let admitted = end.admitted - self.admitted;
        let dropped_queue = end.dropped_queue - self.dropped_queue;
        let dropped_loss = end.dropped_loss - self.dropped_loss;
        let waited = end.waited - self.waited;
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
            queue_area: waited + self.waiting_ahead - end.waiting_ahead,
            waited,
            waited_packets: admitted,
            ..LinkStats::default()
        };
        let Some(end) = end.queue else { return stats };
        let queue = self.queue.map_or(end, |start| end.since(&start));
        LinkStats {
            offered: queue.offered,
            dropped_queue: queue.dropped_tail + queue.dropped_early + queue.pushed_out,
            dropped_early: queue.dropped_early,
            pushed_out: queue.pushed_out,
            marked: queue.marked,
            offered_protected: queue.offered_protected,
            dropped_protected: queue.dropped_protected,
            queue_area: queue.area,
            waited: queue.waited,
            waited_packets: queue.served,
            ..stats
        }
    }
}

/// What one link direction has done since the measurement began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkStats {
    /// How long it was measured.
    pub span: Duration,
    /// Packets offered to it.
    pub offered: u64,
    /// Packets let into the queue, or straight onto the link, and not pushed out of the queue: those whose transmission
    /// has begun, and, where a queue decides on arrival, those for whom that is sure.
    pub admitted: u64,
    /// Packets delivered to the far end.
    pub forwarded: u64,
    /// Packets dropped by the queue, for whatever reason.
    pub dropped_queue: u64,
    /// Those of them dropped before the buffer was full, by active queue management.
    pub dropped_early: u64,
    /// Those of them that had waited and gave their room to others.
    pub pushed_out: u64,
    /// Packets offered that the queue protects, such as retransmissions, where it does so.
    pub offered_protected: u64,
    /// Those of them that it dropped all the same.
    pub dropped_protected: u64,
    /// Packets lost under way, counted when they would have arrived.
    pub dropped_loss: u64,
    /// Packets that its queue marked (RFC 3168's CE).
    pub marked: u64,
    /// Bytes of the packets delivered to the far end.
    pub bytes_forwarded: Bytes,
    /// How long the transmitter was busy, up to the end of the measurement to the nanosecond.
    pub busy: Duration,
    /// The most packets that waited at once.
    pub max_queue_packets: u32,
    /// The longest waiting time; known where the queue is asked when the transmitter falls idle.
    pub max_queueing_delay: Option<Duration>,
    queue_area: u64,
    waited: u64,
    waited_packets: u64,
}

impl LinkStats {
    /// The part of the time the transmitter was busy, 0 to 1.
    pub fn utilisation(&self) -> f64 {
        ratio(self.busy.as_secs_f64(), self.span.as_secs_f64())
    }

    /// The time average of the packets waiting, without the one being transmitted. Exact: the area under the queue's
    /// length is the sum of the waiting times (Little 1961), cut at both ends of the measurement.
    pub fn mean_queue_packets(&self) -> f64 {
        ratio(self.queue_area as f64, self.span.as_nanos() as f64)
    }

    /// The mean waiting time in seconds of the packets admitted since the measurement began, those that did not have
    /// to wait included, and transmission not.
    pub fn mean_queueing_delay_secs(&self) -> f64 {
        ratio(self.waited as f64 / 1e9, self.waited_packets as f64)
    }
}

/// Nothing of nothing is nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
