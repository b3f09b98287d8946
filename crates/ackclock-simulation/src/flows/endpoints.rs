//! The interface to both ends of a flow.

use ackclock_congestion::CongestionControl;
use ackclock_network::RouteCursor;
use ackclock_transport::{Extension, Payload, Transfer};
use ackclock_units::{Rate, Time};

use super::context::FlowContext;
use crate::facts::End;
use crate::facts::counts::{ConnectionTimes, Gauges, Snapshot};
use crate::flows::sharing::InheritedState;

/// A connection to open.
pub(crate) struct Connection {
    pub controller: Box<dyn CongestionControl>,
    pub transfer: Transfer,
    /// True if the connection stays open when all data is sent, for [`Endpoints::write`]. Only TCP connections can.
    pub persistent: bool,
    /// The state that it takes over from earlier connections. Only TCP connections can.
    pub state: InheritedState,
}

/// Both ends of a flow: the methods by which the loop drives them and tables show them.
pub(crate) trait Endpoints {
    /// Takes a packet that arrived at one of the ends, with its extension, and sends the packets that it allows.
    fn deliver(&mut self, payload: &Payload, extension: Option<&Extension>, context: &mut FlowContext<'_>);
    /// A timer's event fires at one of the ends.
    fn on_timer(&mut self, end: End, context: &mut FlowContext<'_>);
    /// The time of the first timer event at the sender's end; [`Time::MAX`] for none. Called once.
    fn first_wake(&mut self) -> Time;
    /// The counts by `now`.
    fn snapshot(&self, now: Time) -> Snapshot;
    /// The way of its data, and the way back.
    fn routes(&self) -> (RouteCursor, RouteCursor);
    /// Bytes on the wire of its largest data packet and of an acknowledgment; none if nothing comes back.
    fn sizes(&self) -> Option<(u32, u32)> {
        None
    }
    /// Payload bytes of a full packet.
    fn payload(&self) -> u32;
    /// True if a connection was opened and has not ended.
    fn is_open(&self) -> bool;
    /// Opens a new connection after the previous one is over. [`FlowContext::closed`] is set when the new one is over.
    fn open(&mut self, _connection: Connection, _outlet: &mut FlowContext<'_>) {}
    /// Lowers the window of a connection that gives up a part of it. Only TCP windows can be lowered.
    fn limit_window(&mut self, _now: Time, _packets: f64) {}
    /// Sends this many more packets from an end of a connection that has stayed open. Only TCP can, and the receiving
    /// end only if data goes both ways.
    fn write(&mut self, _end: End, _packets: u64, _outlet: &mut FlowContext<'_>) {}
    /// Opens a connection with data both ways that waits for its application.
    fn connect(&mut self, _outlet: &mut FlowContext<'_>) {}
    /// Sends this many more bytes from an end of a connection with data both ways.
    fn write_bytes(&mut self, _end: End, _bytes: u64, _outlet: &mut FlowContext<'_>) {}
    /// True if the answering end of a connection with data both ways has sent all that was written to it.
    fn is_writable(&self) -> bool {
        false
    }
    /// The bytes that an end of a connection with data both ways has received together with all earlier ones.
    fn bytes_in_order(&self, _end: End) -> u64 {
        0
    }
    /// Takes back what was written and is not sent, of a connection that stays open. Only TCP can.
    fn pause(&mut self, _outlet: &mut FlowContext<'_>) {}
    /// True if its one connection stays open for whatever its application will write.
    fn stays_open(&self) -> bool {
        false
    }
    /// Closes an end of a connection that has stayed open. Only connections with data both ways can.
    fn close(&mut self, _end: End, _outlet: &mut FlowContext<'_>) {}
    /// The number of different packets of data that an end has received.
    fn delivered(&self, _end: End, now: Time) -> u64 {
        self.snapshot(now).packets
    }
    /// The data packets that have arrived together with all earlier ones, for a transport that delivers in order one
    /// way.
    fn in_order(&self) -> Option<u64> {
        None
    }
    /// Sends one datagram; only UDP can.
    fn send(&mut self, _outlet: &mut FlowContext<'_>) {}
    /// The rate of which the application is to be told. Only a client of the Congestion Manager has one.
    fn poll_update(&mut self) -> Option<Rate> {
        None
    }
    /// For time series.
    fn gauges(&self) -> Option<Gauges> {
        None
    }
    /// The end of the averages of a flow that stops at `stop`: when all that it sent is acknowledged, or the end of
    /// the run, `now`.
    fn measured_until(&self, stop: Time, now: Time) -> Time {
        if self.is_open() {
            now
        } else {
            self.life().closed_at.map_or(stop, |closed| stop.max(closed)).max(self.delivered_at()).min(now)
        }
    }
    /// The arrival of the latest packet that counts as delivered, for a transport that may close while packets are on
    /// their way; otherwise time zero.
    fn delivered_at(&self) -> Time {
        Time::ZERO
    }
    /// For the summary.
    fn life(&self) -> ConnectionTimes {
        ConnectionTimes::default()
    }
    /// The congestion controller, if the flow has one.
    fn controller(&self) -> Option<&dyn CongestionControl> {
        None
    }
    /// Shows internal quantities by name, for time series.
    fn observe(&self, show: &mut dyn FnMut(&'static str, f64)) {
        if let Some(controller) = self.controller() {
            controller.observe(show);
        }
    }
}
