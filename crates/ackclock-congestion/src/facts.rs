//! The facts that a transport passes to a controller, each with its unit, none of them about sequence numbers.

use ackclock_units::{Duration, PacketRate, Time};

/// The facts of one arriving acknowledgment, or of a batch of them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Acknowledgments this one stands for: 1 where each is reported by itself, more where a kernel or a QUIC stack
    /// reports a batch, 0 for one that only completes a congestion signal. Rules that count acknowledgments multiply
    /// by it.
    pub acks: u32,
    /// Packets newly known to be delivered.
    pub delivered: f64,
    /// Packets newly declared lost.
    pub lost: f64,
    /// Packets newly known to carry a congestion-experienced mark.
    pub ce_marked: f64,
    /// Packets in flight after this acknowledgment.
    pub in_flight: f64,
    /// The round-trip time this acknowledgment measured, never from a retransmission (Karn's rule); the smallest of a
    /// batch.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time (RFC 6298); zero before the first sample.
    pub srtt: Duration,
    /// The smallest round-trip time of a segment with data so far (a SYN is shorter); zero before the first sample.
    pub min_rtt: Duration,
    /// Packet-timed round trips completed.
    pub round: u64,
    /// Growth is suspended: a congestion signal came in this round trip, or its recovery lasts.
    pub suspended: bool,
    /// The cumulative acknowledgment advanced. False for a duplicate, even one that reports deliveries beyond a hole.
    pub advanced: bool,
    /// The window limited the sender (RFC 7661): there was more to send than it allowed.
    pub window_limited: bool,
    /// True if what was lost is still being sent again: fast recovery, or the restart after a timeout.
    pub recovering: bool,
    /// The latest-sent of the packets declared lost since the last acknowledgment.
    pub loss: Option<LossSample>,
    /// The delivery rate over the flight this acknowledgment closes.
    pub rate: Option<RateSample>,
    /// The change of the rate that the routers of the path grant, in packets per second; none where none of them spoke.
    pub feedback: Option<PacketRate>,
}

impl Ack {
    /// True if the window may grow: growth is not suspended, the acknowledgment is of new data, and the window was what
    /// limited the sender.
    #[inline]
    pub fn may_grow(&self) -> bool {
        !self.suspended && self.advanced && self.window_limited && self.delivered > 0.0
    }

    /// Packets to count for growth: those delivered, and at most `abc_limit` per acknowledgment (RFC 3465's L).
    #[inline]
    pub fn counted(&self, abc_limit: f64) -> f64 {
        self.delivered.min(abc_limit * f64::from(self.acks))
    }
}

impl Default for Ack {
    /// One acknowledgment of nothing.
    fn default() -> Ack {
        Ack {
            now: Time::ZERO,
            acks: 1,
            delivered: 0.0,
            lost: 0.0,
            ce_marked: 0.0,
            in_flight: 0.0,
            rtt: None,
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            round: 0,
            suspended: false,
            advanced: false,
            window_limited: false,
            recovering: false,
            loss: None,
            rate: None,
            feedback: None,
        }
    }
}

/// A delivery-rate sample (draft-ietf-ccwg-bbr-06, 4.1; draft-cheng-iccrg-delivery-rate-estimation): what happened
/// between the sending of a packet, the latest-sent of those just acknowledged, and its acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Packets delivered per second over the sample's interval.
    pub rate: PacketRate,
    /// True if the application, not the network, may have held the rate down.
    pub app_limited: bool,
    /// The time in which the packets counted here were sent or acknowledged, whichever is longer.
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

/// The facts of a packet declared lost (draft-ietf-ccwg-bbr-06, 5.5.10.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossSample {
    /// Packets in flight when it had been sent, itself included.
    pub tx_in_flight: f64,
    /// Packets declared lost since it was sent, itself included.
    pub lost: f64,
    /// True if the application may have held the sender back when it was sent.
    pub app_limited: bool,
}

/// The kind of congestion signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// A loss found from acknowledgments.
    Loss,
    /// A congestion-experienced mark echoed by the receiver.
    Ecn,
    /// The retransmission timer expired.
    Timeout,
}

impl Signal {
    /// Every kind.
    pub const ALL: &[Signal] = &[Signal::Loss, Signal::Ecn, Signal::Timeout];

    /// The name: "loss", "ecn" or "timeout".
    pub fn name(self) -> &'static str {
        match self {
            Signal::Loss => "loss",
            Signal::Ecn => "ecn",
            Signal::Timeout => "timeout",
        }
    }
}

/// The start of a congestion episode. `Loss` and `Ecn` come at most once per round trip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Time,
    /// The kind of signal.
    pub signal: Signal,
    /// Packets sent and not yet acknowledged when the episode began (RFC 5681's `FlightSize`).
    pub flight: f64,
    /// True if the transport starts again from one packet because its ACK clock is lost: always after a timeout,
    /// and after every loss under Tahoe's recovery.
    pub restart: bool,
    /// True if this is the timeout of a packet that had timed out before: ssthresh is then held (RFC 5681, 3.1). A
    /// timeout that was undone is none.
    pub repeated: bool,
}

/// Events of a sender besides acknowledgments and congestion signals.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The last episode turned out to be no congestion: the state from before it is restored.
    Spurious,
    /// The sender was idle for longer than its retransmission timeout and starts again (RFC 5681, 4.1).
    IdleRestart {
        /// The largest window to start again from, in packets.
        restart_window: f64,
    },
    /// The time of [`Decision::wake`](crate::Decision::wake) passed.
    Deadline {
        /// The time now.
        now: Time,
    },
    /// The size of segments changed, as path MTU discovery changes it. Windows, rates and counts in packets change by
    /// [`scale`](Self::scale), so that their bytes stay equal; the driver's own counts, such as
    /// [`RateSample::prior_delivered`], are in packets of the new size from here on.
    SegmentSize {
        /// The size so far, in bytes.
        from: u32,
        /// The size from now on, in bytes.
        to: u32,
    },
}

impl Event {
    /// The factor for everything counted in packets: 1, unless the size of segments changed.
    pub fn scale(&self) -> f64 {
        match *self {
            Event::SegmentSize { from, to } => f64::from(from) / f64::from(to),
            _ => 1.0,
        }
    }
}
