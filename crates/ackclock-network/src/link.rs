//! One direction of a link: the state that admission, service, cut-through and measurement share.

mod admission;
pub(crate) mod busy_periods;
pub(crate) mod config;
mod counters;
mod cut_through;
mod hop_by_hop;
pub(crate) mod ingress_buffer;
mod measurement;
pub(crate) mod offer;
mod on_path;
pub(crate) mod pipe;
mod service;
pub(crate) mod stats;

use ackclock_memory::prefetch_part;
use ackclock_units::{Duration, LinkRate, Time};

use self::busy_periods::{BusyPeriod, BusyPeriods};
use self::config::LinkConfig;
use self::counters::LinkCounters;
use self::hop_by_hop::{HopByHop, ServedBefore};
use self::ingress_buffer::IngressBuffer;
use self::pipe::Pipe;
use crate::BufferSize;
use crate::loss::LossProcess;
use crate::packet::slot::SlotId;
use crate::path::Path;
use crate::queue::arriving::ArrivalAqm;

/// How packets go on to the next link direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forwards {
    /// Each by an event at the far end.
    ByEvents,
    /// Some without, since the next link direction of some packets has cut-through or an ingress buffer.
    Early,
    /// As `Early`, and those are noted.
    Noted,
}

/// One direction of a link: a first-in first-out pipe of a queue, a transmitter and a propagation delay.
///
/// Service is in order, so a packet's departure is known when it is admitted: the time at which the transmitter falls
/// idle, or now, plus its transmission time. Nothing happens to it between admission and arrival, so only the arrival
/// of the head is an event. The queue length follows from the time for which the transmitter stays busy
/// (`busy_periods.rs`).
///
/// It fits two cache lines. If the link direction is idle, an arriving packet touches only the first; a test holds
/// the layout.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Link {
    /// The last busy period of packets of one size. The transmitter falls idle at its end.
    period: BusyPeriod,
    /// The size of its packets in bytes; [`NO_SIZE`] before the first.
    size: u32,
    /// True for a drop-tail queue that marks no packets, on a link that loses no packets and on which nothing varies.
    drop_tail_only: bool,
    /// All packets come from one other link direction and may cut through to this one (`network/cut_through.rs`).
    cut_through: bool,
    forwards: Forwards,
    /// Arriving packets are collected in the ingress buffer.
    has_ingress_buffer: bool,
    delay: Duration,
    /// Packets admitted since the start of the run.
    admitted: u64,
    pipe: Pipe,
    hop_by_hop: HopByHop,
    /// The size of the buffer as a time, for packets of the size of the last busy period.
    buffer_time: Duration,
    /// The longest wait of a packet of that size since `max_waiting` was updated.
    longest_wait: Duration,
    /// The waiting time of all packets admitted, in packet-nanoseconds: the low 64 bits.
    waited: u64,
    /// Packets, bytes and transmission time admitted before the packets of this size.
    admitted_before: u64,
    bytes_before: u64,
    busy_before: Duration,
    /// The longest queue since the measurement began, in packets.
    max_waiting: u32,
    /// There are busy periods before the last.
    mixed_sizes: bool,
    cold: Box<Cold>,
}

/// A size that no packet has. Zero would not do: a packet of zero bytes takes time too.
const NO_SIZE: u32 = u32::MAX;

/// The state that is rarely used. The cache line at its beginning has what a packet of another size needs on an idle link.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Cold {
    rate: LinkRate,
    buffer: BufferSize,
    loss: Option<Box<LossProcess>>,
    /// The variations and impairments, if there are any. Then the path adds the propagation delay, instead of the
    /// link.
    path: Option<Box<Path>>,
    /// The index of its queue among the network's pull queues.
    pull_queue: Option<u32>,
    /// The bits of `waited` above the low 64.
    waited_carries: u64,
    /// Active queue management that decides on arrival.
    aqm: Option<Box<dyn ArrivalAqm>>,
    /// The marking threshold in packets.
    ecn_threshold: Option<u32>,
    marked: u64,
    /// Packets dropped by the queue, and those among them dropped by active queue management.
    dropped_queue: u64,
    dropped_early: u64,
    dropped_loss: u64,
    /// Bytes of the packets lost on the link.
    bytes_lost: u64,
    periods: BusyPeriods,
    served_before_cut_through: ServedBefore,
    ingress: IngressBuffer,
    /// The counters at the start of the measurement.
    start: LinkCounters,
}

impl Link {
    pub(crate) fn new(config: &LinkConfig, loss: Option<LossProcess>, path: Option<Box<Path>>) -> Link {
        let drop_tail = config.ecn_threshold.is_none() && config.queue.is_drop_tail();
        Link {
            period: BusyPeriod::NONE,
            size: NO_SIZE,
            drop_tail_only: loss.is_none() && path.is_none() && drop_tail,
            cut_through: false,
            forwards: Forwards::ByEvents,
            has_ingress_buffer: false,
            delay: if path.is_some() { Duration::ZERO } else { config.delay },
            admitted: 0,
            pipe: Pipe::EMPTY,
            hop_by_hop: HopByHop::NONE,
            buffer_time: Duration::ZERO,
            longest_wait: Duration::ZERO,
            waited: 0,
            admitted_before: 0,
            bytes_before: 0,
            busy_before: Duration::ZERO,
            max_waiting: 0,
            mixed_sizes: false,
            cold: Box::new(Cold {
                rate: config.rate,
                buffer: config.buffer,
                loss: loss.map(Box::new),
                path,
                pull_queue: None,
                waited_carries: 0,
                aqm: None,
                ecn_threshold: config.ecn_threshold,
                marked: 0,
                dropped_queue: 0,
                dropped_early: 0,
                dropped_loss: 0,
                bytes_lost: 0,
                periods: BusyPeriods::new(),
                served_before_cut_through: ServedBefore::nothing(),
                ingress: IngressBuffer::default(),
                start: LinkCounters::default(),
            }),
        }
    }

    /// Sets active queue management that decides on arrival.
    pub(crate) fn set_aqm(&mut self, aqm: Box<dyn ArrivalAqm>) {
        self.cold.aqm = Some(aqm);
    }

    /// Sets the index of its queue among the network's pull queues.
    pub(crate) fn set_pull_queue(&mut self, index: u32) {
        self.cold.pull_queue = Some(index);
    }

    /// The index of its queue among the network's pull queues; none if its queue decides on arrival.
    #[inline]
    pub(crate) fn pull_queue(&self) -> Option<u32> {
        self.cold.pull_queue
    }

    /// True for a drop-tail queue that marks no packets, on a link that loses none.
    #[inline]
    pub(crate) fn is_drop_tail_only(&self) -> bool {
        self.drop_tail_only
    }

    #[inline]
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    /// The time at which the transmitter falls idle.
    #[inline]
    pub(crate) fn free_at(&self) -> Time {
        self.period.end
    }

    /// The number of packets from the tail of the queue to the far end, and in the ingress buffer.
    #[inline]
    pub(crate) fn in_flight(&self) -> u64 {
        let displaced = self.cold.path.as_ref().map_or(0, |path| path.displaced.len());
        u64::from(self.pipe.len()) + self.cold.ingress.len() as u64 + displaced
    }

    /// The packets from the tail of the queue to the far end.
    #[inline]
    pub(crate) fn pipe(&self) -> &Pipe {
        &self.pipe
    }

    /// Prefetches what the arrival of a packet touches.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch_part(self, 0..size_of::<Link>());
    }

    /// Prefetches what a packet of another size touches besides, when the first part has had time to arrive.
    #[inline]
    pub(crate) fn prefetch_beyond(&self) {
        prefetch_part(&*self.cold, 0..64);
    }

    /// The packet that arrives next.
    #[inline]
    pub(crate) fn head(&self) -> Option<SlotId> {
        self.pipe.first()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{Bytes, Rate};

    use super::*;

    /// At 8 Mbit/s a packet of 1000 bytes takes 1 ms. One of 500 bytes waits behind it, at 0 and again at 10 ms, after a pause.
    #[test]
    fn packets_of_before_a_pause_do_not_wait_after_it() {
        let rate = Rate::from_bits_per_second(8_000_000);
        let mut link = Link::new(&LinkConfig::new(rate, Duration::ZERO), None, None);
        let millis = |millis: u64| Time::from_nanos(millis * 1_000_000);
        for start in [0, 10] {
            link.serve(millis(start), 1000);
            link.serve(millis(start), 500);
            let waiting = link.occupancy(millis(start));
            assert_eq!((waiting.packets, waiting.bytes), (1, Bytes::new(500)));
            assert_eq!(link.occupancy(millis(start + 1)).packets, 0, "it is being transmitted");
        }
        assert_eq!(link.bytes(), 3000);
    }

    #[test]
    fn a_link_fits_two_cache_lines() {
        assert_eq!(size_of::<Link>(), 128);
        assert_eq!(
            std::mem::offset_of!(Link, buffer_time),
            64,
            "the fields used on arrival at an idle link are on the first"
        );
    }
}
