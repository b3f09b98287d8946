//! The central trait of congestion control for media: reports and frames in, rates out.

use ackclock_units::{Duration, Time};

/// The facts with which a call begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediaStart {
    /// The least rate of the encoder in bit/s.
    pub min_rate: f64,
    /// The highest rate of the encoder in bit/s.
    pub max_rate: f64,
    /// The target rate before the first report, in bit/s.
    pub initial_rate: f64,
    /// The nominal time between frames.
    pub frame_period: Duration,
    /// The largest packet on the wire in bytes.
    pub mss: u32,
    /// Packets are sent as ECT(1), so that a mark has the meaning of L4S (RFC 9331).
    pub l4s: bool,
}

/// A packet whose fate has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketFate {
    /// Its number, from 0.
    pub sequence: u64,
    /// Bytes on the wire.
    pub size: u32,
    /// When it was sent.
    pub sent: Time,
    /// When it arrived, by the receiver's clock; none if it is lost.
    pub arrived: Option<Time>,
    /// It arrived with the mark CE.
    pub marked: bool,
}

/// Feedback that has arrived.
#[derive(Clone, Copy, Debug)]
pub struct MediaReport<'a> {
    /// When it arrived at the sender.
    pub now: Time,
    /// The packets whose fate became known, ascending by their numbers; at least one.
    pub packets: &'a [PacketFate],
    /// The round-trip time of the highest packet that arrived, without the time for which the receiver held it.
    pub rtt: Option<Duration>,
    /// The bytes sent after the highest-numbered packet known to have arrived.
    pub in_flight: u64,
    /// The largest such number of bytes after any packet sent since the previous report.
    pub most_in_flight: u64,
}

/// A frame that the encoder hands over.
#[derive(Clone, Copy, Debug)]
pub struct MediaFrame {
    /// When.
    pub now: Time,
    /// Its bytes on the wire.
    pub size: u64,
    /// The age of the oldest packet that waits for the pacer before this frame; zero if none does.
    pub queued: Duration,
    /// The bytes that wait for the pacer, this frame included.
    pub queued_bytes: u64,
}

/// The limits of a sender of media until the next decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MediaDecision {
    /// The rate that the encoder is asked for, in bit/s on the wire.
    pub target: f64,
    /// The rate at which packets leave, in bit/s; above zero.
    pub pacing: f64,
    /// A packet leaves while no more bytes than this are in flight with it, or none are; infinite for no limit.
    pub window: f64,
}

/// A congestion control for media: pure state that answers each fact with a decision.
///
/// It owns no clock, socket, timer or random number. No method has a default, so that a controller that wraps
/// another forwards all of them. Time never runs backwards, and each packet is told at most once, in ascending order.
pub trait MediaControl: Send {
    /// The time between two reports that the algorithm asks for.
    fn feedback_interval(&self) -> Duration;

    /// Takes feedback that has arrived.
    fn on_report(&mut self, report: &MediaReport<'_>) -> MediaDecision;

    /// Takes note of a frame that the encoder hands over.
    fn on_frame(&mut self, frame: &MediaFrame) -> MediaDecision;

    /// The decision in force, the same as the last call returned.
    fn decision(&self) -> MediaDecision;

    /// Shows internal quantities by name, for traces.
    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64));
}

impl PacketFate {
    /// The one-way delay in milliseconds, up to the unknown difference of the clocks; none if the packet is lost.
    pub fn delay_ms(&self) -> Option<f64> {
        let nanos = |time: Time| time.as_nanos().cast_signed();
        self.arrived.map(|arrived| (nanos(arrived) - nanos(self.sent)) as f64 / 1e6)
    }
}
