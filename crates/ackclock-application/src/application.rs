//! The interface between an application and its sockets.

use ackclock_units::{Rate, Time};

/// An application: one program, or two that talk to each other, with the sockets by which they send and
/// receive.
///
/// Sockets are numbered from 0. A connection with data in one direction has one socket, at its sender; a
/// connection with data in both directions has two, the first at the end that opens it.
///
/// Each call pushes its answers to `actions`. They take effect in that order after the call has
/// returned.
pub trait Application: Send {
    /// The calls the application needs in addition to [`start`](Self::start). Asked once.
    fn needs(&self) -> Needs;

    /// The beginning of the run. Here a connection may also be opened for a later time.
    fn start(&mut self, actions: &mut Vec<Action>);

    /// The timer expires.
    fn on_timer(&mut self, _now: Time, _actions: &mut Vec<Action>) {}

    /// A packet of data arrived over `socket`.
    fn on_delivered(&mut self, _now: Time, _socket: u32, _delivery: Delivery, _actions: &mut Vec<Action>) {}

    /// Bytes arrived over `socket`, of a connection with data in both directions.
    fn on_bytes(&mut self, _now: Time, _socket: u32, _arrival: Arrival, _actions: &mut Vec<Action>) {}

    /// All that was written to `socket` is sent: more can be written. Called for the end of a connection that did not open it.
    fn on_writable(&mut self, _now: Time, _socket: u32, _actions: &mut Vec<Action>) {}

    /// The Congestion Manager reports that the rate of `socket` has changed by more than its thresholds.
    fn on_rate(&mut self, _now: Time, _socket: u32, _rate: Rate, _actions: &mut Vec<Action>) {}

    /// The transfer of `socket` is over.
    fn on_closed(&mut self, _now: Time, _socket: u32, _ending: Ending, _actions: &mut Vec<Action>) {}
}

/// A packet of data that arrived, and the packets that its connection has delivered by now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Different packets that have arrived.
    pub packets: u64,
    /// Packets that have arrived together with all earlier ones.
    pub in_order: u64,
    /// The number of the packet in its connection, from 0.
    pub number: u64,
}

/// A packet of bytes that arrived, by their places in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The number of its first byte, from 0.
    pub begin: u64,
    /// The number of the byte after its last.
    pub end: u64,
    /// The bytes that have arrived together with all earlier ones.
    pub in_order: u64,
}

/// The end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// All that was written is acknowledged.
    Sent,
    /// The stop came before all was sent. What was sent is acknowledged.
    CutOff,
    /// No connection came about.
    Failed,
}

/// The calls that an application needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Needs {
    /// None after [`Application::start`].
    Nothing,
    /// [`Application::on_timer`], [`Application::on_rate`] and [`Application::on_closed`].
    Events,
    /// [`Application::on_delivered`] too, once for each packet of data.
    Deliveries,
    /// [`Application::on_bytes`] instead, once for each packet of data, and [`Application::on_writable`].
    Bytes,
}

/// A call of an application to its sockets and its timer.
///
/// Exhaustive: the driver of an application carries out every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens a connection, which replaces the socket's previous one. It sends `packets` packets, or,
    /// without a number, as many as it can before `stop`. At `stop` or later no connection opens.
    Open {
        /// The socket.
        socket: u32,
        /// The time; later than now only in [`Application::start`].
        at: Time,
        /// The number of packets to send.
        packets: Option<u64>,
        /// The time after which nothing more is written; [`Time::MAX`] for never.
        stop: Time,
        /// True if the connection stays open for [`Action::Write`].
        persistent: bool,
    },
    /// Writes further packets to a connection that has stayed open.
    Write {
        /// The socket.
        socket: u32,
        /// The number of packets.
        packets: u64,
    },
    /// Opens a connection with data in both directions, now.
    Connect {
        /// The socket of the end that opens it.
        socket: u32,
    },
    /// Writes further bytes to a connection with data in both directions; the last packet may be short.
    WriteBytes {
        /// The socket.
        socket: u32,
        /// The number of bytes.
        bytes: u64,
    },
    /// Takes back what was written to a connection that stays open and is not sent. What is sent is repaired.
    Pause {
        /// The socket.
        socket: u32,
    },
    /// Closes this end of a connection that has stayed open: nothing more is written.
    Close {
        /// The socket.
        socket: u32,
    },
    /// Sends one datagram.
    Send {
        /// The socket.
        socket: u32,
    },
    /// Sets the timer, which is not set already. An application with [`Needs::Bytes`] may set it for several times.
    Timer(Time),
    /// Reports an event for the records.
    Report(Report),
}

/// An event for the records of users, and of requests.
///
/// Exhaustive: the driver of an application records every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// The user asks for a page.
    PageRequested {
        /// The number of its objects.
        objects: u32,
        /// The number of their packets.
        packets: u64,
    },
    /// New data of the page arrived, or a connection of it ended.
    PageProgress,
    /// The connection of an object failed.
    ObjectFailed,
    /// The last object is there.
    PageReceived,
    /// All connections of the page are done, or the stop cut them off and no other follows.
    PageClosed,
    /// The user gives the page up.
    PageGivenUp,
    /// The browser has found an object of the page.
    ObjectFound {
        /// Its number.
        object: u32,
    },
    /// The browser asks for an object.
    ObjectRequested {
        /// Its number.
        object: u32,
        /// The number of the user's connection.
        connection: u32,
    },
    /// Bytes of an object arrived, all earlier ones of the object being there.
    ObjectArrived {
        /// Its number.
        object: u32,
        /// The number of new bytes.
        bytes: u64,
    },
    /// The client writes a request.
    Requested {
        /// The packets of the request.
        request: u64,
        /// The packets of the response to come.
        response: u64,
    },
    /// The server has the whole request.
    RequestReceived,
    /// The first packet of the response arrived at the client.
    ResponseBegun,
    /// The client has the whole response.
    ResponseReceived,
    /// The player requests a segment of a film.
    SegmentRequested {
        /// Its number, from 0.
        segment: u32,
        /// Its quality, from 0.
        quality: u32,
    },
}
