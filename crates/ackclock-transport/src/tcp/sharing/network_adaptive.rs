//! Network adaptive slow start: the size of a file decides how its transfer begins.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;
use ackclock_units::PacketRate;

use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "network-adaptive",
    title: "a file within the domain's mean window at a constant rate, a longer one from half of that, a long one as standard TCP",
    source: "Network adaptive TCP slow start, as in burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// A file of more cached windows than this is long: its start is a small part of it.
const LONG: f64 = 4.0;

/// The part of the cached window that a file begins with which does not fit into it.
const HIGHER: f64 = 0.5;

/// burst-tcp, 3.3.2: "at a constant rate which uses congestion window cached values, or starting at a higher initial window, or using
/// just standard TCP", by the size of the file. The cached window is the one of TCP/SPAND's gateway, with which the proposal works.
///
/// Where the sizes divide is ours, as the thesis does not say it. A constant rate ignores the path's feedback, so it is only
/// for files that end before an answer arrives: files within the cached window, which leave in a round-trip time. It needs
/// the round-trip time of an earlier connection between the two hosts; without one the file begins with a higher window, as
/// one that does not fit. That is half of the cached window, from which slow start reaches it in one round trip, up to the
/// cached window as threshold. A long file gains little, and what it would lose if the path has changed is a long file's.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    let alone = Beginning::alone(start);
    let initial = alone.initial_window;
    let (Some(cached), Some(packets)) = (history.domain_window.filter(|cached| *cached > initial), packets)
    else {
        return alone;
    };
    let packets = packets as f64;
    if packets <= initial || packets > LONG * cached {
        return alone;
    }
    let rtt = history.latest.map(|latest| (latest.srtt, latest.rttvar));
    match rtt {
        Some((srtt, _)) if packets <= cached => {
            let rate = PacketRate(cached / srtt.as_secs_f64());
            Beginning { initial_window: packets, initial_ssthresh: cached, rtt, rate: Some(rate), ..alone }
        }
        _ => {
            let window = (HIGHER * cached).max(initial);
            Beginning { initial_window: window, initial_ssthresh: cached, rtt, ..alone }
        }
    }
}
