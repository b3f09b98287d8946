//! TCP Fast Start: a connection begins with the window of the latest one between the same hosts, on trial.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "fast-start",
    title: "window, threshold and round-trip time of the latest connection between the same hosts, in packets to be dropped first",
    source: "Padmanabhan and Katz, IEEE Globecom 1998; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// "The congestion window variable is always set to the most recent congestion window size", and the other variables are that
/// connection's, too. With `pacing = "auto"` the window is spread over the inherited round-trip time.
///
/// A window above that of a connection which inherits nothing is on trial: its packets are marked, so that the queues
/// `drop-priority` and `priority` drop them first. If one of them is lost, the connection continues with the window and
/// the threshold of a connection that inherits nothing, and sends again what is not acknowledged. burst-tcp does not
/// describe that way back; this choice removes a stale window completely.
pub(super) fn begin(history: &History<'_>, start: &Start, _packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    let Some(latest) = history.latest else { return alone };
    let begun = alone.with_path(&latest);
    if latest.cwnd <= alone.initial_window {
        return begun;
    }
    Beginning { initial_window: latest.cwnd, on_trial: true, ..begun }
}
