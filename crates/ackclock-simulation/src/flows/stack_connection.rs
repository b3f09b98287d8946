//! Connections of other stacks in the simulated network: the interface that a driver of such a stack implements.

use ackclock_congestion::CongestionControl;
use ackclock_transport::Stack;
use ackclock_units::{Duration, Time};

pub use crate::facts::End;
pub use crate::recording::qlogs::{Log, qlog_header};

/// Makes the connections of flows whose `stack` is not the simulator's own.
pub trait Stacks {
    /// Makes a connection, which is not open yet.
    fn connect(&self, setup: StackSetup) -> Box<dyn StackConnection>;
}

/// No stacks. [`without_stacks`](ackclock_scenario::Settings::without_stacks) refuses a scenario that names one before
/// it gets here.
pub struct NoStacks;

impl Stacks for NoStacks {
    fn connect(&self, setup: StackSetup) -> Box<dyn StackConnection> {
        unreachable!("{} has been refused", setup.stack)
    }
}

/// The properties of a connection to make.
pub struct StackSetup {
    /// The implementation of QUIC.
    pub stack: Stack,
    /// The controller of the sending end, at its beginning.
    pub controller: Box<dyn CongestionControl>,
    /// UDP payload bytes of a full datagram.
    pub mtu: u16,
    /// Bytes to send; none to send until the end.
    pub bytes: Option<u64>,
    /// True if datagrams are ECN-capable.
    pub ecn: bool,
    /// The receiver acknowledges every n-th packet.
    pub segments_per_ack: u32,
    /// The bytes that the receiver admits before they are read; none for no limit.
    pub receive_window: Option<u64>,
    /// The seed of the connection's random numbers.
    pub seed: u64,
    /// The sink for the sending end's qlog, if it writes one.
    pub log: Option<Log>,
}

/// Both ends of a connection. Datagrams and times go in, datagrams and the next time come out; it has no clock of its own.
pub trait StackConnection: Send {
    /// The sending end opens the connection.
    fn open(&mut self, now: Time);
    /// The application writes no more.
    fn stop(&mut self, now: Time);
    /// A datagram arrives at an end; `is_marked` if the network marked it.
    fn on_datagram(&mut self, now: Time, end: End, datagram: &[u8], is_marked: bool);
    /// Called at the time that [`Self::next_wake`] returned for an end.
    fn on_timer(&mut self, now: Time, end: End);
    /// Writes the next datagram of an end into an empty buffer; false for none.
    fn poll_transmit(&mut self, now: Time, end: End, datagram: &mut Vec<u8>) -> bool;
    /// The time of an end's next timer; [`Time::MAX`] for none.
    fn next_wake(&self, end: End) -> Time;
    /// The counts by `now`.
    fn counts(&self, now: Time) -> StackCounts;
    /// The sending end's controller quantities at present.
    fn gauges(&self) -> StackGauges;
    /// Shows the controller's internal quantities by name.
    fn observe(&self, show: &mut dyn FnMut(&'static str, f64));
}

/// The counts of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub struct StackCounts {
    /// Bytes of the stream that the receiving application has read.
    pub bytes: u64,
    /// Bytes of the stream that have arrived, each counted once: also those that wait for others before them.
    pub arrived: u64,
    /// Packets that the sending end sent.
    pub sent: u64,
    /// Packets declared lost, whose contents are sent again.
    pub lost: u64,
    /// Congestion episodes that began with a loss.
    pub losses: u32,
    /// Times of persistent congestion.
    pub timeouts: u32,
    /// Episodes found spurious.
    pub spurious: u32,
    /// Round-trip times measured.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
    /// The largest.
    pub rtt_max: Duration,
    /// The smallest; zero before the first.
    pub rtt_min: Duration,
    /// The window integrated over time until all was acknowledged, in packet-seconds.
    pub cwnd_seconds: f64,
    /// When the handshake was complete at the sending end.
    pub established_at: Option<Time>,
    /// When all data was acknowledged, after the application had written the last byte.
    pub finished_at: Option<Time>,
    /// True if the connection was lost.
    pub failed: bool,
}

/// The quantities of a time series. Times are zero before the first measurement.
#[derive(Clone, Copy, Debug, Default)]
pub struct StackGauges {
    /// In packets.
    pub cwnd: f64,
    /// In packets; infinite for none.
    pub ssthresh: f64,
    /// The latest round-trip time.
    pub latest_rtt: Duration,
    /// The smoothed round-trip time.
    pub srtt: Duration,
    /// In packets.
    pub in_flight: f64,
}
