//! UDP flows in the simulated network.

use ackclock_congestion::CongestionControl;
use ackclock_network::{RandomStream, RouteCursor};
use ackclock_transport::udp::UdpSource;
use ackclock_transport::{Counters, Extension, Payload, Transfer};
use ackclock_units::{Duration, Time};

use super::{End, Endpoints, Outlet, Snapshot, Wake};

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
    fn poll(&mut self, now: Time) -> Option<u64> {
        let UdpFlow { source, mean_gap, random, .. } = self;
        source.poll_transmit(now, || match random {
            None => *mean_gap,
            Some(random) => Duration::from_secs_f64(random.exponential(mean_gap.as_secs_f64())),
        })
    }
}

impl Endpoints for UdpFlow {
    fn deliver(&mut self, _: &Payload, _: Option<&Extension>, _: &mut Outlet<'_>) {
        self.delivered += 1;
    }

    fn on_timer(&mut self, _: End, outlet: &mut Outlet<'_>) {
        if let Some(number) = self.poll(outlet.now) {
            outlet.send(self.forward, self.size, true, Payload::Udp { number });
        }
        // A UDP source has exactly one event pending.
        let mut wake = Wake::NONE;
        outlet.wake(End::Sender, &mut wake, self.source.next_wake());
    }

    fn first_wake(&mut self) -> Time {
        self.source.next_wake()
    }

    fn snapshot(&self, _: Time) -> Snapshot {
        Snapshot {
            bytes: self.delivered * u64::from(self.size),
            packets: self.delivered,
            counters: Counters { segments_sent: self.source.sent(), ..Counters::default() },
        }
    }

    fn payload(&self) -> u32 {
        self.size
    }

    /// Datagrams need no connection.
    fn is_open(&self) -> bool {
        false
    }

    fn watch(&mut self) {}

    fn reopen(&mut self, _: Box<dyn CongestionControl>, _: Transfer, _: &mut Outlet<'_>) {}

    /// Nothing comes back: the way back is the way there.
    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.forward)
    }
}
