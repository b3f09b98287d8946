//! What the network says of packets: what became of one, where all are, and which come next.

use ackclock_units::Time;

use crate::{LinkId, Packet};

/// Why a packet vanished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue had no room.
    Queue,
    /// The queue had room, and dropped it as a sign of congestion.
    Early,
    /// The queue had taken it in, and gave its room to another.
    PushedOut,
    /// The link lost it.
    Loss,
}

/// What became of a packet offered to a link direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Fate {
    /// It is on its way, or waits for it.
    Queued,
    /// It is gone.
    Dropped {
        /// Where.
        link: LinkId,
        /// Why.
        reason: DropReason,
    },
}

/// What became of a packet at the far end of a link direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Arrival<P> {
    /// It has reached its destination.
    Delivered(Packet<P>),
    /// It goes on.
    Forwarded {
        /// The link direction it took next.
        next: LinkId,
    },
    /// Nothing came anywhere: a queue was asked for its next packet.
    Dequeued,
    /// Packets that arrived before have been let in. Those refused are told by [`Network::take_refused`].
    LetIn,
    /// A packet is gone: lost on this link direction, refused by the next, or given up by a queue it waited in.
    Dropped {
        /// Where.
        link: LinkId,
        /// Why.
        reason: DropReason,
        /// What it was.
        packet: Packet<P>,
    },
}

/// A packet that will arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upcoming {
    /// Its flow.
    pub flow: u32,
    /// Whether it is data.
    pub data: bool,
}

/// A packet that a queue refused, where it came without an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<P> {
    /// When.
    pub time: Time,
    /// Where.
    pub link: LinkId,
    /// Why.
    pub reason: DropReason,
    /// What it was.
    pub packet: Packet<P>,
}

/// Where all packets sent so far are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Packets given to the network.
    pub sent: u64,
    /// Packets given back at their destination.
    pub delivered: u64,
    /// Packets dropped by queues.
    pub dropped_queue: u64,
    /// Packets lost on links.
    pub dropped_loss: u64,
    /// Packets found waiting or under way, by looking into every link.
    pub in_flight: u64,
}

impl Conservation {
    /// Whether every packet sent is delivered, dropped or in flight.
    pub fn holds(&self) -> bool {
        self.sent == self.delivered + self.dropped_queue + self.dropped_loss + self.in_flight
    }
}
