//! The transports of variants.

use ackclock_catalogue::Entry;
use ackclock_congestion::registry::{self, ControllerSpec};

use crate::tcp::Recovery;
use crate::{acknak, tfrc};

/// The transport: the exchange of packets and acknowledgments.
///
/// Exhaustive: a driver builds the endpoints of every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP, with a way to recover from loss.
    Tcp(Recovery),
    /// The abstract transport of MesoNet: see [`acknak`](crate::acknak).
    AckNak,
    /// Datagrams at the rate of TCP's throughput equation: see [`tfrc`](crate::tfrc).
    Tfrc,
}

impl Transport {
    /// The catalogue entries of the other transports. TCP is named by its recoveries.
    pub const ENTRIES: &[Entry] = &[acknak::ENTRY, tfrc::ENTRY];

    /// Its name in a variant: for TCP, the recovery's.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Tcp(recovery) => recovery.name(),
            Transport::AckNak => acknak::ENTRY.name,
            Transport::Tfrc => tfrc::ENTRY.name,
        }
    }

    pub(super) fn find(name: &str) -> Option<Transport> {
        let others = [Transport::AckNak, Transport::Tfrc];
        let other = others.into_iter().find(|transport| transport.name() == name);
        other.or_else(|| name.parse().ok().map(Transport::Tcp))
    }

    /// The controller of a variant that names only this transport: the algorithm of the same name,
    /// such as `vegas`, or standard TCP's.
    pub(super) fn own_controller(self) -> ControllerSpec {
        // Parsing an unknown name searches for the nearest one, which takes long.
        let is_one = registry::entries().any(|entry| entry.name == self.name());
        if is_one { self.name().parse().unwrap_or_default() } else { ControllerSpec::default() }
    }
}
