//! State that spans connections: a connection takes it over from others between the same hosts.
//!
//! All proposals use one mechanism: the history of a pair of hosts, and a rule that derives a connection's beginning
//! from it. To add one: a file here with its `ENTRY` and its `begin`, and a line in the list below.

mod careful_resume;
mod congestion_manager;
mod ensemble;
mod fast_start;
mod history;
mod network_adaptive;
mod spand;
mod tcp_session;
mod temporal;
mod ttcp;

use std::str::FromStr;

use ackclock_catalogue::Entry;
use ackclock_congestion::Start;

pub use history::{Beginning, History, PathState};

macro_rules! sharings {
    ($($(#[$doc:meta])* $name:ident = $module:ident),+ $(,)?) => {
        /// The rule by which a connection takes over state from others between the same hosts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Sharing {
            $($(#[$doc])* $name),+
        }

        impl Sharing {
            /// The catalogue entries.
            pub const ENTRIES: &[Entry] = &[$($module::ENTRY),+];
            /// The names by which [`FromStr`] reads them.
            pub const NAMES: &[&str] = &[$($module::ENTRY.name),+];

            /// True if the connections between two hosts are one macroflow.
            pub fn has_macroflow(self) -> bool {
                matches!(self, Sharing::CongestionManager | Sharing::TcpSession)
            }

            /// The beginning of a connection that sends this many packets, if their number is known, and would
            /// otherwise begin with `start`.
            pub fn begin(self, history: &History<'_>, start: &Start, packets: Option<u64>) -> Beginning {
                match self {
                    $(Sharing::$name => $module::begin(history, start, packets)),+
                }
            }
        }

        impl FromStr for Sharing {
            type Err = ();

            fn from_str(name: &str) -> Result<Sharing, ()> {
                [$(($module::ENTRY.name, Sharing::$name)),+]
                    .into_iter()
                    .find_map(|(known, sharing)| (known == name).then_some(sharing))
                    .ok_or(())
            }
        }
    };
}

sharings! {
    /// Temporal sharing (RFC 9040).
    Temporal = temporal,
    /// Ensemble sharing (RFC 9040).
    Ensemble = ensemble,
    /// TCP Fast Start.
    FastStart = fast_start,
    /// TCP/SPAND.
    Spand = spand,
    /// Network adaptive slow start.
    NetworkAdaptive = network_adaptive,
    /// T/TCP.
    TTcp = ttcp,
    /// Careful Resume (RFC 9959).
    CarefulResume = careful_resume,
    /// The Congestion Manager.
    CongestionManager = congestion_manager,
    /// TCP Session.
    TcpSession = tcp_session,
}
