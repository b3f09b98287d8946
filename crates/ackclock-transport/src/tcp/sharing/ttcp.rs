//! T/TCP: transactions without a handshake between hosts that know each other.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};
use super::temporal;

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "t-tcp",
    title: "no handshake between hosts with a cached connection count, and temporal sharing",
    source: "RFC 1644; burst-tcp, 3.3.1",
    ..Entry::PLAIN
};

/// The server accepts data with a SYN whose connection count is above the cached one, which it is for every connection after
/// the first between two hosts: SYN and FIN travel on data, and no segment is spent on them. The cache has the round-trip time
/// and the threshold, too.
///
/// The connection count itself is not carried: in the simulator packets of an earlier incarnation are told apart without it.
/// Nor are the four bytes of its option, and the initial window is the scenario's, not the 4 KB that T/TCP suggests.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    let established = history.latest.is_some() || !history.open.is_empty();
    Beginning { established, ..temporal::begin(history, start, packets) }
}
