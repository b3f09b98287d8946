//! The facts that pass between a transport and a controller, each declared once: its name, its type, which gives its unit,
//! its meaning, and its value where a transport says nothing else. None is about sequence numbers.
//!
//! The bindings to other languages are made from these declarations; `tests/laws/test_facts.py` holds the Python protocols
//! and the reference to them. Meanings begin with one sentence of a line, and name no unit that the type gives.

use ackclock_units::{Duration, PacketRate, Time};

use crate::declaration::{EventKind, Fact, Field, Kind, Record, events, needs, records};

/// Hands the declarations of the records to a macro.
#[macro_export]
macro_rules! facts {
    ($with:ident) => {
        $with! {
            /// The windows with which a connection begins.
            Start {
                /// The initial congestion window in packets.
                initial_window: f64 = 10.0,
                /// The initial slow-start threshold in packets; infinite by default.
                initial_ssthresh: f64 = f64::INFINITY,
                /// The window in packets to begin again from when the ACK clock is lost.
                /// It is RFC 5681's loss window of one packet, or what another transport's model says.
                restart_window: f64 = 1.0,
            }

            /// The facts of one arriving acknowledgment, or of a batch of them.
            Ack {
                /// When it arrived.
                now: Time = Time::ZERO,
                /// Acknowledgments this one stands for, by which rules that count acknowledgments multiply.
                /// It is 1 where each is reported by itself, more where a kernel or a QUIC stack reports a batch, and 0 for
                /// one that only completes a congestion signal.
                acks: u32 = 1,
                /// Packets newly known to be delivered.
                delivered: f64 = 0.0,
                /// Packets newly declared lost.
                lost: f64 = 0.0,
                /// Packets newly known to carry a congestion-experienced mark.
                ce_marked: f64 = 0.0,
                /// Packets in flight after this acknowledgment.
                in_flight: f64 = 0.0,
                /// The round-trip time it measured, never from a retransmission (Karn's rule).
                /// It is the smallest of a batch.
                rtt: Option<Duration> = None,
                /// The smoothed round-trip time (RFC 6298); zero before the first sample.
                srtt: Duration = Duration::ZERO,
                /// The smallest round-trip time of a segment with data so far; zero before the first sample.
                /// The round trip of a SYN is shorter.
                min_rtt: Duration = Duration::ZERO,
                /// Packet-timed round trips completed.
                round: u64 = 0,
                /// Growth is suspended: a congestion signal came in this round trip, or its recovery lasts.
                suspended: bool = false,
                /// The cumulative acknowledgment advanced.
                /// It does not for a duplicate, even one that reports deliveries beyond a hole.
                advanced: bool = false,
                /// The window may grow by what it was used for.
                /// It limited the sender, which had more to send (RFC 7661), or it is below what the largest flight gives
                /// leave to.
                window_limited: bool = false,
                /// The largest flight in packets since the window was last reduced, which bounds its growth.
                /// It is infinite for a sender that the window limited, and for one whose growth nothing bounds.
                largest_flight: f64 = f64::INFINITY,
                /// Lost packets are still being sent again: fast recovery, or the restart after a timeout.
                recovering: bool = false,
                /// The latest-sent of the packets declared lost since the last acknowledgment.
                loss: Option<LossSample> = None,
                /// The delivery rate over the flight that this acknowledgment ends.
                rate: Option<RateSample> = None,
                /// The change of the rate that the routers of the path grant; absent where none of them spoke.
                feedback: Option<PacketRate> = None,
            } => |ack| {
                /// Growth is not suspended, the acknowledgment is of new data, and the window may grow.
                may_grow: bool =
                    !ack.suspended && ack.advanced && ack.window_limited && ack.delivered > 0.0,
            }

            /// A delivery-rate sample (draft-ietf-ccwg-bbr-06, 4.1; draft-cheng-iccrg-delivery-rate-estimation).
            /// It says what happened between the sending of a packet, the latest-sent of those just acknowledged, and its
            /// acknowledgment.
            RateSample {
                /// Packets delivered in a unit of time over the sample's interval.
                rate: PacketRate = PacketRate(0.0),
                /// The application, not the network, may have held the rate down.
                app_limited: bool = false,
                /// The time to send the packets counted here, or to acknowledge them, whichever is longer.
                interval: Duration = Duration::ZERO,
                /// Packets delivered over the interval.
                delivered: f64 = 0.0,
                /// Packets delivered before the packet was sent, since the connection began.
                prior_delivered: f64 = 0.0,
                /// Packets declared lost since the packet was sent.
                lost: f64 = 0.0,
                /// Packets in flight when the packet had been sent, itself included.
                tx_in_flight: f64 = 0.0,
            }

            /// The facts of a packet declared lost (draft-ietf-ccwg-bbr-06, 5.5.10.2).
            LossSample {
                /// Packets in flight when it had been sent, itself included.
                tx_in_flight: f64 = 0.0,
                /// Packets declared lost since it was sent, itself included.
                lost: f64 = 0.0,
                /// The application may have held the sender back when it was sent.
                app_limited: bool = false,
            }

            /// The start of a congestion episode.
            /// One of a loss or a mark comes at most once per round trip.
            Congestion {
                /// When it was noticed.
                now: Time = Time::ZERO,
                /// The kind of signal.
                signal: Signal = Signal::Loss,
                /// Packets sent and not yet acknowledged when the episode began (RFC 5681's FlightSize).
                flight: f64 = 0.0,
                /// The transport starts again from one packet because its ACK clock is lost.
                /// It does after every timeout, and after every loss under Tahoe's recovery.
                restart: bool = false,
                /// This is the timeout of a packet that had timed out before, and ssthresh is held (RFC 5681, 3.1).
                /// A timeout that was undone is none.
                repeated: bool = false,
            }
        }
    };
}

facts!(records);

impl Ack {
    /// Packets to count for growth: those delivered, and at most `abc_limit` per acknowledgment (RFC 3465's L).
    #[inline]
    pub fn counted(&self, abc_limit: f64) -> f64 {
        self.delivered.min(abc_limit * f64::from(self.acks))
    }
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

    /// The names of all kinds.
    pub const NAMES: &[&str] = &["loss", "ecn", "timeout"];

    /// The name: "loss", "ecn" or "timeout".
    pub fn name(self) -> &'static str {
        Signal::NAMES[self as usize]
    }
}

impl Fact for Signal {
    const KIND: Kind = Kind::OneOf(Signal::NAMES);

    fn put(&self, numbers: &mut Vec<f64>) {
        numbers.push(f64::from(*self as u8));
    }

    fn take(next: &mut dyn FnMut() -> f64) -> Signal {
        Signal::ALL[next() as usize % Signal::ALL.len()]
    }
}

events! {
    /// Events of a sender besides acknowledgments and congestion signals.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[non_exhaustive]
    Event {
        /// The last episode turned out to be no congestion: the state from before it is restored.
        Spurious => on_spurious,
        /// The sender was idle for longer than its retransmission timeout and starts again (RFC 5681, 4.1).
        IdleRestart => on_idle_restart {
            /// The largest window to start again from, in packets.
            restart_window: f64,
        },
        /// The window was not validated by its use, or by what was lost (RFC 7661, 4.4).
        NotValidated => on_not_validated {
            /// The largest window from now on, in packets.
            window: f64,
            /// The slow-start threshold from now on, in packets.
            ssthresh: f64,
        },
        /// The time of [`Decision::wake`](crate::Decision::wake) passed.
        Deadline => on_deadline {
            /// The time now.
            now: Time,
        },
        /// The size of segments changed, as path MTU discovery changes it. Windows, rates and counts in packets change by
        /// [`scale`](Self::scale), so that their bytes stay equal; the driver's own counts, such as
        /// [`RateSample::prior_delivered`], are in packets of the new size from here on.
        SegmentSize => on_segment_size {
            /// The size so far, in bytes.
            from: u32,
            /// The size from now on, in bytes.
            to: u32,
        },
    }
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

needs! {
    /// The facts that a controller needs of its driver, which may omit the others.
    Needs {
        /// Delivery-rate samples and the facts of lost packets ([`Ack::rate`] and [`Ack::loss`]).
        samples,
        /// A pacing rate and deadlines carried out ([`Decision::pacing_rate`](crate::Decision::pacing_rate) and
        /// [`Decision::wake`](crate::Decision::wake)): without this need, both are always none.
        pacing,
        /// The number of marked packets ([`Ack::ce_marked`]), not only the presence of marks.
        accurate_ecn,
        /// ECT(1) on ECN-capable packets, by which queues recognise L4S (RFC 9331, section 4.1); ECT(0) without this need.
        l4s,
        /// The feedback of routers ([`Ack::feedback`]), for which packets carry congestion headers.
        explicit_feedback,
    }
}
