//! The counters of a queue from which the transmitter pulls.

use crate::DropReason;
use crate::packet::queued_packet::QueuedPacket;

/// The running sums of a queue from which the transmitter pulls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QueueCounters {
    pub(crate) offered: u64,
    pub(crate) dropped_tail: u64,
    pub(crate) dropped_early: u64,
    pub(crate) pushed_out: u64,
    pub(crate) marked: u64,
    /// Acknowledgments that later ones replaced.
    pub(crate) thinned: u64,
    pub(crate) offered_protected: u64,
    pub(crate) dropped_protected: u64,
    /// Packets whose transmission has begun.
    pub(crate) served: u64,
    /// The queueing delay of the packets served, in packet-nanoseconds.
    pub(crate) waited: u128,
    /// The integral of the queue length over time, in packet-nanoseconds.
    pub(crate) area: u128,
}

impl QueueCounters {
    /// Counts a dropped packet.
    pub(crate) fn drop(&mut self, packet: &QueuedPacket, reason: DropReason) {
        match reason {
            DropReason::Queue | DropReason::Loss | DropReason::Policed | DropReason::Tripped => {
                self.dropped_tail += 1;
            }
            DropReason::Early => self.dropped_early += 1,
            DropReason::PushedOut => self.pushed_out += 1,
            DropReason::Thinned => self.thinned += 1,
        }
        self.dropped_protected += u64::from(packet.protected);
    }

    /// The difference to earlier counters.
    pub(crate) fn since(&self, earlier: &QueueCounters) -> QueueCounters {
        QueueCounters {
            offered: self.offered - earlier.offered,
            dropped_tail: self.dropped_tail - earlier.dropped_tail,
            dropped_early: self.dropped_early - earlier.dropped_early,
            pushed_out: self.pushed_out - earlier.pushed_out,
            marked: self.marked - earlier.marked,
            thinned: self.thinned - earlier.thinned,
            offered_protected: self.offered_protected - earlier.offered_protected,
            dropped_protected: self.dropped_protected - earlier.dropped_protected,
            served: self.served - earlier.served,
            waited: self.waited - earlier.waited,
            area: self.area - earlier.area,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of each counter the measured time has what was counted in it.
    #[test]
    fn what_was_counted_before_does_not_count() {
        let counters = |first: u64| QueueCounters {
            offered: first,
            dropped_tail: first + 1,
            dropped_early: first + 2,
            pushed_out: first + 3,
            marked: first + 4,
            offered_protected: first + 5,
            dropped_protected: first + 6,
            served: first + 7,
            waited: u128::from(first + 8),
            area: u128::from(first + 9),
            thinned: first + 10,
        };
        let QueueCounters { offered, dropped_tail, dropped_early, pushed_out, marked, .. } =
            counters(107).since(&counters(100));
        assert_eq!([offered, dropped_tail, dropped_early, pushed_out, marked], [7; 5]);
        let QueueCounters { offered_protected, dropped_protected, served, waited, area, thinned, .. } =
            counters(107).since(&counters(100));
        assert_eq!([offered_protected, dropped_protected, served, thinned], [7; 4]);
        assert_eq!([waited, area], [7; 2]);
    }
}
