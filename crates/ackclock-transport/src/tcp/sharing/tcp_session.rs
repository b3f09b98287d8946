//! TCP Session: connections between the same hosts have congestion control and loss recovery in common.

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

use super::congestion_manager;
use super::history::{Beginning, History};

pub(super) const ENTRY: Entry = Entry {
    kind: "sharing",
    name: "tcp-session",
    title: "one congestion controller, and acknowledgments that tell of losses of other connections between the same hosts",
    source: "Padmanabhan 1998; Balakrishnan, Padmanabhan, Seshan, Stemm and Katz, IEEE INFOCOM 1998; burst-tcp, 3.3.2",
    ..Entry::PLAIN
};

/// The window is the macroflow's ([`Macroflow`](ackclock_congestion::Macroflow)), as with the
/// Congestion Manager. The [`Session`](crate::tcp::Session) reports losses.
pub(super) fn begin(history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
    congestion_manager::begin(history, start, packets)
}
