//! UDP flows in the simulated network.

use ackclock_network::RouteCursor;
use ackclock_transport::udp::{Datagram, Receiver, Sender};
use ackclock_transport::{Counters, Extension, Payload};
use ackclock_units::Time;

use super::context::FlowContext;
use super::counts::Snapshot;
use super::end::End;
use super::endpoints::Endpoints;

/// A UDP flow: both endpoints, and the way of their datagrams. It has no timer of its own: the event is its
/// application's.
pub(crate) struct UdpFlow {
    sender: Sender,
    receiver: Receiver,
    forward: RouteCursor,
    /// Bytes on the wire.
    size: u32,
}

impl UdpFlow {
    /// A flow of datagrams of so many bytes on the wire.
    pub fn new(forward: RouteCursor, size: u32) -> UdpFlow {
        UdpFlow { sender: Sender::default(), receiver: Receiver::default(), forward, size }
    }
}

impl Endpoints for UdpFlow {
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::Udp { number } = *payload else {
            debug_assert!(false, "a UDP flow got {payload:?}");
            return;
        };
        self.receiver.on_segment(context.now, &Datagram { number });
    }

    fn on_timer(&mut self, _: End, _: &mut FlowContext<'_>) {}

    fn first_wake(&mut self) -> Time {
        Time::MAX
    }

    fn send(&mut self, context: &mut FlowContext<'_>) {
        self.sender.write(1);
        while let Some(Datagram { number }) = self.sender.poll_transmit(context.now) {
            context.send(self.forward, self.size, true, Payload::Udp { number });
        }
    }

    fn snapshot(&self, _: Time) -> Snapshot {
        Snapshot {
            bytes: self.receiver.delivered() * u64::from(self.size),
            packets: self.receiver.delivered(),
            counters: Counters { segments_sent: self.sender.sent(), ..Counters::default() },
        }
    }

    fn payload(&self) -> u32 {
        self.size
    }

    /// Datagrams that arrive after the stop count.
    fn measured_until(&self, stop: Time, now: Time) -> Time {
        stop.max(self.receiver.delivered_at()).min(now)
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
