//! The counts, quantities and times that results take from flows.

use ackclock_application::Ending;
use ackclock_transport::{Counters, Incidents};
use ackclock_units::{Duration, Time};

/// The counts of a flow at some time; differences of two give averages between them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Snapshot {
    /// Payload bytes delivered to the application, which transports that repair losses do in order.
    pub bytes: u64,
    /// Packets with data that arrived, each counted once.
    pub packets: u64,
    /// Payload bytes that arrived, each counted once: also those that wait for data before them.
    pub arrived: u64,
    /// Bytes on the wire of the packets that brought them.
    pub wire: u64,
    pub counters: Counters,
    pub incidents: Incidents,
    /// The time over which the window is integrated, of a connection that is open for a part of the flow's time and idle for
    /// a part of its own; none for others, of which the averages are over the flow's time.
    pub busy: Option<Duration>,
}

/// The part of a [`Snapshot`] that is subtracted for averages from that time on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Baseline {
    pub arrived: u64,
    pub wire: u64,
    pub rtt_samples: u64,
    pub rtt_total: Duration,
    pub cwnd_seconds: f64,
    pub busy: Duration,
}

impl From<Snapshot> for Baseline {
    fn from(snapshot: Snapshot) -> Baseline {
        let Snapshot { arrived, wire, counters, busy, .. } = snapshot;
        let Counters { rtt_samples, rtt_total, cwnd_seconds, .. } = counters;
        Baseline { arrived, wire, rtt_samples, rtt_total, cwnd_seconds, busy: busy.unwrap_or_default() }
    }
}

/// The counts of all flows that had begun when the warm-up ended.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    /// In the order of flows.
    each: Vec<(u32, Baseline)>,
}

impl Baselines {
    /// The counts of some flows, in their order.
    pub fn new(each: impl Iterator<Item = (u32, Baseline)>) -> Baselines {
        Baselines { each: each.collect() }
    }

    /// The counts of a flow; zeros if it had not begun.
    pub fn of(&self, flow: usize) -> Baseline {
        let found = self.each.binary_search_by_key(&flow, |(of, _)| *of as usize);
        found.map_or_else(|_| Baseline::default(), |place| self.each[place].1)
    }
}

impl Snapshot {
    /// The sum of these counts and those of a later connection.
    pub fn and(&self, later: &Snapshot) -> Snapshot {
        let (one, other) = (&self.counters, &later.counters);
        Snapshot {
            bytes: self.bytes + later.bytes,
            packets: self.packets + later.packets,
            arrived: self.arrived + later.arrived,
            wire: self.wire + later.wire,
            incidents: self.incidents.and(&later.incidents),
            busy: later.busy,
            counters: Counters {
                segments_sent: one.segments_sent + other.segments_sent,
                retransmissions: one.retransmissions + other.retransmissions,
                timeouts: one.timeouts + other.timeouts,
                timeouts_in_a_row: std::array::from_fn(|k| {
                    one.timeouts_in_a_row[k] + other.timeouts_in_a_row[k]
                }),
                fast_retransmits: one.fast_retransmits + other.fast_retransmits,
                spurious: one.spurious + other.spurious,
                syns: one.syns + other.syns,
                rtt_samples: one.rtt_samples + other.rtt_samples,
                rtt_total: one.rtt_total + other.rtt_total,
                rtt_max: one.rtt_max.max(other.rtt_max),
                cwnd_seconds: one.cwnd_seconds + other.cwnd_seconds,
            },
        }
    }
}

/// The quantities of a time series, for a flow with acknowledgments. Times are zero before the first measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gauges {
    pub cwnd: f64,
    pub ssthresh: f64,
    pub latest_rtt: Duration,
    pub srtt: Duration,
    /// The variation of the round-trip time; zero if it is not measured.
    pub rttvar: Duration,
    pub in_flight: f64,
}

/// The times of a connection, for a flow with acknowledgments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ConnectionTimes {
    pub established_at: Option<Time>,
    /// The time at which all data sent was acknowledged, and no more was to come.
    pub closed_at: Option<Time>,
    /// The same time, but only for a transfer that no stop has cut off.
    pub finished_at: Option<Time>,
    pub min_rtt: Duration,
    /// True if no connection was established.
    pub failed: bool,
}

impl ConnectionTimes {
    /// True if the connection has ended, or none was established.
    pub fn is_over(&self) -> bool {
        self.closed_at.is_some() || self.failed
    }

    /// How the connection ended, once it has.
    pub fn ending(&self) -> Ending {
        match self {
            ConnectionTimes { failed: true, .. } => Ending::Failed,
            ConnectionTimes { finished_at: Some(_), .. } => Ending::Sent,
            ConnectionTimes { .. } => Ending::CutOff,
        }
    }
}
