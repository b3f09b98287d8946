//! The outcomes of sends and arrivals that the network reports, and the count of all packets.

use ackclock_units::Time;

use crate::packet::header::PacketHeader;
use crate::packet::slot::SlotId;
use crate::{DropReason, LinkId, Packet, RouteCursor};

/// The outcome of a send.
///
/// Exhaustive: the driver of a network accounts for every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Fate {
    /// The first link direction admitted the packet.
    Queued,
    /// The packet was dropped.
    Dropped {
        /// The link direction whose queue or loss model dropped it.
        link: LinkId,
        /// The reason.
        reason: DropReason,
    },
}

/// The outcome of an event of the network.
///
/// Exhaustive: the driver of a network accounts for every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Arrival<P, A> {
    /// A packet has reached its destination, with its extension.
    Delivered(Packet<P>, Option<A>),
    /// A packet was admitted by its next link direction.
    Forwarded {
        /// That link direction.
        next: LinkId,
    },
    /// The transmitter has pulled the next packet from a queue.
    Dequeued,
    /// An ingress buffer has admitted its packets. [`Network::take_refused`](crate::Network::take_refused) returns those
    /// refused.
    Admitted,
    /// A packet was lost on this link direction, refused by the next, or dropped by the queue in which it waited.
    Dropped {
        /// The link direction whose queue or loss model dropped it.
        link: LinkId,
        /// The reason.
        reason: DropReason,
        /// The packet.
        packet: Packet<P>,
    },
}

/// A packet that [`Network::deliver`](crate::Network::deliver) took off the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Delivered<P> {
    /// The packet.
    pub packet: Packet<P>,
    /// Where its extension is, if it has one: [`Network::take_extension`](crate::Network::take_extension) takes it.
    pub extension: Option<ExtensionSlot>,
}

/// The place of a delivered packet's extension, which few packets have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionSlot(pub(crate) SlotId);

/// A packet that is about to arrive, for prefetching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upcoming {
    /// The flow.
    pub flow: u32,
    /// [`Packet::data`].
    pub data: bool,
    /// It has an extension, such as selective acknowledgments.
    pub is_extended: bool,
    /// [`Packet::route`].
    pub route: RouteCursor,
}

impl From<&PacketHeader> for Upcoming {
    #[inline]
    fn from(header: &PacketHeader) -> Upcoming {
        let (data, is_extended) = (header.is_data(), header.has_extension());
        Upcoming { flow: header.flow(), data, is_extended, route: header.route }
    }
}

/// A packet from an ingress buffer that a queue refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused<P> {
    /// The time of its arrival at the queue.
    pub time: Time,
    /// The link direction.
    pub link: LinkId,
    /// The reason.
    pub reason: DropReason,
    /// The packet.
    pub packet: Packet<P>,
}

/// A packet that passes the far end of a link direction without an event.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Passed<P, A> {
    /// The time of its arrival there.
    pub time: Time,
    /// The link direction.
    pub link: LinkId,
    /// The packet.
    pub packet: Packet<P>,
    /// Its extension, if it has one.
    pub extension: Option<A>,
}

/// The count of all packets sent so far, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conservation {
    /// Packets sent.
    pub sent: u64,
    /// Copies of packets made on links.
    pub duplicated: u64,
    /// Packets delivered to their destination.
    pub delivered: u64,
    /// Packets dropped by queues.
    pub dropped_queue: u64,
    /// Packets lost on links.
    pub dropped_loss: u64,
    /// Acknowledgments that later ones replaced in a queue.
    pub thinned: u64,
    /// Packets waiting or on links, found by visiting every link.
    pub in_flight: u64,
}

impl Conservation {
    /// Counts a packet that did not enter a link, by the reason.
    pub(crate) fn refuse(&mut self, reason: DropReason) {
        match reason {
            DropReason::Thinned => self.thinned += 1,
            _ => self.dropped_queue += 1,
        }
    }

    /// True if every packet sent, and every copy, is delivered, dropped or in flight.
    pub fn holds(&self) -> bool {
        self.sent + self.duplicated
            == self.delivered + self.dropped_queue + self.dropped_loss + self.thinned + self.in_flight
    }
}

#[cfg(test)]
mod tests {
    use super::Conservation;

    #[test]
    fn conservation_holds_where_every_packet_is_counted_once() {
        let whole = Conservation {
            sent: 13,
            duplicated: 2,
            delivered: 1,
            dropped_queue: 2,
            dropped_loss: 4,
            thinned: 5,
            in_flight: 3,
        };
        assert!(whole.holds());
        let broken = [
            Conservation { sent: 14, ..whole },
            Conservation { duplicated: 3, ..whole },
            Conservation { delivered: 0, ..whole },
            Conservation { dropped_queue: 3, ..whole },
            Conservation { dropped_loss: 3, ..whole },
            Conservation { thinned: 6, ..whole },
            Conservation { in_flight: 9, ..whole },
        ];
        assert!(broken.iter().all(|counts| !counts.holds()), "a packet vanishes or appears");
    }
}
