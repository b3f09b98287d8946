//! TCP connections with data both ways in the simulated network.

use std::mem::offset_of;

use ackclock_congestion::CongestionControl;
use ackclock_memory::{memory_of, prefetch, prefetch_part};
use ackclock_network::{Ecn, RouteCursor};
use ackclock_transport::tcp::Connection;
use ackclock_transport::{Counters, Extension, Payload, SackBlocks};
use ackclock_units::{Duration, Time};

use super::context::{FlowContext, LazyTimer, MOST_AT_ONCE};
use super::endpoints::Endpoints;
use super::tcp::{ecn_of, ect_of};
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};

/// A TCP connection whose ends both send data: a client, which opens it, and a server.
///
/// The client stands where one-way flows have their sender, the server where they have their receiver. Bytes
/// and counts are sums over both ways; window, threshold and round-trip times are the server's.
///
/// Its fields lie in memory in this order: what every packet needs is on the first cache line.
#[repr(C, align(64))]
pub(crate) struct TwoWayFlow {
    client_timer: LazyTimer,
    server_timer: LazyTimer,
    forward: RouteCursor,
    backward: RouteCursor,
    /// Header bytes on the wire.
    header: u32,
    /// Payload bytes of a full segment.
    mss: u16,
    /// The codepoint of its ECN-capable packets.
    ect: Ecn,
    /// True if all its packets carry congestion headers.
    explicit: bool,
    /// True if the application is to be told when the server has sent all that was written to it.
    tells_writable: bool,
    client: Connection,
    server: Connection,
}

impl TwoWayFlow {
    /// A connection of two ends on the ways there and back, with this many header bytes in a packet.
    pub fn new(
        client: Connection,
        server: Connection,
        (forward, backward): (RouteCursor, RouteCursor),
        header: u32,
        mss: u16,
    ) -> TwoWayFlow {
        let (client_timer, server_timer) = (LazyTimer::NONE, LazyTimer::NONE);
        let controller = server.sender().controller();
        let (ect, explicit) = (ect_of(controller), controller.needs().explicit_feedback);
        TwoWayFlow {
            client,
            server,
            client_timer,
            server_timer,
            forward,
            backward,
            header,
            mss,
            ect,
            explicit,
            tells_writable: false,
        }
    }

    /// Has the application told when the server has sent all that was written to it.
    pub fn tell_writable(&mut self) {
        self.tells_writable = true;
    }

    /// The end at which a packet arrives that is at this place of its route.
    pub fn end_of(&self, route: RouteCursor) -> End {
        let second = self.forward.max(self.backward);
        let is_backward = (route < second) == (self.backward < second);
        if is_backward { End::Sender } else { End::Receiver }
    }

    /// Prefetches the memory that a packet or a timer of an end will need first.
    pub fn prefetch(&self, end: End) {
        const FIRST: usize = offset_of!(TwoWayFlow, client);
        prefetch_part(self, 0..FIRST);
        prefetch(memory_of(self.end(end)));
    }

    /// Prefetches the further memory that it will need, when the first part has had time to arrive. Returns the route of what that end
    /// sends.
    pub fn prefetch_beyond(&self, end: End) -> RouteCursor {
        self.end(end).memory_beyond().into_iter().for_each(prefetch);
        if end == End::Sender { self.forward } else { self.backward }
    }

    fn end(&self, end: End) -> &Connection {
        match end {
            End::Sender => &self.client,
            End::Receiver => &self.server,
        }
    }

    fn end_mut(&mut self, end: End) -> &mut Connection {
        match end {
            End::Sender => &mut self.client,
            End::Receiver => &mut self.server,
        }
    }

    /// Sends everything that an end has to send now, and sets its timer.
    fn transmit(&mut self, end: End, context: &mut FlowContext<'_>) {
        let (connection, wake, route) = match end {
            End::Sender => (&mut self.client, &mut self.client_timer, self.forward),
            End::Receiver => (&mut self.server, &mut self.server_timer, self.backward),
        };
        for sent in 0..MOST_AT_ONCE {
            let Some(segment) = connection.poll_transmit(context.now()) else {
                context.charge_burst(sent);
                context.charge(connection.take_walked());
                context.closed |=
                    self.tells_writable && end == End::Receiver && connection.sender().unsent() == 0;
                return context.wake(end, wake, connection.next_wake());
            };
            let (size, is_data) = (u32::from(segment.length) + self.header, segment.length > 0);
            let (ecn, payload) = (ecn_of(&segment, self.ect), Payload::Tcp(segment.header));
            let extension = if self.explicit {
                Extension::Explicit(connection.congestion_header(is_data), segment.sack)
            } else if let Some(counters) = connection.take_byte_counters() {
                Extension::Counted(counters, segment.sack)
            } else if segment.sack.is_empty() {
                context.send(route, size, is_data, ecn, payload);
                continue;
            } else {
                Extension::Sack(segment.sack)
            };
            context.send_with(route, (size, is_data), ecn, payload, &extension);
        }
        context.charge_burst(MOST_AT_ONCE);
        context.wake(end, wake, context.now());
    }
}

impl Endpoints for TwoWayFlow {
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, context: &mut FlowContext<'_>) {
        let Payload::Tcp(header) = payload else {
            debug_assert!(false, "a TCP flow got {payload:?}");
            return;
        };
        let sack = match extension {
            Some(Extension::Sack(sack) | Extension::Explicit(_, sack) | Extension::Counted(_, sack)) => sack,
            _ => &SackBlocks::NONE,
        };
        let end = if header.way.is_to_sender() { End::Sender } else { End::Receiver };
        let size = f64::from(self.header + u32::from(self.mss));
        let connection = self.end_mut(end);
        match extension {
            Some(Extension::Explicit(congestion, _)) => connection.on_congestion_header(congestion, size),
            Some(Extension::Counted(counters, _)) => connection.keep_byte_counters(counters),
            Some(Extension::SentAt(sent)) => context.note_delay(*sent),
            _ => {}
        }
        connection.on_segment(context.now(), header, sack);
        self.transmit(end, context);
    }

    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>) {
        let wake = match end {
            End::Sender => &mut self.client_timer,
            End::Receiver => &mut self.server_timer,
        };
        if wake.fires(context.now()) {
            self.end_mut(end).on_timer(context.now());
            self.transmit(end, context);
        }
    }

    fn first_wake(&mut self) -> Time {
        let start = self.client.next_wake();
        self.client_timer.needs(start);
        start
    }

    fn write(&mut self, end: End, packets: u64, context: &mut FlowContext<'_>) {
        self.end_mut(end).write(context.now(), packets);
        self.transmit(end, context);
    }

    fn connect(&mut self, context: &mut FlowContext<'_>) {
        self.client.open(context.now());
        self.transmit(End::Sender, context);
    }

    fn write_bytes(&mut self, end: End, bytes: u64, context: &mut FlowContext<'_>) {
        self.end_mut(end).write_bytes(context.now(), bytes);
        self.transmit(end, context);
    }

    fn is_writable(&self) -> bool {
        self.tells_writable && self.server.sender().unsent() == 0
    }

    fn bytes_in_order(&self, end: End) -> u64 {
        match end {
            End::Sender => self.client.receiver().delivered_bytes(),
            End::Receiver => self.server.receiver().delivered_bytes(),
        }
    }

    fn close(&mut self, end: End, context: &mut FlowContext<'_>) {
        self.end_mut(end).close(context.now());
        self.transmit(end, context);
    }

    fn delivered(&self, end: End, _: Time) -> u64 {
        match end {
            End::Sender => self.client.receiver().received_packets(),
            End::Receiver => self.server.receiver().received_packets(),
        }
    }

    fn snapshot(&self, now: Time) -> Snapshot {
        let counted = |from: &Connection, to: &Connection| {
            let (packets, arrived) = (to.receiver().delivered_segments(), to.receiver().arrived_bytes());
            Snapshot {
                bytes: to.receiver().delivered_bytes(),
                packets,
                arrived,
                wire: arrived + packets * u64::from(self.header),
                counters: from.sender().counters(now),
                incidents: from.sender().incidents(),
                busy: Some(from.sender().busy(now)),
            }
        };
        let responses = counted(&self.server, &self.client);
        let both = counted(&self.client, &self.server).and(&responses);
        let Counters { cwnd_seconds, rtt_samples, rtt_total, rtt_max, .. } = responses.counters;
        Snapshot {
            counters: Counters { cwnd_seconds, rtt_samples, rtt_total, rtt_max, ..both.counters },
            ..both
        }
    }

    /// Responses to requests from before a stop arrive after it.
    fn delivered_at(&self) -> Time {
        let closed = [self.client.sender().closed_at(), self.server.sender().closed_at()];
        closed.into_iter().flatten().max().unwrap_or(Time::ZERO)
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
        self.client.sender().is_open() || self.server.sender().is_open()
    }

    fn gauges(&self) -> Option<Gauges> {
        let sender = self.server.sender();
        Some(Gauges {
            cwnd: sender.cwnd(),
            ssthresh: sender.controller().ssthresh(),
            latest_rtt: sender.rtt().latest(),
            srtt: sender.rtt().srtt(),
            rttvar: Duration::ZERO,
            in_flight: f64::from(sender.in_flight()),
        })
    }

    fn life(&self) -> ConnectionTimes {
        ConnectionTimes {
            established_at: self.client.sender().established_at(),
            closed_at: None,
            finished_at: None,
            min_rtt: self.server.sender().rtt().min_rtt(),
            failed: self.client.sender().has_failed(),
        }
    }

    fn controller(&self) -> Option<&dyn CongestionControl> {
        Some(self.server.sender().controller())
    }
}
