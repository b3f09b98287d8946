//! UDP flows in the simulated network.

use ackclock_network::RouteCursor;
use ackclock_transport::{Counters, Extension, Payload};
use ackclock_units::Time;

use super::context::FlowContext;
use super::counts::Snapshot;
use super::end::End;
use super::endpoints::Endpoints;

/// A UDP flow: the datagrams that its application sent, and those that arrived. It has no timer of its own: the event
/// is its application's.
pub(crate) struct UdpFlow {
    pub forward: RouteCursor,
    /// Bytes on the wire.
    pub size: u32,
    pub sent: u64,
    pub delivered: u64,
    /// The arrival of the latest.
    pub delivered_at: Time,
}

impl UdpFlow {
    /// A flow of datagrams of so many bytes on the wire.
    pub fn new(forward: RouteCursor, size: u32) -> UdpFlow {
        UdpFlow { forward, size, sent: 0, delivered: 0, delivered_at: Time::ZERO }
    }
}

impl Endpoints for UdpFlow {
    fn deliver(&mut self, _: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        self.delivered += 1;
        self.delivered_at = context.now;
    }

    fn on_timer(&mut self, _: End, _: &mut FlowContext<'_>) {}

    fn first_wake(&mut self) -> Time {
        Time::MAX
    }

    fn send(&mut self, context: &mut FlowContext<'_>) {
        let number = self.sent;
        self.sent += 1;
        context.send(self.forward, self.size, true, Payload::Udp { number });
    }

    fn snapshot(&self, _: Time) -> Snapshot {
        Snapshot {
            bytes: self.delivered * u64::from(self.size),
            packets: self.delivered,
            counters: Counters { segments_sent: self.sent, ..Counters::default() },
        }
    }

    fn payload(&self) -> u32 {
        self.size
    }

    /// Datagrams that arrive after the stop count.
    fn measured_until(&self, stop: Time, now: Time) -> Time {
        stop.max(self.delivered_at).min(now)
    }

    /// Datagrams need no connection.
    fn is_open(&self) -> bool {
        false
    }

    /// Nothing comes back: the way back is the way there.
    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.forward)
    }
}
