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

/// A file of more than this many cached windows is long: its start is a small part of the transfer.
const LONG: f64 = 4.0;

/// A file that does not fit into the cached window begins with this part of it.
const HIGHER: f64 = 0.5;

/// burst-tcp, 3.3.2: "at a constant rate which uses congestion window cached values, or starting at a higher initial window, or using
/// just standard TCP", by the size of the file. The cached window is the one of TCP/SPAND's gateway, with which the proposal works.
///
/// The limits between the sizes are our choice; the thesis does not state them. A constant rate ignores the path's
/// feedback, so it is used only for files that end before an answer arrives: files within the cached window, which
/// leave in a round-trip time. It needs the round-trip time of an earlier connection between the two hosts. Without
/// one, the file begins with a higher window, like a file that does not fit: half of the cached window, from which slow
/// start reaches the cached window, its threshold, in one round trip. A long file would gain little, and would lose
/// much if the path had changed.
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
