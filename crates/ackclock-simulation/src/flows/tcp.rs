//! TCP connections in the simulated network.

use std::mem::offset_of;

use ackclock_congestion::CongestionControl;
use ackclock_network::{RouteCursor, prefetch, prefetch_part};
use ackclock_transport::tcp::{Receiver, Sender};
use ackclock_transport::{Extension, Header, Payload, SackBlocks, Way};
use ackclock_units::Time;

use super::{Connection, End, Endpoints, Gauges, Life, Outlet, Snapshot, Wake};

/// A TCP connection: both endpoints, and how their packets go.
///
/// The order of its fields is that of memory: what packets need beside the endpoints lies between the parts of both that
/// they touch. The sender begins a cache line.
#[repr(C, align(64))]
pub(crate) struct TcpFlow {
    pub sender: Sender,
    pub sender_wake: Wake,
    pub forward: RouteCursor,
    pub backward: RouteCursor,
    /// Header bytes on the wire, either way.
    pub header: u32,
    /// Payload bytes of a full segment.
    pub mss: u16,
    /// Whether a transfer with an end is under way.
    pub is_transferring: bool,
    pub receiver_wake: Wake,
    pub receiver: Receiver,
}

impl TcpFlow {
    /// Asks for the memory that data, or an acknowledgment, will need of the endpoint.
    #[inline]
    pub fn prefetch(&self, data: bool) {
        const RECEIVER: usize = offset_of!(TcpFlow, receiver);
        if data {
            prefetch_part(self, RECEIVER + Receiver::NEEDED.start..RECEIVER + Receiver::NEEDED.end);
        } else {
            prefetch_part(self, Sender::NEEDED);
        }
    }

    /// Asks for what an acknowledgment will need besides, when that has had time to come.
    #[inline]
    pub fn prefetch_beyond(&self, data: bool) {
        if data {
            return;
        }
        for memory in self.sender.memory_beyond() {
            prefetch(memory);
        }
    }

    /// Data arrives at the receiver.
    #[inline(never)]
    fn deliver_forward(&mut self, header: &Header, outlet: &mut Outlet<'_>) {
        self.receiver.on_segment(outlet.now, header);
        self.transmit_from_receiver(outlet);
    }

    /// An acknowledgment arrives at the sender.
    #[inline(never)]
    fn deliver_backward(&mut self, header: &Header, sack: &SackBlocks, outlet: &mut Outlet<'_>) {
        self.sender.on_segment(outlet.now, header, sack);
        self.transmit_from_sender(outlet);
    }

    /// Sends all the sender has to send now, and sets its timer.
    #[inline]
    fn transmit_from_sender(&mut self, outlet: &mut Outlet<'_>) {
        let TcpFlow { sender, sender_wake, forward, header, is_transferring, .. } = self;
        while let Some(segment) = sender.poll_transmit(outlet.now) {
            let size = u32::from(segment.length) + *header;
            outlet.send(*forward, size, segment.length > 0, Payload::Tcp(segment));
        }
        outlet.wake(End::Sender, sender_wake, sender.next_wake());
        if *is_transferring && sender.is_over() {
            *is_transferring = false;
            outlet.closed = true;
        }
    }

    /// Sends all the receiver has to send now, and sets its timer.
    #[inline]
    fn transmit_from_receiver(&mut self, outlet: &mut Outlet<'_>) {
        let TcpFlow { receiver, receiver_wake, backward, header, .. } = self;
        while let Some(segment) = receiver.poll_transmit(outlet.now) {
            let size = u32::from(segment.length) + *header;
            let payload = Payload::Tcp(segment.header);
            if segment.sack.is_empty() {
                outlet.send(*backward, size, segment.length > 0, payload);
            } else {
                outlet.send_extended(*backward, size, false, payload, &Extension::Sack(segment.sack));
            }
        }
        outlet.wake(End::Receiver, receiver_wake, receiver.next_wake());
    }
}

impl Endpoints for TcpFlow {
    #[inline]
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, outlet: &mut Outlet<'_>) {
        let Payload::Tcp(header) = payload else {
            debug_assert!(false, "a TCP flow got {payload:?}");
            return;
        };
        let sack = match extension {
            Some(Extension::Sack(sack)) => sack,
            _ => &SackBlocks::NONE,
        };
        match header.way {
            Way::ToReceiver => self.deliver_forward(header, outlet),
            Way::ToSender => self.deliver_backward(header, sack, outlet),
        }
    }

    #[inline(never)]
    fn on_timer(&mut self, end: End, outlet: &mut Outlet<'_>) {
        match end {
            End::Sender if self.sender_wake.fires(outlet.now) => {
                self.sender.on_timer(outlet.now);
                self.transmit_from_sender(outlet);
            }
            End::Receiver if self.receiver_wake.fires(outlet.now) => {
                self.receiver.on_timer(outlet.now);
                self.transmit_from_receiver(outlet);
            }
            End::Sender | End::Receiver => {}
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.sender.next_wake();
        self.sender_wake.needs(start);
        start
    }

    fn snapshot(&self, now: Time) -> Snapshot {
        Snapshot {
            bytes: self.receiver.delivered_bytes(),
            packets: self.receiver.delivered_segments(),
            counters: self.sender.counters(now),
        }
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

    fn open(&mut self, connection: Connection, outlet: &mut Outlet<'_>) {
        let Connection { controller, transfer, persistent } = connection;
        self.sender.reopen(controller, transfer);
        self.receiver.reopen();
        if persistent {
            self.sender.keep_open();
        }
        self.is_transferring = true;
        outlet.wake(End::Sender, &mut self.sender_wake, self.sender.next_wake());
    }

    fn write(&mut self, _: End, packets: u64, outlet: &mut Outlet<'_>) {
        self.sender.write(outlet.now, packets);
        self.is_transferring = true;
        self.transmit_from_sender(outlet);
    }

    fn gauges(&self) -> Option<Gauges> {
        let sender = &self.sender;
        Some(Gauges {
            cwnd: sender.cwnd(),
            ssthresh: sender.controller().ssthresh(),
            latest_rtt: sender.rtt().latest(),
            srtt: sender.rtt().srtt(),
            in_flight: f64::from(sender.in_flight()),
        })
    }

    fn life(&self) -> Life {
        Life {
            established_at: self.sender.established_at(),
            finished_at: self.sender.finished_at(),
            min_rtt: self.sender.rtt().min_rtt(),
            failed: self.sender.has_failed(),
        }
    }

    fn controller(&self) -> Option<&dyn CongestionControl> {
        Some(self.sender.controller())
    }
}
