//! Ensemble sharing: connections between the same hosts share one window.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};
use super::temporal;

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "ensemble",
    title: "a share of the window of the connections open between the same hosts; without any, temporal sharing",
    source: "RFC 2140, 6.2; RFC 9040, 7; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The sum of the open windows is shared evenly: with n open connections a new one begins with 1/(n+1) of it, and
/// the others keep n/(n+1). If that share is below the initial window, it is not taken, and the others keep their
/// windows. Round-trip times and thresholds are the means of the open connections, the threshold at least the
/// share.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    let Some(mean) = history.mean() else { return temporal::begin(history, start, packets) };
    let begun = Beginning::alone(start).with_path(&mean);
    let others = history.open.len() as f64;
    let share = mean.cwnd * others / (others + 1.0);
    if share <= begun.initial_window {
        return begun;
    }
    let initial_ssthresh = begun.initial_ssthresh.max(share);
    Beginning { initial_window: share, initial_ssthresh, others_keep: others / (others + 1.0), ..begun }
}
