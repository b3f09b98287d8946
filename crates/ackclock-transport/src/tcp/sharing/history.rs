//! The state of connections that others may take over, and what a connection begins with.

use ackclock_congestion::Start;
use ackclock_units::{Duration, PacketRate};

/// The state of a connection that tells of its path (RFC 9040, 4: the part of a control block that can be shared).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathState {
    /// The congestion window in packets.
    pub cwnd: f64,
    /// The slow-start threshold in packets.
    pub ssthresh: f64,
    /// The smoothed round-trip time, and its variation.
    pub srtt: Duration,
    /// RTTVAR of RFC 6298.
    pub rttvar: Duration,
}

/// The connections before a new one, and at the same time.
#[derive(Clone, Copy, Debug, Default)]
pub struct History<'a> {
    /// The state at the end of the latest connection between the two hosts; none before there was one.
    pub latest: Option<PathState>,
    /// The connections open between the two hosts that have measured a round-trip time.
    pub open: &'a [PathState],
    /// The estimate of a connection's window in the whole domain, in packets; none before the first connection has ended.
    pub domain_window: Option<f64>,
}

impl History<'_> {
    /// The means over the open connections; none without any.
    pub(super) fn mean(&self) -> Option<PathState> {
        let count = self.open.len() as u64;
        let sum = self.open.iter().copied().reduce(|one, other| PathState {
            cwnd: one.cwnd + other.cwnd,
            ssthresh: one.ssthresh + other.ssthresh,
            srtt: one.srtt + other.srtt,
            rttvar: one.rttvar + other.rttvar,
        })?;
        Some(PathState {
            cwnd: sum.cwnd / count as f64,
            ssthresh: sum.ssthresh / count as f64,
            srtt: sum.srtt / count,
            rttvar: sum.rttvar / count,
        })
    }
}

/// What a connection begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Beginning {
    /// The initial congestion window in packets.
    pub initial_window: f64,
    /// The initial slow-start threshold in packets.
    pub initial_ssthresh: f64,
    /// SRTT and RTTVAR, from which the first timeout follows.
    pub rtt: Option<(Duration, Duration)>,
    /// The constant rate at which packets leave until there is congestion; as the window allows without one.
    pub rate: Option<PacketRate>,
    /// The window is on trial: the first packets lost end it, and they are marked to be dropped first.
    pub on_trial: bool,
    /// The part of their windows that the open connections keep.
    pub others_keep: f64,
}

impl Beginning {
    /// Of a connection that inherits nothing.
    pub(super) fn alone(start: &Start) -> Beginning {
        Beginning {
            initial_window: start.initial_window,
            initial_ssthresh: start.initial_ssthresh,
            rtt: None,
            rate: None,
            on_trial: false,
            others_keep: 1.0,
        }
    }

    /// The same with the round-trip time of `state`, and its threshold where it has one.
    pub(super) fn with_path(self, state: &PathState) -> Beginning {
        let initial_ssthresh =
            if state.ssthresh.is_finite() { state.ssthresh } else { self.initial_ssthresh };
        Beginning { initial_ssthresh, rtt: Some((state.srtt, state.rttvar)), ..self }
    }
}
