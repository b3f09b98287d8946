//! The parts common to all transports: the application's demand, and the counters of a sender.

use ackclock_units::{Duration, Time};

/// The application's demand: it sends from `start` until `stop` or until `packets` are sent, then closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When the connection opens.
    pub start: Time,
    /// When the application stops writing; [`Time::MAX`] for never.
    pub stop: Time,
    /// Full-sized packets to send; none to send until the stop.
    pub packets: Option<u64>,
}

/// Consecutive timeouts are counted separately up to this number. ns-2 and Linux reach their longest timeout after
/// six.
pub const TIMEOUTS_IN_A_ROW: usize = 8;

/// The counters of a sender. Packets are counted in 64 bits, round trips and timeouts in 32: enough for an hour with
/// a million per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Data segments sent again.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer (SYNs not counted).
    pub timeouts: u32,
    /// TCP's timeouts by their position in a row, of the same or of another segment, until a round trip was measured
    /// and the back-off ended (RFC 6298, 5): the number of first ones, of second ones, and so on. The last entry
    /// counts all further ones.
    pub timeouts_in_a_row: [u32; TIMEOUTS_IN_A_ROW],
    /// Congestion episodes found from acknowledgments.
    pub fast_retransmits: u32,
    /// Episodes found spurious afterwards.
    pub spurious: u32,
    /// SYNs sent.
    pub syns: u32,
    /// Data segments sent, including retransmissions, but not a FIN without data.
    pub segments_sent: u64,
    /// Round-trip times measured with data packets; that of a SYN does not count.
    pub rtt_samples: u64,
    /// Their sum.
    pub rtt_total: Duration,
    /// The largest.
    pub rtt_max: Duration,
    /// The window integrated over time since the connection opened, in packet-seconds.
    pub cwnd_seconds: f64,
}

/// The counts of rare incidents of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incidents {
    /// Probes of a receive window without room (RFC 9293, 3.8.6.1).
    pub window_probes: u32,
    /// Connections reset by this end.
    pub resets: u32,
    /// Data in a SYN that the SYN-ACK acknowledged (RFC 7413).
    pub fast_opens: u32,
    /// Data in a SYN that had to be sent again after the handshake.
    pub fast_open_fallbacks: u32,
}

impl Incidents {
    /// The sum of these and of others.
    #[must_use]
    pub fn and(&self, other: &Incidents) -> Incidents {
        Incidents {
            window_probes: self.window_probes + other.window_probes,
            resets: self.resets + other.resets,
            fast_opens: self.fast_opens + other.fast_opens,
            fast_open_fallbacks: self.fast_open_fallbacks + other.fast_open_fallbacks,
        }
    }
}
