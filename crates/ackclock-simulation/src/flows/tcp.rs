//! TCP connections in the simulated network.

mod explicit;

use std::mem::offset_of;
use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_memory::{prefetch, prefetch_part};
use ackclock_network::{Ecn, RouteCursor, Upcoming};
use ackclock_transport::tcp::{Driver, Receiver, Recovery, Reply, Sender, Settings, Transmission, transmit};
use ackclock_transport::{Extension, Header, Payload, SackBlocks, Segment, Transfer};
use ackclock_units::Time;

use super::context::{FlowContext, LazyTimer, MOST_AT_ONCE, PacedTimer};
use super::endpoints::{Connection, Endpoints};
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};
use crate::flows::sharing::InheritedState;

/// A TCP connection: both endpoints, and the routes and sizes of their packets.
///
/// Its fields lie in memory in this order. The fields that packets need besides the endpoints lie between the parts of
/// both endpoints that packets touch. The sender begins a cache line.
#[repr(C, align(64))]
pub(crate) struct TcpFlow {
    pub sender: Sender,
    pub sender_timer: PacedTimer,
    pub forward: RouteCursor,
    pub backward: RouteCursor,
    /// Header bytes on the wire, either way.
    pub header: u32,
    /// Payload bytes of a full segment.
    pub mss: u16,
    /// The codepoint of its ECN-capable packets.
    pub ect: Ecn,
    /// True if all its packets carry congestion headers.
    pub explicit: bool,
    /// True if it belongs to a session, whose other connections hear of its acknowledgments.
    is_in_session: bool,
    /// True while a transfer with an end is under way.
    pub is_transferring: bool,
    /// True if its one connection stays open for whatever its application will write.
    stays_open: bool,
    /// Packets sent and not delivered, including dropped ones. It may fall below zero if packets are duplicated; then
    /// nothing reads it.
    pub undelivered: i32,
    pub receiver_timer: LazyTimer,
    pub receiver: Receiver,
}

/// Fourteen cache lines: an allocator would round one more up to sixteen.
const _: () = assert!(size_of::<TcpFlow>() <= 896);

/// The way of a sender's segments into the network.
struct Forward<'a, 'b> {
    flow: &'a mut TcpFlow,
    context: &'a mut FlowContext<'b>,
}

impl Driver for Forward<'_, '_> {
    #[expect(clippy::inline_always, reason = "as for `send_from_sender`")]
    #[inline(always)]
    fn sender(&mut self) -> &mut Sender {
        &mut self.flow.sender
    }

    #[expect(clippy::inline_always, reason = "as for `send_from_sender`")]
    #[inline(always)]
    fn send(&mut self, transmission: Transmission) {
        let Forward { flow, context } = self;
        let is_data = matches!(transmission, Transmission::Full(_)) || transmission.length > 0;
        let header = *transmission;
        flow.undelivered += 1;
        let (size, ecn) = (flow.size(&header), ecn_of(&header, flow.ect));
        context.send(flow.forward, size, is_data, ecn, Payload::Tcp(header));
    }

    fn charge(&mut self, segments: u32, walked: u32) {
        self.context.charge_burst(segments);
        self.context.charge(walked);
    }
}

/// The codepoint of the ECN-capable packets of a connection with this controller.
pub(super) fn ect_of(controller: &dyn CongestionControl) -> Ecn {
    if controller.needs().l4s { Ecn::Capable1 } else { Ecn::Capable0 }
}

/// The ECN field of a segment's packet, of a flow whose ECN-capable packets have this codepoint.
#[inline]
pub(super) fn ecn_of(header: &Header, ect: Ecn) -> Ecn {
    if header.is_ecn_capable() { ect } else { Ecn::NotCapable }
}

impl TcpFlow {
    /// A flow on the ways there and back, with this many header bytes in a packet.
    pub fn new(
        settings: &Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
        (forward, backward): (RouteCursor, RouteCursor),
        header: u32,
    ) -> TcpFlow {
        TcpFlow {
            receiver: Receiver::new(Arc::clone(settings), recovery.uses_sack()),
            mss: settings.mss,
            ect: ect_of(&*controller),
            explicit: controller.needs().explicit_feedback,
            is_in_session: false,
            sender: Sender::new(Arc::clone(settings), recovery, controller, transfer),
            forward,
            backward,
            header,
            sender_timer: PacedTimer::NONE,
            receiver_timer: LazyTimer::NONE,
            is_transferring: transfer.packets.is_some(),
            stays_open: false,
            undelivered: 0,
        }
    }

    /// Keeps the connection open for whatever its application will write. To be called before the start.
    pub fn stay_open(&mut self) {
        (self.stays_open, self.is_transferring) = (true, false);
        self.sender.keep_open();
    }

    /// Takes over the state that other connections have learned, before the start.
    pub fn take_over(&mut self, state: InheritedState) {
        let InheritedState { rtt, count, session, trial } = state;
        if let Some(rtt) = rtt {
            self.sender.inherit_rtt(rtt);
        }
        if let Some(count) = count {
            self.sender.transact(count.clone());
            self.receiver.transact(count);
        }
        if let Some(member) = session {
            self.sender.join_session(member);
            self.is_in_session = true;
        }
        if let Some((packets, fallback)) = trial {
            self.sender.start_fast(packets, fallback);
        }
    }

    /// True if its transfer is over, no timer runs at either end, and no packet of it is in the network, which has dropped
    /// this many of them.
    pub fn is_quiet(&self, dropped: u64) -> bool {
        self.sender.closed_at().is_some()
            && self.sender.next_wake() == Time::MAX
            && self.receiver.next_wake() == Time::MAX
            && i64::from(self.undelivered) == dropped.cast_signed()
    }

    /// A sender that stops may give data up that still arrives: then the receiver notes when.
    #[cold]
    fn watch_arrivals(&mut self) {
        if self.sender.has_reset() || self.sender.established_at().is_none() {
            self.receiver.watch_arrivals();
        }
    }

    /// Prefetches the endpoint's memory that data or an acknowledgment will need.
    #[inline]
    pub fn prefetch(&self, data: bool) {
        const RECEIVER: usize = offset_of!(TcpFlow, receiver);
        const COUNT: usize = offset_of!(TcpFlow, undelivered);
        prefetch_part(self, COUNT..COUNT + 1);
        if data {
            prefetch_part(self, RECEIVER + Receiver::NEEDED.start..RECEIVER + Receiver::NEEDED.end);
        } else {
            prefetch_part(self, Sender::NEEDED);
        }
    }

    /// Prefetches the endpoint's memory that the expiry of its sender's timer will need first.
    #[inline]
    pub fn prefetch_for_timer(&self) {
        const TIMER: usize = offset_of!(TcpFlow, sender_timer);
        prefetch_part(self, Sender::NEEDED);
        prefetch_part(self, TIMER..TIMER + size_of::<PacedTimer>());
    }

    /// Prefetches the further memory that a packet will need, when the first part has had time to arrive.
    #[inline]
    pub fn prefetch_beyond(&self, packet: Upcoming) {
        if packet.data {
            prefetch(self.receiver.memory_beyond());
        } else {
            self.prefetch_sender(packet.is_extended);
        }
    }

    /// Prefetches the further memory of the sender, of which an unexpected acknowledgment or a timer needs the whole.
    #[inline]
    pub fn prefetch_sender(&self, is_whole: bool) {
        for memory in self.sender.memory_beyond(is_whole) {
            prefetch(memory);
        }
    }

    /// Data arrives at the receiver.
    #[inline(never)]
    fn deliver_forward(&mut self, header: &Header, context: &mut FlowContext<'_>) {
        self.receiver.on_segment(context.now(), header);
        self.send_from_receiver(context);
    }

    /// An acknowledgment arrives at the sender.
    #[inline(never)]
    fn deliver_backward(&mut self, header: &Header, sack: &SackBlocks, context: &mut FlowContext<'_>) {
        self.sender.on_segment(context.now(), header, sack);
        if self.is_in_session {
            context.tell(&self.sender.told_in_session());
        }
        self.send_from_sender(context);
    }

    /// Sends everything that the sender has to send now, and sets its timer.
    #[expect(clippy::inline_always, reason = "a segment is made in its slot of the network")]
    #[inline(always)]
    fn send_from_sender(&mut self, context: &mut FlowContext<'_>) {
        let now = context.now();
        let is_all = transmit(Forward { flow: self, context }, now, MOST_AT_ONCE);
        self.settle_sender(is_all, context);
    }

    /// Sends everything that the sender has to send now, after anything but an acknowledgment.
    #[inline(never)]
    fn transmit(&mut self, context: &mut FlowContext<'_>) {
        if self.explicit {
            self.transmit_explicitly(context);
        } else {
            self.send_from_sender(context);
        }
    }

    /// The bytes of a segment on the wire.
    #[inline]
    fn size(&self, header: &Header) -> u32 {
        u32::from(header.length) + self.header
    }

    /// Sets the sender's timer after it has sent its packets, and notes if its transfer is over. The rest of a longer
    /// burst follows in another event of the same time.
    #[expect(clippy::inline_always, reason = "as for `send_from_sender`")]
    #[inline(always)]
    fn settle_sender(&mut self, is_all: bool, context: &mut FlowContext<'_>) {
        if !is_all {
            return context.wake_sender(&mut self.sender_timer, context.now(), false);
        }
        let (deadline, may_pace) = (self.sender.next_wake(), self.sender.may_pace());
        context.wake_sender(&mut self.sender_timer, deadline, may_pace);
        if self.is_transferring && self.sender.is_over() {
            self.is_transferring = false;
            context.closed = true;
        }
    }

    /// Sends everything that the receiver has to send now, and sets its timer. It rarely has more than one segment.
    #[expect(clippy::inline_always, reason = "an acknowledgment is made in its slot of the network")]
    #[inline(always)]
    fn send_from_receiver(&mut self, context: &mut FlowContext<'_>) {
        match self.receiver.poll_transmit(context.now()) {
            // No other segment is due after this one, and no timer runs.
            Some(Reply::Pure(header)) => {
                self.undelivered += 1;
                context.send(self.backward, self.header, false, Ecn::NotCapable, Payload::Tcp(header));
                return;
            }
            Some(Reply::Other(segment)) => self.send_reply(&segment, context),
            None => {}
        }
        while let Some(reply) = self.receiver.poll_transmit(context.now()) {
            self.send_reply(&reply.into(), context);
        }
        context.wake(End::Receiver, &mut self.receiver_timer, self.receiver.next_wake());
    }

    /// Sends a segment from the receiver, with selective acknowledgments if it has any.
    #[inline(never)]
    fn send_reply(&mut self, reply: &Segment, context: &mut FlowContext<'_>) {
        context.charge(self.receiver.take_walked());
        self.undelivered += 1;
        let (ecn, payload) = (ecn_of(reply, self.ect), Payload::Tcp(reply.header));
        let extension = if let Some(counters) = self.receiver.take_byte_counters() {
            Extension::Counted(counters, reply.sack)
        } else if reply.sack.is_empty() {
            return context.send(self.backward, self.header, false, ecn, payload);
        } else {
            Extension::Sack(reply.sack)
        };
        context.send_reply(self.backward, self.header, ecn, payload, &extension);
    }
}

impl Endpoints for TcpFlow {
    #[inline]
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::Tcp(header) = payload else {
            debug_assert!(false, "a TCP flow got {payload:?}");
            return;
        };
        self.undelivered -= 1;
        let sack = match extension {
            Some(Extension::Sack(sack)) => sack,
            Some(Extension::Counted(counters, sack)) => {
                self.sender.keep_byte_counters(counters);
                sack
            }
            Some(Extension::Explicit(congestion, sack)) => {
                return self.deliver_explicitly(header, congestion, sack, context);
            }
            Some(Extension::SentAt(sent)) => {
                context.note_delay(*sent);
                &SackBlocks::NONE
            }
            _ => &SackBlocks::NONE,
        };
        if header.way.is_to_sender() {
            self.deliver_backward(header, sack, context);
        } else {
            self.deliver_forward(header, context);
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>) {
        let now = context.now();
        match end {
            End::Sender if self.sender_timer.fires(now) => {
                self.sender.on_timer(now);
                if self.sender.closed_at().is_some() {
                    self.watch_arrivals();
                }
                self.transmit(context);
            }
            End::Sender if self.is_in_session => {
                self.sender.on_session(now);
                self.transmit(context);
            }
            End::Receiver if self.receiver_timer.fires(now) => {
                self.receiver.on_timer(now);
                if self.explicit {
                    self.reply_explicitly(context);
                } else {
                    self.send_from_receiver(context);
                }
            }
            End::Sender | End::Receiver => {}
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.sender.next_wake();
        self.sender_timer.needs(start, false);
        start
    }

    fn snapshot(&self, now: Time) -> Snapshot {
        let (packets, arrived) = (self.receiver.delivered_segments(), self.receiver.arrived_bytes());
        Snapshot {
            bytes: self.receiver.delivered_bytes(),
            packets,
            arrived,
            wire: arrived + packets * u64::from(self.header),
            counters: self.sender.counters(now),
            incidents: self.sender.incidents(),
            busy: self.stays_open.then(|| self.sender.busy(now)),
        }
    }

    fn delivered(&self, _: End, _: Time) -> u64 {
        self.receiver.received_packets()
    }

    /// Data arrives after the sender has reset the connection, or has stopped before its SYN, which may have data (RFC 7413),
    /// was answered.
    fn delivered_at(&self) -> Time {
        self.receiver.arrived_at()
    }

    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.backward)
    }

    fn sizes(&self) -> Option<(u32, u32)> {
        Some((self.header + u32::from(self.mss), self.header))
    }

    fn payload(&self) -> u32 {
        u32::from(self.mss)
    }

    fn is_open(&self) -> bool {
        self.sender.is_open()
    }

    fn open(&mut self, connection: Connection, context: &mut FlowContext<'_>) {
        let Connection { controller, transfer, persistent, state } = connection;
        self.ect = ect_of(&*controller);
        self.explicit = controller.needs().explicit_feedback;
        self.sender.reopen(controller, transfer);
        self.receiver.reopen();
        self.take_over(state);
        self.is_transferring = true;
        if self.stays_open {
            self.stay_open();
        } else if persistent {
            self.sender.keep_open();
        }
        context.wake_sender(&mut self.sender_timer, self.sender.next_wake(), false);
    }

    fn limit_window(&mut self, now: Time, packets: f64) {
        self.sender.limit_window(now, packets);
    }

    fn write(&mut self, _: End, packets: u64, context: &mut FlowContext<'_>) {
        self.sender.write(context.now(), packets);
        self.is_transferring = !self.stays_open;
        self.transmit(context);
    }

    fn pause(&mut self, context: &mut FlowContext<'_>) {
        self.sender.take_back(context.now());
        self.transmit(context);
    }

    fn stays_open(&self) -> bool {
        self.stays_open
    }

    fn in_order(&self) -> Option<u64> {
        Some(self.receiver.delivered_bytes() / u64::from(self.mss))
    }

    fn gauges(&self) -> Option<Gauges> {
        let sender = &self.sender;
        Some(Gauges {
            cwnd: sender.cwnd(),
            ssthresh: sender.controller().ssthresh(),
            latest_rtt: sender.rtt().latest(),
            srtt: sender.rtt().srtt(),
            rttvar: sender.rtt().rttvar(),
            in_flight: f64::from(sender.in_flight()),
        })
    }

    fn life(&self) -> ConnectionTimes {
        ConnectionTimes {
            established_at: self.sender.established_at(),
            closed_at: self.sender.closed_at(),
            finished_at: self.sender.finished_at(),
            min_rtt: self.sender.rtt().min_rtt(),
            failed: self.sender.has_failed(),
        }
    }

    fn controller(&self) -> Option<&dyn CongestionControl> {
        Some(self.sender.controller())
    }
}
