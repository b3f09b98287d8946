//! Flows of the ACK/NAK transport in the simulated network.

use ackclock_congestion::CongestionControl;
use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::acknak::{Kind, Message, Receiver, Sender};
use ackclock_transport::{Extension, Incidents, Payload};
use ackclock_units::{Duration, Time};

use super::context::{FlowContext, LazyTimer, MOST_AT_ONCE};
use super::endpoints::{Connection, Endpoints};
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};

/// A flow of abstract packets: its source, its receiver (which has no timer), and the routes and sizes of its packets.
pub(crate) struct AckNakFlow {
    pub sender: Sender,
    pub receiver: Receiver,
    pub forward: RouteCursor,
    pub backward: RouteCursor,
    /// Bytes on the wire of a packet of the flow.
    pub packet: u16,
    /// Bytes on the wire of everything else.
    pub ack: u16,
    pub wake: LazyTimer,
    /// True while a transfer with an end is under way.
    pub is_transferring: bool,
}

impl AckNakFlow {
    /// A segment arrives at the source. A function of its own, since the receiver's part is shorter and needs less
    /// stack.
    #[inline(never)]
    fn on_reply(&mut self, segment: &Message, context: &mut FlowContext<'_>) {
        self.sender.on_segment(context.now(), segment);
        self.transmit(context);
    }

    /// Sends everything that the source has to send now, and sets its timer.
    #[expect(clippy::inline_always, reason = "the replies to a segment are sent by the code that takes it")]
    #[inline(always)]
    fn transmit(&mut self, context: &mut FlowContext<'_>) {
        let AckNakFlow { sender, wake, forward, packet, ack, .. } = self;
        for sent in 0..MOST_AT_ONCE {
            let Some(segment) = sender.poll_transmit(context.now()) else {
                context.charge_burst(sent);
                return self.settle(context);
            };
            let is_data = segment.kind == Kind::Data;
            let size = if is_data { *packet } else { *ack };
            context.send(*forward, u32::from(size), is_data, Ecn::NotCapable, Payload::AckNak(segment));
        }
        context.charge_burst(MOST_AT_ONCE);
        context.wake(End::Sender, wake, context.now());
    }

    /// Sets the source's timer once it has nothing more to send, and notes if its transfer is over.
    #[inline]
    fn settle(&mut self, context: &mut FlowContext<'_>) {
        context.wake(End::Sender, &mut self.wake, self.sender.next_wake());
        if self.is_transferring && self.sender.is_over() {
            self.is_transferring = false;
            context.closed = true;
        }
    }
}

impl Endpoints for AckNakFlow {
    #[expect(clippy::inline_always, reason = "a call costs as much as what a receiver does")]
    #[inline(always)]
    fn deliver(&mut self, payload: &Payload, _: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::AckNak(segment) = payload else {
            debug_assert!(false, "an ACK/NAK flow got {payload:?}");
            return;
        };
        if segment.kind.is_backward() {
            self.on_reply(segment, context);
            return;
        }
        self.receiver.on_segment(context.now(), segment);
        // One reply to each segment.
        if let Some(reply) = self.receiver.poll_transmit(context.now()) {
            context.send(self.backward, u32::from(self.ack), false, Ecn::NotCapable, Payload::AckNak(reply));
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, _: End, context: &mut FlowContext<'_>) {
        if self.wake.fires(context.now()) {
            self.sender.on_timer(context.now());
            self.transmit(context);
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.sender.next_wake();
        self.wake.needs(start);
        start
    }

    /// A packet that repeats one whose reply was lost does not count, so no more packets are delivered than were
    /// written.
    fn snapshot(&self, now: Time) -> Snapshot {
        let packets = self.receiver.received().min(self.sender.written());
        let bytes = packets * u64::from(self.packet);
        Snapshot {
            bytes,
            packets,
            arrived: bytes,
            wire: bytes,
            counters: self.sender.counters(now),
            incidents: Incidents::default(),
            busy: None,
        }
    }

    /// A timeout declares packets lost and may so close a flow that stops, although the packets still arrive. Packets
    /// that arrive after the whole file do not count.
    fn delivered_at(&self) -> Time {
        if self.receiver.received() < self.sender.written() {
            self.receiver.received_at()
        } else {
            Time::ZERO
        }
    }

    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.backward)
    }

    fn sizes(&self) -> Option<(u32, u32)> {
        Some((u32::from(self.packet), u32::from(self.ack)))
    }

    fn payload(&self) -> u32 {
        u32::from(self.packet)
    }

    fn is_open(&self) -> bool {
        self.sender.is_open()
    }

    fn open(&mut self, connection: Connection, context: &mut FlowContext<'_>) {
        self.sender.reopen(connection.controller, connection.transfer);
        self.receiver = Receiver::default();
        self.is_transferring = true;
        context.wake(End::Sender, &mut self.wake, self.sender.next_wake());
    }

    fn gauges(&self) -> Option<Gauges> {
        let sender = &self.sender;
        Some(Gauges {
            cwnd: sender.cwnd(),
            ssthresh: sender.controller().ssthresh(),
            latest_rtt: sender.latest_rtt(),
            srtt: sender.srtt(),
            rttvar: Duration::ZERO,
            in_flight: sender.in_flight() as f64,
        })
    }

    fn life(&self) -> ConnectionTimes {
        ConnectionTimes {
            established_at: self.sender.established_at(),
            closed_at: self.sender.closed_at(),
            finished_at: self.sender.finished_at(),
            min_rtt: self.sender.min_rtt(),
            failed: self.sender.has_failed(),
        }
    }

    fn controller(&self) -> Option<&dyn CongestionControl> {
        Some(self.sender.controller())
    }
}
