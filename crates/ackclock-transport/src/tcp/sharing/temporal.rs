//! Temporal sharing: a connection begins with the state that the latest one between the same hosts has learned.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "temporal",
    title: "round-trip time and threshold of the latest connection between the same hosts",
    source: "RFC 2140, 6.1; RFC 9040, 6; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The round-trip time, its variation and the threshold are those of the latest connection. RFC 9040, 6.1, takes over the window too,
/// and leaves open how the latest values are merged with older ones (6.2); here the window is not taken over;
/// `fast-start` and `spand` do that.
pub(super) fn begin(history: &History<'_>, start: &Start, _packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    history.latest.map_or(alone, |latest| alone.with_path(&latest))
}
