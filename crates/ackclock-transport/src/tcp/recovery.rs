//! Loss recovery: decides from acknowledgments and from the clock which segments were lost and are sent again.
//!
//! A recovery implements [`LossRecovery`], and [`Probes`](loss_recovery::Probes) if it has a timer of its own; it owns
//! its own state, and has a file of its own together with its entry. It sees every acknowledgment and answers with a
//! [`Reaction`]. It declares segments lost in the [`RetransmissionQueue`]; the sender sends them again. The congestion
//! window is the controller's: a recovery reports that an episode begins, and the controller decides by how much the
//! window shrinks.

mod entry;
mod event;
mod loss_recovery;
mod newreno;
mod progress;
mod prr;
mod rack;
mod reduction;
mod reno;
mod rfc9002;
mod sack;
mod state;
mod tahoe;
mod vegas;

use std::fmt;
use std::str::FromStr;

use super::mechanism::retransmission_queue::RetransmissionQueue;

pub use entry::RecoveryEntry;
pub(crate) use event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction, WindowEvent};
pub(crate) use state::RecoveryState;

pub(crate) use entry::Needs;
use loss_recovery::LossRecovery;
use progress::Progress;

/// Makes the list of recoveries: the public name of each, its state and its entry, and whether it has `Probes`.
/// Defines the macro `of_recovery`, which calls a method of the state in use, and `of_probes`, which does so if that
/// recovery has probes.
macro_rules! recoveries {
    (($d:tt) $($name:ident: $state:ty = $entry:path $(, $probes:ident)?;)*) => {
        /// A way for a sender to recover from loss.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Recovery {
            $(#[doc = concat!("The recovery of `", stringify!($state), "`.")] $name,)*
        }

        impl Recovery {
            /// All recoveries.
            pub const ALL: &[Recovery] = &[$(Recovery::$name),*];

            /// Their entries, in the same order.
            pub const ENTRIES: &[RecoveryEntry] = &[$($entry),*];
        }

        /// The state of the recovery in use.
        #[derive(Clone, Debug)]
        enum Algorithm {
            $($name($state),)*
        }

        impl Algorithm {
            fn new(recovery: Recovery) -> Algorithm {
                match recovery {
                    $(Recovery::$name => Algorithm::$name(<$state>::default()),)*
                }
            }

            #[inline]
            fn recovery(&self) -> Recovery {
                match self {
                    $(Algorithm::$name(_) => Recovery::$name,)*
                }
            }

            /// Takes an acknowledgment; the recovery in use is known at compile time.
            #[inline(always)]
            fn on_ack(
                &mut self,
                recovery: Recovery,
                ack: &AckEvent<'_>,
                progress: &mut Progress,
                queue: &mut RetransmissionQueue,
            ) -> Reaction {
                match (recovery, self) {
                    $((Recovery::$name, Algorithm::$name(state)) => state.on_ack(ack, progress, queue),)*
                    _ => unreachable!("the recovery in use is another"),
                }
            }
        }

        macro_rules! of_recovery {
            ($d algorithm:expr, $d state:ident => $d call:expr) => {
                match $d algorithm {
                    $(Algorithm::$name($d state) => $d call,)*
                }
            };
        }

        macro_rules! of_probes {
            ($d algorithm:expr, $d state:ident => $d call:expr, $d otherwise:expr) => {
                match $d algorithm {
                    $($(Algorithm::$name($d state) => {
                        type _Marked = dyn $probes;
                        $d call
                    })?)*
                    _ => $d otherwise,
                }
            };
        }

        use {of_probes, of_recovery};
    };
}

recoveries! {
    ($)
    Tahoe: tahoe::Tahoe = tahoe::ENTRY;
    Reno: reno::Reno = reno::ENTRY;
    NewReno: newreno::NewReno = newreno::ENTRY;
    Sack: sack::Sack = sack::ENTRY;
    Prr: prr::SlowStartBound = prr::ENTRY;
    PrrCrb: prr::ConservativeBound = prr::ENTRY_CRB;
    Rack: rack::Rack = rack::ENTRY, Probes;
    Rfc9002: rfc9002::Rfc9002 = rfc9002::ENTRY, Probes;
    Vegas: vegas::Vegas = vegas::ENTRY;
}

impl Recovery {
    /// The recovery of a variant that names none, unless its algorithm is defined with another. Current TCP stacks use
    /// it, and it is the best that works with every algorithm. So algorithms compared by name alone differ only in
    /// congestion control.
    pub const DEFAULT: Recovery = Recovery::Rack;

    /// True if a fast retransmit restarts the retransmission timer by default. With `rack`, the recovery of current
    /// stacks, it does, as in Linux: the loss of a retransmission is then found by its time before the timer expires.
    /// The other recoveries follow RFCs, and RFC 6298 does not restart the timer there.
    #[must_use]
    pub fn rearms_at_fast_retransmit(self) -> bool {
        self == Recovery::BY_TIME
    }

    /// The recovery that finds losses by the times of sending.
    pub(crate) const BY_TIME: Recovery = Recovery::Rack;

    /// Its name in a variant.
    pub fn name(self) -> &'static str {
        self.entry().entry.name
    }

    /// True if the receiver reports selective acknowledgments.
    #[inline]
    pub fn uses_sack(self) -> bool {
        self.needs().sack
    }

    #[inline]
    pub(crate) fn needs(self) -> Needs {
        self.entry().needs
    }

    #[inline]
    fn entry(self) -> &'static RecoveryEntry {
        &Recovery::ENTRIES[self as usize]
    }
}

impl FromStr for Recovery {
    type Err = ();
    fn from_str(name: &str) -> Result<Recovery, ()> {
        Recovery::ALL.iter().copied().find(|recovery| recovery.name() == name).ok_or(())
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recovery_stands_at_the_place_of_its_entry() {
        assert_eq!(Recovery::ALL.len(), Recovery::ENTRIES.len());
        for (place, &recovery) in Recovery::ALL.iter().enumerate() {
            assert_eq!(recovery as usize, place, "{recovery} has the entry of another recovery");
            assert_eq!(Algorithm::new(recovery).recovery(), recovery);
        }
    }
}
