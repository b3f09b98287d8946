//! TCP Fast Start: a connection begins with the window of the latest one between the same hosts.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "fast-start",
    title: "window, threshold and round-trip time of the latest connection between the same hosts",
    source: "Padmanabhan and Katz, IEEE Globecom 1998; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// "The congestion window variable is always set to the most recent congestion window size", and the other variables are that
/// connection's, too. With `pacing = "auto"` the window is spread over the inherited round-trip time.
///
/// Left out: the priority of the packets of the first window, for routers to drop them first, and the way back to a slow start
/// from one packet where they are lost; a loss has the consequences of any other.
pub(super) fn begin(history: &History<'_>, start: &Start, _packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    let Some(latest) = history.latest else { return alone };
    Beginning { initial_window: latest.cwnd.max(alone.initial_window), ..alone.with_path(&latest) }
}
