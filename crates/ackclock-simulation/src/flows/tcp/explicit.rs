//! Flows with explicit feedback: every packet carries a congestion header for routers to read, and
//! acknowledgments return it with the change that they granted.

use ackclock_transport::tcp::{Driver, Sender, Transmission, transmit};
use ackclock_transport::{CongestionHeader, Extension, Header, Payload, SackBlocks, Segment};

use super::{Forward, TcpFlow, ecn_of};
use crate::facts::End;
use crate::flows::context::{FlowContext, MOST_AT_ONCE};

/// The way of a sender's segments into the network, each with a congestion header.
struct ForwardExplicitly<'a, 'b>(Forward<'a, 'b>);

impl Driver for ForwardExplicitly<'_, '_> {
    fn sender(&mut self) -> &mut Sender {
        self.0.sender()
    }

    fn send(&mut self, transmission: Transmission) {
        let Forward { flow, context } = &mut self.0;
        let (header, is_data) = (*transmission, transmission.length > 0);
        let congestion = flow.sender.congestion_header(is_data);
        flow.undelivered += 1;
        context.send_with(
            flow.forward,
            (flow.size(&header), is_data),
            ecn_of(&header, flow.ect),
            Payload::Tcp(header),
            &Extension::Explicit(congestion, SackBlocks::NONE),
        );
    }

    fn charge(&mut self, segments: u32, walked: u32) {
        self.0.charge(segments, walked);
    }
}

impl TcpFlow {
    /// Takes a packet that arrived at one of the ends.
    #[inline(never)]
    pub(super) fn deliver_explicitly(
        &mut self,
        header: &Header,
        congestion: &CongestionHeader,
        sack: &SackBlocks,
        context: &mut FlowContext<'_>,
    ) {
        if !header.way.is_to_sender() {
            self.receiver.take_granted(congestion.delta_throughput);
            self.receiver.on_segment(context.now(), header);
            return self.reply_explicitly(context);
        }
        self.sender.keep_feedback(congestion, f64::from(self.header + u32::from(self.mss)));
        self.sender.on_any_segment(context.now(), header, sack);
        self.transmit_explicitly(context);
    }

    /// Sends everything that the sender has to send now, and sets its timer.
    pub(super) fn transmit_explicitly(&mut self, context: &mut FlowContext<'_>) {
        let now = context.now();
        let driver = ForwardExplicitly(Forward { flow: self, context });
        let is_all = transmit(driver, now, MOST_AT_ONCE);
        self.settle_sender(is_all, context);
    }

    /// Sends everything that the receiver has to send now, and sets its timer.
    pub(super) fn reply_explicitly(&mut self, context: &mut FlowContext<'_>) {
        context.charge(self.receiver.take_walked());
        while let Some(reply) = self.receiver.poll_transmit(context.now()) {
            let Segment { header, sack } = reply.into();
            let congestion = CongestionHeader {
                rtt: 0.0,
                spacing: 0.0,
                delta_throughput: 0.0,
                reverse_feedback: self.receiver.reverse_feedback(),
            };
            self.undelivered += 1;
            context.send_with(
                self.backward,
                (self.header, false),
                ecn_of(&header, self.ect),
                Payload::Tcp(header),
                &Extension::Explicit(congestion, sack),
            );
        }
        context.wake(End::Receiver, &mut self.receiver_timer, self.receiver.next_wake());
    }
}
