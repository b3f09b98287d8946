//! TCP/SPAND: a connection begins with the share that a gateway has measured for the whole domain.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "spand",
    title: "the mean window of all connections of the domain, as far as the file needs it",
    source: "Zhang, Qiu and Keshav, 2000; Seshan, Stemm and Katz, USITS 1997; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The initial window is the domain's estimate of a connection's fair share, and at most the file, whose size is known;
/// the sender begins in congestion avoidance. The round-trip time is that of the latest connection between the two
/// hosts. With `pacing = "auto"` the window is spread over the round-trip time, as with the leaky bucket of the
/// proposal.
///
/// burst-tcp has no formula for "the optimal TCP initial parameters"; this is the simplest that uses both facts.
/// Messages to and from the gateway cost nothing here, and the gateway does not fail.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    let begun = Beginning { rtt: history.latest.map(|latest| (latest.srtt, latest.rttvar)), ..alone };
    let Some(share) = history.domain_window.filter(|share| *share > alone.initial_window) else {
        return begun;
    };
    let needed = packets.map_or(share, |packets| share.min(packets as f64));
    Beginning { initial_window: needed.max(alone.initial_window), initial_ssthresh: share, ..begun }
}
