//! The two ends of a TCP connection in the simulated network, and the sources of UDP.

use ackclock_network::{RandomStream, RouteCursor};
use ackclock_transport::tcp::{Counters, Receiver, Sender};
use ackclock_transport::udp::UdpSource;
use ackclock_units::{Duration, Time};

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Sender = 0,
    Receiver = 1,
}

/// An endpoint's timer in the event list. It is lazy: a deadline that moves later costs nothing, the event that fires
/// too early is set anew then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wake {
    /// When the earliest event for this timer is due; [`Time::MAX`] for none.
    pending: Time,
}

impl Wake {
    pub const NONE: Wake = Wake { pending: Time::MAX };

    /// Whether an event must be scheduled so that `deadline` is not missed.
    pub fn needs(&mut self, deadline: Time) -> bool {
        let earlier = deadline < self.pending;
        if earlier {
            self.pending = deadline;
        }
        earlier
    }

    /// An event fires; false if a later one replaced it.
    pub fn fires(&mut self, now: Time) -> bool {
        let current = self.pending == now;
        if current {
            self.pending = Time::MAX;
        }
        current
    }
}

/// A TCP connection: both endpoints, and how their packets go.
pub(crate) struct Connection {
    pub sender: Sender,
    pub receiver: Receiver,
    pub forward: RouteCursor,
    pub backward: RouteCursor,
    /// Header bytes on the wire, either way.
    pub header: u32,
    pub sender_wake: Wake,
    pub receiver_wake: Wake,
}

/// A UDP flow: its source, what separates its datagrams, and what arrived.
pub(crate) struct UdpFlow {
    pub source: UdpSource,
    pub forward: RouteCursor,
    /// Bytes on the wire.
    pub size: u32,
    pub mean_gap: Duration,
    /// Draws the gaps of a Poisson process; none for evenly spaced datagrams.
    pub random: Option<RandomStream>,
    pub delivered: u64,
}

impl UdpFlow {
    /// The number of the datagram due at `now`, if one is.
    pub fn poll(&mut self, now: Time) -> Option<u64> {
        let UdpFlow { source, mean_gap, random, .. } = self;
        source.poll_transmit(now, || match random {
            None => *mean_gap,
            Some(random) => Duration::from_secs_f64(random.exponential(mean_gap.as_secs_f64())),
        })
    }
}

/// What a flow had counted at some moment; differences of two give averages between them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    pub bytes: u64,
    pub packets: u64,
    pub counters: Counters,
}

impl Connection {
    pub fn snapshot(&self, now: Time) -> Snapshot {
        Snapshot {
            bytes: self.receiver.delivered_bytes(),
            packets: self.receiver.delivered_segments(),
            counters: self.sender.counters(now),
        }
    }
}

impl UdpFlow {
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            bytes: self.delivered * u64::from(self.size),
            packets: self.delivered,
            counters: Counters { segments_sent: self.source.sent(), ..Counters::default() },
        }
    }
}
