//! What a transport tells a controller: facts, each with its unit, none of them about sequence numbers.

use ackclock_units::{Duration, PacketRate, Time};

/// Everything one arriving acknowledgment taught the sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Packets newly known to be delivered.
    pub delivered: f64,
    /// Packets newly declared lost.
    pub lost: f64,
    /// Packets newly known to carry a congestion-experienced mark.
    pub ce_marked: f64,
    /// Packets in flight after this acknowledgment.
    pub in_flight: f64,
    /// The round-trip time this acknowledgment measured, never from a retransmission (Karn's rule).
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time (RFC 6298); zero before the first sample.
    pub srtt: Duration,
    /// The smallest round-trip time of a segment with data so far (a SYN is shorter); zero before the first sample.
    pub min_rtt: Duration,
    /// Packet-timed round trips completed.
    pub round: u64,
    /// False in the round trip after a congestion signal, for an acknowledgment of nothing new, and when the
    /// window was not what held the sender back.
    pub may_grow: bool,
    /// Whether what was lost is still being sent again: fast recovery, or the restart after a timeout.
    pub recovering: bool,
    /// The latest-sent of the packets declared lost since the last acknowledgment.
    pub loss: Option<LossSample>,
    /// The delivery rate over the flight this acknowledgment closes.
    pub rate: Option<RateSample>,
}

/// A delivery-rate sample (draft-ietf-ccwg-bbr-06, 4.1; draft-cheng-iccrg-delivery-rate-estimation): what happened
/// between the sending of a packet, the latest-sent of those just acknowledged, and its acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Packets delivered per second over the sample's interval.
    pub rate: PacketRate,
    /// Whether the application, not the network, may have held the rate down.
    pub app_limited: bool,
    /// How long the packets counted here took to be sent, or to be acknowledged, whichever is longer.
    pub interval: Duration,
    /// Packets delivered over the interval.
    pub delivered: f64,
    /// Packets delivered before the packet was sent, since the connection began.
    pub prior_delivered: f64,
    /// Packets declared lost since the packet was sent.
    pub lost: f64,
    /// Packets in flight when the packet had been sent, itself included.
    pub tx_in_flight: f64,
}

/// What is known of a packet declared lost (draft-ietf-ccwg-bbr-06, 5.5.10.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSample {
    /// Packets in flight when it had been sent, itself included.
    pub tx_in_flight: f64,
    /// Packets declared lost since it was sent, itself included.
    pub lost: f64,
    /// Whether the application may have held the sender back when it was sent.
    pub app_limited: bool,
}

/// What told the sender that the network is congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A loss found from acknowledgments.
    Loss,
    /// A congestion-experienced mark echoed by the receiver.
    Ecn,
    /// The retransmission timer expired.
    Timeout,
}

/// The start of a congestion episode. `Loss` and `Ecn` come at most once per round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Time,
    /// What was noticed.
    pub signal: Signal,
    /// Packets sent and not yet acknowledged when the episode began (RFC 5681's `FlightSize`).
    pub flight: f64,
    /// Whether the transport starts again from one packet because its ACK clock is lost: always after a timeout,
    /// and after every loss under Tahoe's recovery.
    pub restart: bool,
    /// Whether this is the timeout of a packet that had timed out before: ssthresh is then held (RFC 5681, 3.1). A
    /// timeout that was undone is none.
    pub repeated: bool,
}
