//! Careful Resume: a connection may try half of the window of the latest one between the same hosts.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "careful-resume",
    title: "window and round-trip time of the latest connection between the same hosts, as the memory of Careful Resume",
    source: "RFC 9959, 3.1 and 3.2",
    ..Entry::PLAIN
};

/// The window at the end of the latest connection and its smoothed round-trip time are what the slow start `careful-resume`
/// remembers; the initial window and the timeouts are as ever. A window of less than four initial ones is not worth a jump (3.1).
/// Only one connection uses a memory (3.2), so none does while others between the two hosts are open.
///
/// The RFC saves the smallest round-trip time; the smoothed one is above it, so that a shorter path is noticed earlier.
pub(super) fn begin(history: &History<'_>, start: &Start, _packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    let saved = history
        .latest
        .filter(|latest| history.open.is_empty() && latest.cwnd >= LEAST_SAVED * alone.initial_window);
    Beginning { saved: saved.map(|latest| (latest.cwnd, latest.srtt)), ..alone }
}

/// The initial windows that a window needs to be saved.
const LEAST_SAVED: f64 = 4.0;
