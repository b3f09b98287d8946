//! The statistics of a link direction.

use ackclock_units::{Bytes, Duration};

use crate::path::WorkDone;

/// The statistics of one link direction since the measurement began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// The length of the measurement.
    pub span: Duration,
    /// Packets offered to it.
    pub offered: u64,
    /// Packets that entered the queue or the idle link and were not pushed out later. If the transmitter pulls from the
    /// queue, packets whose transmission has begun.
    pub admitted: u64,
    /// Packets delivered to the far end.
    pub forwarded: u64,
    /// Packets dropped by the queue, for any reason.
    pub dropped_queue: u64,
    /// The packets of `dropped_queue` that active queue management dropped before the buffer was full.
    pub dropped_early: u64,
    /// The packets of `dropped_queue` that had been queued and were removed in favour of others.
    pub pushed_out: u64,
    /// Packets offered that the queue protects, such as retransmissions; zero for queues that protect none.
    pub offered_protected: u64,
    /// The packets of `offered_protected` that were dropped nevertheless.
    pub dropped_protected: u64,
    /// Packets lost on the link, counted when they would have arrived.
    pub dropped_loss: u64,
    /// Packets marked by the queue (RFC 3168's CE).
    pub marked: u64,
    /// Bytes of the packets delivered to the far end.
    pub bytes_forwarded: Bytes,
    /// The time for which the transmitter was busy, exact to the nanosecond at both ends of the measurement.
    pub busy: Duration,
    /// Packets dropped by policers and circuit breakers. They are included in `dropped_queue`.
    pub policed: u64,
    /// Acknowledgments that later ones of their flows replaced in the queue; they count neither as dropped nor as lost.
    pub thinned: u64,
    /// The work that the transmitter has done and could have done, if something varies.
    pub(crate) work: Option<WorkDone>,
    /// The longest queue, in packets.
    pub max_queue_packets: u32,
    /// The longest queueing delay; known only if the transmitter pulls from the queue.
    pub max_queueing_delay: Option<Duration>,
    /// The integral of the queue length over the measured time, in packet-nanoseconds.
    pub(super) queue_area: u128,
    /// Packets whose transmission has begun since the measurement began, and their queueing delay in packet-nanoseconds.
    pub(super) begun: u64,
    pub(super) waited: u128,
}

impl LinkStats {
    /// The fraction of the time for which the transmitter was busy, 0 to 1; if the capacity varies, the fraction of the
    /// capacity that was used.
    pub fn utilisation(&self) -> f64 {
        if let Some(work) = self.work {
            return ratio(work.done as f64, work.possible as f64);
        }
        ratio(self.busy.as_secs_f64(), self.span.as_secs_f64())
    }

    /// The mean capacity in bits per second, if it varies; NaN if it is in packets.
    pub fn mean_capacity(&self) -> Option<f64> {
        let work = self.work?;
        Some(work.possible_bits.map_or(f64::NAN, |bits| ratio(bits, self.span.as_secs_f64())))
    }

    /// The time average of the packets waiting, without the one being transmitted. Exact: the integral of the queue
    /// length is the sum of the queueing delays (Little 1961), cut at both ends of the measurement.
    pub fn mean_queue_packets(&self) -> f64 {
        ratio(self.queue_area as f64, self.span.as_nanos() as f64)
    }

    /// The mean queueing delay in seconds of the packets whose transmission has begun since the measurement began, zero if
    /// none has. Each queueing delay counts in full, whenever the packet arrived; packets that still wait, or were dropped
    /// from the queue, do not count; transmission is not included.
    pub fn mean_queueing_delay_secs(&self) -> f64 {
        ratio(self.waited as f64 / 1e9, self.begun as f64)
    }
}

/// The quotient, zero if the divisor is zero.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
