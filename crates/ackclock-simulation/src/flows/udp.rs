//! UDP flows in the simulated network.

use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::udp::{Datagram, Receiver, Sender};
use ackclock_transport::{Counters, Extension, Incidents, Payload};
use ackclock_units::Time;

use super::call::CallRecord;
use super::context::FlowContext;
use super::counts::Snapshot;
use super::end::End;
use super::endpoints::Endpoints;

/// The packets that carry the messages of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageSplit {
    /// The bytes on the wire of a message.
    message: u32,
    /// Those of each of its packets but the last, which carries the rest.
    packet: u32,
    /// The packets of a message.
    packets: u32,
}

impl MessageSplit {
    /// Messages in packets of at most `packet` bytes.
    pub fn new(message: u32, packet: u32) -> MessageSplit {
        let packet = packet.min(message);
        MessageSplit { message, packet, packets: message.div_ceil(packet) }
    }

    /// The bytes of the `number`th packet of the flow, from zero.
    fn size(self, number: u64) -> u32 {
        let is_last = (number + 1).is_multiple_of(u64::from(self.packets));
        if is_last { self.message - (self.packets - 1) * self.packet } else { self.packet }
    }

    /// The bytes of the packets before it.
    fn offset(self, number: u64) -> u64 {
        let packets = u64::from(self.packets);
        number / packets * u64::from(self.message) + number % packets * u64::from(self.packet)
    }
}

/// A UDP flow: both endpoints, and the way of the packets of its messages. It has no timer of its own: the event is its
/// application's.
pub(crate) struct UdpFlow {
    sender: Sender,
    receiver: Receiver,
    forward: RouteCursor,
    split: MessageSplit,
    delivered_bytes: u64,
    call: Option<Box<CallRecord>>,
}

impl UdpFlow {
    /// A flow that has sent nothing; of a call each packet is recorded.
    pub fn new(forward: RouteCursor, split: MessageSplit, is_call: bool) -> UdpFlow {
        UdpFlow {
            call: is_call.then(Box::default),
            sender: Sender::default(),
            receiver: Receiver::default(),
            forward,
            split,
            delivered_bytes: 0,
        }
    }

    /// The record of its packets, if it is a call.
    pub fn call(&self) -> Option<&CallRecord> {
        self.call.as_deref()
    }
}

impl Endpoints for UdpFlow {
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::Udp { number, .. } = *payload else {
            debug_assert!(false, "a UDP flow got {payload:?}");
            return;
        };
        self.receiver.on_segment(context.now(), &Datagram { number });
        self.delivered_bytes += u64::from(self.split.size(number));
        if let Some(call) = &mut self.call {
            call.note_arrival(number, context.now());
        }
    }

    fn on_timer(&mut self, _: End, _: &mut FlowContext<'_>) {}

    fn first_wake(&mut self) -> Time {
        Time::MAX
    }

    /// Sends the packets of a message, one after the other.
    fn send(&mut self, context: &mut FlowContext<'_>) {
        self.sender.write(u64::from(self.split.packets));
        while let Some(Datagram { number }) = self.sender.poll_transmit(context.now()) {
            let (size, offset) = (self.split.size(number), self.split.offset(number));
            if let Some(call) = &mut self.call {
                call.note_departure(context.now());
            }
            context.send(self.forward, size, true, Ecn::NotCapable, Payload::Udp { number, offset });
        }
    }

    fn snapshot(&self, _: Time) -> Snapshot {
        Snapshot {
            bytes: self.delivered_bytes,
            packets: self.receiver.delivered(),
            counters: Counters { segments_sent: self.sender.sent(), ..Counters::default() },
            incidents: Incidents::default(),
        }
    }

    fn payload(&self) -> u32 {
        self.split.packet
    }

    /// Datagrams that arrive after the stop count.
    fn delivered_at(&self) -> Time {
        self.receiver.delivered_at()
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
