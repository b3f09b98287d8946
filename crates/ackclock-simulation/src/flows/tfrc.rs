//! TFRC flows in the simulated network.

use std::sync::Arc;

use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::tfrc::{Data, Feedback, Receiver, Sender, Settings};
use ackclock_transport::{Extension, Incidents, Payload, Transfer};
use ackclock_units::{Duration, Time};

use super::context::{FlowContext, LazyTimer, MOST_AT_ONCE};
use super::endpoints::{Connection, Endpoints};
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};

/// A TFRC flow: both endpoints, and the routes and sizes of their packets.
pub(crate) struct TfrcFlow {
    settings: Arc<Settings>,
    sender: Sender,
    receiver: Receiver,
    forward: RouteCursor,
    backward: RouteCursor,
    /// Header bytes on the wire. A feedback packet consists of nothing else.
    header: u32,
    sender_timer: LazyTimer,
    receiver_timer: LazyTimer,
    /// True while a transfer with an end is under way.
    is_transferring: bool,
}

impl TfrcFlow {
    /// A flow on the ways there and back, with this many header bytes in a packet.
    pub fn new(
        settings: Arc<Settings>,
        transfer: Transfer,
        (forward, backward): (RouteCursor, RouteCursor),
        header: u32,
    ) -> TfrcFlow {
        TfrcFlow {
            sender: Sender::new(Arc::clone(&settings), transfer),
            receiver: Receiver::new(Arc::clone(&settings)),
            settings,
            forward,
            backward,
            header,
            sender_timer: LazyTimer::NONE,
            receiver_timer: LazyTimer::NONE,
            is_transferring: transfer.packets.is_some(),
        }
    }

    /// Sends everything that the sender has to send now, and sets its timer.
    fn transmit_from_sender(&mut self, context: &mut FlowContext<'_>) {
        let TfrcFlow { sender, sender_timer, forward, header, .. } = self;
        for sent in 0..MOST_AT_ONCE {
            let Some(data) = sender.poll_transmit(context.now()) else {
                context.charge_burst(sent);
                return self.settle_sender(context);
            };
            context.send(*forward, u32::from(data.length) + *header, true, Ecn::NotCapable, data.payload());
        }
        context.charge_burst(MOST_AT_ONCE);
        context.wake(End::Sender, sender_timer, context.now());
    }

    /// Sets the sender's timer once it has nothing more to send, and notes if its transfer is over.
    fn settle_sender(&mut self, context: &mut FlowContext<'_>) {
        context.wake(End::Sender, &mut self.sender_timer, self.sender.next_wake());
        if self.is_transferring && self.sender.closed_at().is_some() {
            self.is_transferring = false;
            context.closed = true;
        }
    }

    /// Sends feedback if it is due, and sets the receiver's timer.
    fn transmit_from_receiver(&mut self, context: &mut FlowContext<'_>) {
        let TfrcFlow { receiver, receiver_timer, backward, header, .. } = self;
        while let Some(feedback) = receiver.poll_transmit(context.now()) {
            let (payload, extension) = feedback.parts();
            context.send_reply(*backward, *header, Ecn::NotCapable, payload, &extension);
        }
        context.wake(End::Receiver, receiver_timer, receiver.next_wake());
    }
}

impl Endpoints for TfrcFlow {
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, context: &mut FlowContext<'_>) {
        if let Some(data) = Data::of(payload) {
            self.receiver.on_segment(context.now(), &data);
            self.transmit_from_receiver(context);
        } else if let Some(feedback) = Feedback::of(payload, extension.copied()) {
            self.sender.on_segment(context.now(), &feedback);
            self.transmit_from_sender(context);
        } else {
            debug_assert!(false, "a TFRC flow got {payload:?}");
        }
    }

    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>) {
        match end {
            End::Sender if self.sender_timer.fires(context.now()) => {
                self.sender.on_timer(context.now());
                self.transmit_from_sender(context);
            }
            End::Receiver if self.receiver_timer.fires(context.now()) => {
                self.receiver.on_timer(context.now());
                self.transmit_from_receiver(context);
            }
            End::Sender | End::Receiver => {}
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.sender.next_wake();
        self.sender_timer.needs(start);
        start
    }

    fn snapshot(&self, now: Time) -> Snapshot {
        let (bytes, packets) = (self.receiver.delivered_bytes(), self.receiver.delivered_packets());
        Snapshot {
            bytes,
            packets,
            arrived: bytes,
            wire: bytes + packets * u64::from(self.header),
            counters: self.sender.counters(now),
            incidents: Incidents::default(),
            busy: None,
        }
    }

    /// The nofeedback timer may close a transfer while its packets still arrive.
    fn delivered_at(&self) -> Time {
        self.receiver.delivered_at()
    }

    fn routes(&self) -> (RouteCursor, RouteCursor) {
        (self.forward, self.backward)
    }

    fn sizes(&self) -> Option<(u32, u32)> {
        Some((self.header + self.payload(), self.header))
    }

    fn payload(&self) -> u32 {
        u32::from(self.settings.segment_size)
    }

    fn is_open(&self) -> bool {
        self.sender.has_begun() && self.sender.closed_at().is_none()
    }

    /// A new transfer starts without knowledge of the path. TFRC ignores the controller, since it
    /// controls itself.
    fn open(&mut self, connection: Connection, context: &mut FlowContext<'_>) {
        self.sender = Sender::new(Arc::clone(&self.settings), connection.transfer);
        self.receiver = Receiver::new(Arc::clone(&self.settings));
        self.is_transferring = true;
        context.wake(End::Sender, &mut self.sender_timer, self.sender.next_wake());
    }

    /// The window is the number of packets that the rate sends in a round-trip time. Nothing limits
    /// the packets in flight.
    fn gauges(&self) -> Option<Gauges> {
        let sender = &self.sender;
        Some(Gauges {
            cwnd: sender.window(),
            ssthresh: f64::NAN,
            latest_rtt: sender.latest_rtt(),
            srtt: sender.rtt().unwrap_or(Duration::ZERO),
            rttvar: Duration::ZERO,
            in_flight: f64::NAN,
        })
    }

    fn life(&self) -> ConnectionTimes {
        ConnectionTimes {
            established_at: self.sender.established_at(),
            closed_at: self.sender.closed_at(),
            finished_at: self.sender.finished_at(),
            min_rtt: self.sender.min_rtt(),
            failed: false,
        }
    }

    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("tfrc_rate_byte_per_s", self.sender.rate());
        show("tfrc_loss_event_rate", self.sender.loss_event_rate());
    }
}
