//! Loss recovery: deciding from acknowledgments, and from the clock, which segments were lost and are sent again.
//!
//! A recovery implements [`LossRecovery`]; it owns its state, and has a file of its own with its entry. It sees every
//! acknowledgment and answers with a [`Reaction`]. It declares segments lost in the [`RetransmissionQueue`]; the
//! sender sends them again. The congestion window is the controller's: a recovery reports that an episode begins, and
//! the controller decides by how much the window shrinks.

mod entry;
mod event;
mod loss_recovery;
mod newreno;
mod progress;
mod prr;
mod rack;
mod reno;
mod rfc9002;
mod sack;
mod state;
mod tahoe;
mod vegas;

use std::fmt;
use std::str::FromStr;

use ackclock_units::Time;

use super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};

pub use entry::RecoveryEntry;
pub(crate) use event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction, WindowEvent};
pub(crate) use state::RecoveryState;

use entry::Needs;
use loss_recovery::LossRecovery;
use progress::Progress;

/// Makes the list of recoveries: the public name of each, its entry, and the dispatch to its state.
macro_rules! recoveries {
    ($($name:ident: $state:ty = $entry:path;)*) => {
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

            fn get(&self) -> &dyn LossRecovery {
                match self {
                    $(Algorithm::$name(state) => state,)*
                }
            }

            fn get_mut(&mut self) -> &mut dyn LossRecovery {
                match self {
                    $(Algorithm::$name(state) => state,)*
                }
            }

            #[inline(always)]
            fn is_repaired_by_probe(&mut self, recovery: Recovery, answer: &ProbeAnswer) -> bool {
                match (recovery, self) {
                    $((Recovery::$name, Algorithm::$name(state)) => state.is_repaired_by_probe(answer),)*
                    _ => unreachable!("the recovery in use is another"),
                }
            }

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

            #[inline]
            fn on_predicted(&mut self, now: Time, newest: SentKey) {
                match self {
                    $(Algorithm::$name(state) => state.on_predicted(now, newest),)*
                }
            }

            #[inline]
            fn deadline(&self) -> Time {
                match self {
                    $(Algorithm::$name(state) => state.deadline(),)*
                }
            }

            #[inline]
            fn schedule_probe(
                &mut self,
                conditions: &ProbeConditions<'_>,
                progress: &Progress,
                queue: &RetransmissionQueue,
            ) {
                match self {
                    $(Algorithm::$name(state) => state.schedule_probe(conditions, progress, queue),)*
                }
            }

            #[inline]
            fn budget(&self) -> Option<u32> {
                match self {
                    $(Algorithm::$name(state) => state.budget(),)*
                }
            }

            #[inline]
            fn is_at_rest(&self) -> bool {
                match self {
                    $(Algorithm::$name(state) => state.is_at_rest(),)*
                }
            }
        }
    };
}

recoveries! {
    Tahoe: tahoe::Tahoe = tahoe::ENTRY;
    Reno: reno::Reno = reno::ENTRY;
    NewReno: newreno::NewReno = newreno::ENTRY;
    Sack: sack::Sack = sack::ENTRY;
    Prr: prr::SlowStartBound = prr::ENTRY;
    PrrCrb: prr::ConservativeBound = prr::ENTRY_CRB;
    Rack: rack::Rack = rack::ENTRY;
    Rfc9002: rfc9002::Rfc9002 = rfc9002::ENTRY;
    Vegas: vegas::Vegas = vegas::ENTRY;
}

impl Recovery {
    /// The recovery of a variant that names none, unless its algorithm is defined with another: that of current TCP
    /// stacks, and the best that every algorithm can have. Algorithms compared by name alone then differ in their
    /// congestion control only.
    pub const DEFAULT: Recovery = Recovery::Rack;

    /// Default of `rearm_at_fast_retransmit`. In `rack`, the recovery of current stacks, it does, as in Linux: a
    /// retransmission that is lost too is then found by its time before the timer expires. The others are those of
    /// RFCs, and RFC 6298 does not restart the timer there.
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
