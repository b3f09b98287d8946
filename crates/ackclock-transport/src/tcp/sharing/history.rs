//! The state that connections may take over from others, and the beginning of a connection.

use ackclock_congestion::Start;
use ackclock_units::{Duration, PacketRate};

/// The state of a connection that describes its path (RFC 9040, 4: the part of a control block that can be
/// shared).
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

/// The connections before a new one, and those open at the same time.
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

/// The state with which a connection begins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Beginning {
    /// The initial congestion window in packets.
    pub initial_window: f64,
    /// The initial slow-start threshold in packets.
    pub initial_ssthresh: f64,
    /// SRTT and RTTVAR, from which the first timeout follows.
    pub rtt: Option<(Duration, Duration)>,
    /// The constant rate at which packets leave until there is congestion. Without a rate they leave as the
    /// window allows.
    pub rate: Option<PacketRate>,
    /// True if the window is on trial: its packets are marked to be dropped first, and the first loss ends
    /// it.
    pub on_trial: bool,
    /// The part of their windows that the open connections keep.
    pub others_keep: f64,
    /// The window and the round-trip time that the slow start `careful-resume` remembers.
    pub saved: Option<(f64, Duration)>,
}

impl Beginning {
    /// The beginning of a connection that inherits nothing.
    pub(super) fn alone(start: &Start) -> Beginning {
        Beginning {
            initial_window: start.initial_window,
            initial_ssthresh: start.initial_ssthresh,
            rtt: None,
            rate: None,
            on_trial: false,
            others_keep: 1.0,
            saved: None,
        }
    }

    /// The same beginning with the round-trip time of `state`, and its threshold if it has one.
    pub(super) fn with_path(self, state: &PathState) -> Beginning {
        let initial_ssthresh =
            if state.ssthresh.is_finite() { state.ssthresh } else { self.initial_ssthresh };
        Beginning { initial_ssthresh, rtt: Some((state.srtt, state.rttvar)), ..self }
    }
}
