use ackclock_units::{Bytes, Duration, Time};

use crate::Occupancy;
use crate::ahead::Gone;

/// How a link direction stands at one instant: found by looking at every packet that has not departed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
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

impl Standing {
    /// Takes a packet into account. One let in ahead of time does not wait, so it comes when it begins.
    pub(crate) fn count(&mut self, now: Time, packet: Gone, transmission: Duration) {
        let Gone { departure, size, ahead } = packet;
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
pub(crate) struct Ledger {
    pub(crate) time: Time,
    pub(crate) admitted: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped_queue: u64,
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
}

impl Ledger {
    pub(crate) fn until(&self, end: &Ledger, max_queue_packets: u32) -> LinkStats {
        let admitted = end.admitted - self.admitted;
        let dropped_queue = end.dropped_queue - self.dropped_queue;
        let dropped_loss = end.dropped_loss - self.dropped_loss;
        let waited = end.waited - self.waited;
        LinkStats {
            span: end.time.since(self.time),
            offered: admitted + dropped_queue,
            admitted,
            forwarded: end.arrived - self.arrived - dropped_loss,
            dropped_queue,
            dropped_loss,
            marked: end.marked - self.marked,
            bytes_forwarded: Bytes::new(end.bytes_forwarded - self.bytes_forwarded),
            busy: (end.busy + self.busy_ahead).saturating_sub(self.busy + end.busy_ahead),
            max_queue_packets,
            queue_area: waited + self.waiting_ahead - end.waiting_ahead,
            waited,
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
    /// Packets let into the queue or straight onto the link.
    pub admitted: u64,
    /// Packets delivered to the far end.
    pub forwarded: u64,
    /// Packets refused by the queue.
    pub dropped_queue: u64,
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
    queue_area: u64,
    waited: u64,
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
        ratio(self.waited as f64 / 1e9, self.admitted as f64)
    }
}

/// Nothing of nothing is nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
