//! UDP flows in the simulated network.

use ackclock_congestion::CongestionControl;
use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::udp::{Datagram, ManagedSender, RateCallback, Receiver, Sender};
use ackclock_transport::{Counters, Extension, Incidents, Payload};
use ackclock_units::{Rate, Time};

use super::context::{FlowContext, LazyTimer};
use super::endpoints::Endpoints;
use crate::facts::End;
use crate::facts::counts::{Gauges, Snapshot};
use crate::recording::calls::CallRecord;

/// The packets that carry the messages of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageSplit {
    /// The bytes on the wire of a message.
    message: u32,
    /// The bytes on the wire of each of its packets but the last, which carries the rest.
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

    /// The bytes of the packets before the `number`th.
    fn offset(self, number: u64) -> u64 {
        let packets = u64::from(self.packets);
        number / packets * u64::from(self.message) + number % packets * u64::from(self.packet)
    }
}

/// The bytes on the wire of an acknowledgment: the headers of IP and UDP, and the report to the Congestion Manager.
const ACK: u32 = 40;

/// The part of a flow that is a client of the Congestion Manager.
struct Managed {
    sender: ManagedSender,
    backward: RouteCursor,
    timer: LazyTimer,
}

/// A UDP flow: both endpoints, and the way of the packets of its messages. The timer of the sender's end is
/// its application's; the timer of the other end is the Congestion Manager's.
pub(crate) struct UdpFlow {
    managed: Option<Box<Managed>>,
    sender: Sender,
    receiver: Receiver,
    forward: RouteCursor,
    ecn: Ecn,
    split: MessageSplit,
    delivered_bytes: u64,
    call: Option<Box<CallRecord>>,
}

impl UdpFlow {
    /// A flow that has sent nothing yet, whose packets have this codepoint. If it is a call, each of its packets is recorded.
    pub fn new(forward: RouteCursor, split: MessageSplit, ecn: Ecn, is_call: bool) -> UdpFlow {
        UdpFlow {
            managed: None,
            call: is_call.then(Box::default),
            sender: Sender::default(),
            receiver: Receiver::default(),
            forward,
            ecn,
            split,
            delivered_bytes: 0,
        }
    }

    /// The network makes copies of packets.
    pub fn expect_copies(&mut self) {
        self.receiver = Receiver::of_copies();
    }

    /// Puts the flow under the Congestion Manager: its datagrams wait for it, and are acknowledged on the
    /// way back.
    pub fn manage(&mut self, sender: ManagedSender, backward: RouteCursor) {
        self.managed = Some(Box::new(Managed { sender, backward, timer: LazyTimer::NONE }));
    }

    /// Sends the datagrams that the Congestion Manager releases, and sets its timer.
    fn transmit_managed(&mut self, context: &mut FlowContext<'_>) {
        let Some(managed) = &mut self.managed else { return };
        while let Some(Datagram { number }) = managed.sender.poll_transmit(context.now()) {
            let (size, offset) = (self.split.size(number), self.split.offset(number));
            if let Some(call) = &mut self.call {
                call.note_departure(context.now(), size);
            }
            context.send(self.forward, size, true, self.ecn, Payload::Udp { number, offset });
        }
        context.wake(End::Receiver, &mut managed.timer, managed.sender.next_wake());
    }

    /// The record of its packets, if it is a call.
    pub fn call(&self) -> Option<&CallRecord> {
        self.call.as_deref()
    }
}

impl Endpoints for UdpFlow {
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        let number = match (*payload, &mut self.managed) {
            (Payload::Udp { number, .. }, None) => number,
            (Payload::Udp { number, .. }, Some(managed)) => {
                let acknowledgment = Payload::UdpAck { number };
                context.send(managed.backward, ACK, false, Ecn::NotCapable, acknowledgment);
                number
            }
            (Payload::UdpAck { number }, Some(managed)) => {
                managed.sender.on_segment(context.now(), Datagram { number });
                context.closed = managed.sender.callback().is_some();
                return self.transmit_managed(context);
            }
            _ => {
                debug_assert!(false, "a UDP flow got {payload:?}");
                return;
            }
        };
        if self.receiver.on_segment(context.now(), &Datagram { number }) {
            self.delivered_bytes += u64::from(self.split.size(number));
        }
        if let Some(call) = &mut self.call {
            call.note_arrival(number, context.now());
        }
    }

    fn on_timer(&mut self, _: End, context: &mut FlowContext<'_>) {
        if let Some(managed) = &mut self.managed
            && managed.timer.fires(context.now())
        {
            managed.sender.on_timer(context.now());
            context.closed = managed.sender.callback().is_some();
            self.transmit_managed(context);
        }
    }

    fn first_wake(&mut self) -> Time {
        Time::MAX
    }

    /// Sends the packets of a message, one after the other.
    fn send(&mut self, context: &mut FlowContext<'_>) {
        if let Some(managed) = &mut self.managed {
            managed.sender.write(u64::from(self.split.packets));
            return self.transmit_managed(context);
        }
        self.sender.write(u64::from(self.split.packets));
        while let Some(Datagram { number }) = self.sender.poll_transmit(context.now()) {
            let (size, offset) = (self.split.size(number), self.split.offset(number));
            if let Some(call) = &mut self.call {
                call.note_departure(context.now(), size);
            }
            context.send(self.forward, size, true, self.ecn, Payload::Udp { number, offset });
        }
    }

    fn snapshot(&self, now: Time) -> Snapshot {
        let plain = || Counters { segments_sent: self.sender.sent(), ..Counters::default() };
        Snapshot {
            bytes: self.delivered_bytes,
            packets: self.receiver.delivered(),
            arrived: self.delivered_bytes,
            wire: self.delivered_bytes,
            counters: self.managed.as_ref().map_or_else(plain, |managed| managed.sender.counters(now)),
            incidents: Incidents::default(),
            busy: None,
        }
    }

    fn poll_update(&mut self) -> Option<Rate> {
        self.managed.as_mut()?.sender.poll_update()
    }

    fn gauges(&self) -> Option<Gauges> {
        let sender = &self.managed.as_ref()?.sender;
        let controller = sender.controller();
        Some(Gauges {
            cwnd: controller.decision().cwnd,
            ssthresh: controller.ssthresh(),
            latest_rtt: sender.rtt().latest(),
            srtt: sender.rtt().srtt(),
            rttvar: sender.rtt().rttvar(),
            in_flight: sender.in_flight() as f64,
        })
    }

    fn controller(&self) -> Option<&dyn CongestionControl> {
        Some(self.managed.as_ref()?.sender.controller())
    }

    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        let Some(managed) = &self.managed else { return };
        managed.sender.controller().observe(show);
        if let Some(rate) = managed.sender.callback().and_then(RateCallback::told) {
            show("told_bit_per_s", rate.bits_per_second() as f64);
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

    /// If nothing comes back, the way there stands for the way back.
    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.managed.as_ref().map_or(self.forward, |managed| managed.backward))
    }
}
