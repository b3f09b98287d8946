//! How much may wait in front of a link direction, which packets are dropped, and which goes next.

pub(crate) mod arrival_aqm;
pub(crate) mod arriving;
mod budgets;
mod classes;
mod codel;
mod flow_monitor;
mod flow_table;
mod fq_codel;
mod pie;
mod protect;
mod red;
pub(crate) mod scheduler;
mod sfq;

use ackclock_units::Bytes;

pub use budgets::Budgets;
pub use classes::Classes;
pub use codel::Codel;
pub use flow_monitor::FlowMonitor;
pub use fq_codel::FqCodel;
pub use pie::Pie;
pub use protect::Protect;
pub use red::Red;
pub use scheduler::HeaderView;
pub use sfq::Sfq;

use crate::RandomStream;
use budgets::BudgetQueue;
use classes::ClassQueue;
use codel::CodelQueue;
use fq_codel::FlowQueues;
use protect::Gateway;
use scheduler::Scheduler;
use sfq::Buckets;

/// The discipline of a link direction's queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Queue {
    /// First in, first out; what does not fit is dropped.
    #[default]
    DropTail,
    /// Random early detection.
    Red(Red),
    /// The proportional integral controller, enhanced.
    Pie(Pie),
    /// Controlled delay.
    Codel(Codel),
    /// Flow queueing with controlled delay.
    FqCodel(FqCodel),
    /// Stochastic fairness queueing.
    Sfq(Sfq),
    /// A gateway that protects retransmissions.
    Protect(Protect),
    /// Service classes by how much a drop would cost a flow.
    Classes(Classes),
    /// Drops only where flows can sustain them.
    Budgets(Budgets),
}

impl Queue {
    /// The queue at work, if it is one that decides when the transmitter falls idle. It draws from `random`.
    pub(crate) fn scheduler(&self, buffer: BufferSize, random: RandomStream) -> Option<Box<dyn Scheduler>> {
        match self {
            Queue::DropTail | Queue::Red(_) | Queue::Pie(_) => None,
            Queue::Codel(rule) => Some(Box::new(CodelQueue::new(*rule, buffer))),
            Queue::FqCodel(rule) => Some(Box::new(FlowQueues::new(*rule, buffer, random))),
            Queue::Sfq(config) => Some(Box::new(Buckets::new(config, buffer, random))),
            Queue::Classes(config) => Some(Box::new(ClassQueue::new(config, buffer))),
            Queue::Budgets(config) => Some(Box::new(BudgetQueue::new(config, buffer))),
            Queue::Protect(config) => Some(Box::new(Gateway::new(config, buffer, random))),
        }
    }
}

/// The size of the buffer in front of a link direction.
///
/// It counts the packets that wait, not the one being transmitted: a buffer of 7 packets holds 7 beside the one on the
/// wire, and with a buffer of 0 a packet still passes an idle link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferSize {
    /// Every packet may wait.
    #[default]
    Unlimited,
    /// So many packets, whatever their size.
    Packets(u32),
    /// So many bytes; a packet that does not fit whole is dropped.
    Bytes(Bytes),
}

impl BufferSize {
    /// Whether a packet of `size` bytes that finds the transmitter busy, and `waiting` before it, may wait too: the rule
    /// of a queue that takes packets in, and serves them, in order of arrival.
    #[inline]
    pub(crate) fn admits(self, size: u32, waiting: Occupancy) -> bool {
        match self {
            BufferSize::Unlimited => true,
            BufferSize::Packets(packets) => waiting.packets < packets,
            BufferSize::Bytes(bytes) => waiting.bytes.get() + u64::from(size) <= bytes.get(),
        }
    }

    /// Whether so much is more than may wait.
    pub(crate) fn is_exceeded(self, waiting: Occupancy) -> bool {
        match self {
            BufferSize::Unlimited => false,
            BufferSize::Packets(packets) => waiting.packets > packets,
            BufferSize::Bytes(bytes) => waiting.bytes > bytes,
        }
    }
}

/// What waits in front of a link direction, without the packet being transmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Packets waiting.
    pub packets: u32,
    /// Their bytes on the wire.
    pub bytes: Bytes,
}

impl Occupancy {
    /// The same with a packet of `size` bytes.
    pub(crate) fn with(self, size: u32) -> Occupancy {
        Occupancy { packets: self.packets + 1, bytes: self.bytes + Bytes::new(u64::from(size)) }
    }

    /// The same without a packet of `size` bytes that is among them.
    pub(crate) fn without(self, size: u32) -> Occupancy {
        Occupancy { packets: self.packets - 1, bytes: self.bytes - Bytes::new(u64::from(size)) }
    }

    /// Both together.
    pub(crate) fn and(self, other: Occupancy) -> Occupancy {
        Occupancy { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(packets: u32, bytes: u64) -> Occupancy {
        Occupancy { packets, bytes: Bytes::new(bytes) }
    }

    #[test]
    fn packets_are_counted_whatever_their_size() {
        let queue = BufferSize::Packets(2);
        assert!(queue.admits(9000, waiting(1, 9000)));
        assert!(!queue.admits(40, waiting(2, 80)));
        assert!(!BufferSize::Packets(0).admits(40, waiting(0, 0)));
    }

    #[test]
    fn bytes_are_filled_to_the_last() {
        let queue = BufferSize::Bytes(Bytes::new(3000));
        assert!(queue.admits(1500, waiting(1, 1500)));
        assert!(!queue.admits(1500, waiting(1, 1501)));
        assert!(queue.admits(40, waiting(60, 2400)), "sixty small packets are no reason");
    }
}
