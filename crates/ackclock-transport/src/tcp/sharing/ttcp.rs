//! T/TCP: transactions without a handshake between hosts that know each other.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};
use super::temporal;

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "t-tcp",
    title: "data in the SYN, accepted if its connection count is above the cached one, and temporal sharing",
    source: "RFC 1644; burst-tcp, 3.3.1",
    ..Entry::PLAIN
};

/// If the connection count of a SYN is above the last one from the client host, the server accepts the SYN at once and
/// delivers its data ([`ConnectionCount`](crate::tcp::ConnectionCount)); otherwise a handshake comes first. The cache
/// has the round-trip time and the threshold, too.
///
/// The initial window is the scenario's, not the 4 KB that T/TCP suggests; data after that in the SYN, and the FIN,
/// wait for the SYN-ACK. Counts of the other direction (CC.ECHO) and the truncation of TIME-WAIT have no consequence
/// in the simulator, which recognises packets of an earlier incarnation without them.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    temporal::begin(history, start, packets)
}
