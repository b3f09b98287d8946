//! The counters of a link direction, and its statistics.

use ackclock_units::{Duration, Time};

use super::Link;
use super::counters::LinkCounters;
use super::stats::LinkStats;
use crate::DropReason;
use crate::path::Path;
use crate::path::state::LinkState;
use crate::queue::counters::QueueCounters;

impl Link {
    /// Packets of the present size admitted since the size last changed.
    #[inline]
    pub(super) fn admitted_since(&self) -> u64 {
        self.admitted - self.admitted_before
    }

    /// Bytes of all packets admitted.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_before + self.admitted_since() * u64::from(self.size)
    }

    /// Transmission time of all packets admitted.
    pub(super) fn busy(&self) -> Duration {
        self.busy_before + self.period.transmission.saturating_mul(self.admitted_since())
    }

    /// The longest queue since the measurement began, in packets.
    pub(super) fn max_waiting(&self) -> u32 {
        self.max_waiting.max(self.period.count(self.longest_wait) as u32)
    }

    /// Counts a packet that was lost on the link, when it would have arrived.
    #[cold]
    pub(crate) fn count_loss(&mut self, now: Time, flow: u32, size: u32) {
        if let Some(path) = self.path_mut() {
            path.note_drop(now, flow, DropReason::Loss);
        }
        self.cold.dropped_loss += 1;
        self.cold.bytes_lost += u64::from(size);
    }

    /// The waiting time of all packets admitted, in packet-nanoseconds.
    fn waited(&self) -> u128 {
        u128::from(self.cold.waited_carries) << 64 | u128::from(self.waited)
    }

    fn counters(&self, now: Time, state: &LinkState, queue: Option<QueueCounters>) -> LinkCounters {
        let waited = self.waited();
        LinkCounters {
            time: now,
            admitted: self.admitted - state.future,
            arrived: self.admitted - state.not_arrived,
            dropped_queue: self.cold.dropped_queue,
            dropped_early: self.cold.dropped_early,
            marked: self.cold.marked,
            dropped_loss: self.cold.dropped_loss,
            bytes_forwarded: self.bytes() - self.cold.bytes_lost - state.bytes_not_arrived,
            queue_area: waited - state.waiting_ahead,
            begun: self.admitted - state.future - state.not_begun,
            waited: waited - state.waiting_ahead - state.waited_already,
            busy: self.busy() - state.future_busy,
            busy_ahead: state.free_at.since(now),
            policed: self.path().map_or(0, |path| path.policed),
            thinned: self.path().map_or(0, Path::thinned),
            work: self.work(now).map(Box::new),
            queue: queue.map(Box::new),
        }
    }

    /// Begins the measurement. `queue` holds the counters of the queue, if the transmitter pulls from one.
    pub(crate) fn measure_from(&mut self, now: Time, state: &LinkState, queue: Option<QueueCounters>) {
        self.max_waiting = state.waiting().packets;
        self.longest_wait = Duration::ZERO;
        if let Some(path) = self.path_mut() {
            path.transmitter.measure_from(now);
        }
        self.cold.start = self.counters(now, state, queue);
    }

    /// The statistics from the start of the measurement until now.
    pub(crate) fn stats(&self, now: Time, state: &LinkState, queue: Option<QueueCounters>) -> LinkStats {
        let end = self.counters(now, state, queue);
        self.cold.start.until(&end, self.max_waiting())
    }
}
