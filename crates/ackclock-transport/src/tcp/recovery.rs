//! Loss recovery: deciding from acknowledgments, and from the clock, which segments were lost and are sent again.
//!
//! A recovery implements [`LossRecovery`]; it owns the state that only it has, and stands in a file of its own together
//! with its entry. It sees every acknowledgment and answers with a [`Reaction`]. It declares segments lost in the
//! [`RetransmissionQueue`]; the sender sends them again. The congestion window is the controller's: a recovery reports
//! that an episode begins, and the controller decides by how much the window shrinks.

mod newreno;
mod progress;
mod prr;
mod rack;
mod reno;
mod sack;
mod state;
mod tahoe;
mod vegas;

use std::fmt;
use std::str::FromStr;

use ackclock_catalogue::Entry;
use ackclock_units::Time;

use super::mechanism::rate_sampler::TxRecord;
use super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::mechanism::rtt::RttEstimator;
use super::settings::Settings;

use progress::{Phase, Progress};
pub(crate) use state::RecoveryState;

/// The catalogue entry of a recovery, and its needs.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEntry {
    /// The recovery.
    pub recovery: Recovery,
    /// Its name, title and source.
    pub entry: Entry,
    /// Its needs of the rest of the connection.
    needs: Needs,
}

/// The needs of a recovery, fixed for the life of a connection.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a need of its own")]
pub(crate) struct Needs {
    /// The receiver reports selective acknowledgments (RFC 2018).
    pub sack: bool,
    /// Segments are judged by the time at which they were sent: the queue keeps retransmissions in that order.
    pub send_times: bool,
    /// Every sample moves the RTT estimate in full, however many there are in a round trip (RFC 6298 without appendix G
    /// of RFC 7323).
    pub full_rtt_gain: bool,
    /// The recovery limits what is sent in fast recovery by a count of its own, or schedules probes: it sees every
    /// segment sent.
    pub sees_sent: bool,
}

impl Needs {
    /// The cumulative acknowledgments of RFC 5681 alone.
    const NONE: Needs = Needs { sack: false, send_times: false, full_rtt_gain: false, sees_sent: false };
    /// Selective acknowledgments.
    const SACK: Needs = Needs { sack: true, ..Needs::NONE };
}

/// An acknowledgment, or the expiry of a timer, as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckEvent<'a> {
    pub now: Time,
    /// It acknowledged new data cumulatively.
    pub advanced: bool,
    /// Segments it acknowledged cumulatively.
    pub segments: u32,
    /// A duplicate (RFC 5681, section 2; with SACK: RFC 6675, section 2).
    pub duplicate: bool,
    /// The next sequence number to be sent (RFC 6675's `HighData` + 1).
    pub next: u64,
    /// The latest-sent of the segments newly delivered of which it is certain which copy arrived; for a recovery that
    /// needs send times.
    pub newest: Option<SentKey>,
    /// The least sequence number after a segment newly delivered that was sent once only; `u64::MAX` for none. For a
    /// recovery that needs send times.
    pub lowest_once: u64,
    /// Round-trip times measured so far.
    pub rtt_samples: u64,
    pub rtt: &'a RttEstimator,
    pub settings: &'a Settings,
}

impl<'a> AckEvent<'a> {
    /// The passing of time, without an acknowledgment.
    #[inline]
    pub fn timer(
        now: Time,
        next: u64,
        rtt_samples: u64,
        rtt: &'a RttEstimator,
        settings: &'a Settings,
    ) -> Self {
        AckEvent {
            now,
            advanced: false,
            segments: 0,
            duplicate: false,
            next,
            newest: None,
            lowest_once: u64::MAX,
            rtt_samples,
            rtt,
            settings,
        }
    }
}

/// The request of a recovery to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Go on.
    None,
    /// Go on, and let the retransmission timer run on though new data was acknowledged.
    KeepTimer,
    /// A congestion episode begins; `restart`: the sender starts again from one packet.
    Episode { restart: bool },
}

/// The result of an expiry of a recovery's own timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// Segments may have been declared lost.
    Losses(Reaction),
    /// The time for a loss probe has come; [`LossRecovery::take_probe`] says whether one is sent.
    Probe,
}

/// The sender's state that the time of a loss probe depends on (RFC 8985, 7.2).
pub(crate) struct ProbeConditions<'a> {
    pub now: Time,
    pub cwnd: f64,
    /// The deadline of the retransmission timer.
    pub rto_deadline: Time,
    pub rtt: &'a RttEstimator,
    pub settings: &'a Settings,
}

/// The state of fast recovery once the controller has answered an acknowledgment.
pub(crate) struct WindowEvent {
    /// Segments delivered by the acknowledgment.
    pub delivered: u32,
    /// Whether the acknowledgment began the episode.
    pub begins: bool,
    /// The congestion window in packets, which is the target of recovery.
    pub cwnd: f64,
}

/// A way to recover from loss: it decides which segments were lost. `progress` is the state that all recoveries share.
pub(crate) trait LossRecovery {
    /// Takes an acknowledgment.
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction;

    /// The retransmission timer expired.
    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        progress.restart(event.next, queue);
    }

    /// Whether an acknowledgment of new data, outside fast recovery and with nothing selectively acknowledged, only ends
    /// the count of duplicates.
    fn is_at_rest(&self) -> bool {
        true
    }

    /// The deadline of its own timer; [`Time::MAX`] while it is off.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// Its own timer expired.
    fn on_timer(&mut self, _: &AckEvent<'_>, _: &mut Progress, _: &mut RetransmissionQueue) -> Expiry {
        Expiry::Losses(Reaction::None)
    }

    /// Segments it lets go in fast recovery; none where the window alone decides.
    fn budget(&self) -> Option<u32> {
        None
    }

    /// The controller has chosen the window in fast recovery: the budget follows it.
    fn on_window(&mut self, _: &WindowEvent, _: &RetransmissionQueue) {}

    /// A segment is sent in fast recovery, new or again.
    fn on_sent_in_recovery(&mut self) {}

    /// Whether room in the window may be used to send again what is merely unacknowledged (RFC 6675, `NextSeg` rules 3
    /// and 4).
    fn resends_unacknowledged(&self) -> bool {
        false
    }

    /// The bounds of a segment that is sent again by those rules.
    fn resend_unacknowledged(
        &mut self,
        _: &Progress,
        _: &mut RetransmissionQueue,
        _: &TxRecord,
    ) -> Option<(u64, u64)> {
        None
    }

    /// Whether a loss probe is sent now, whatever the window allows; asked once.
    fn take_probe(&mut self) -> bool {
        false
    }

    /// A loss probe was sent, of new data or `again`; `next` follows it.
    fn on_probe_sent(&mut self, _next: u64, _again: bool, _rtt_samples: u64) {}

    /// Whether an acknowledgment up to `una` shows that a probe has repaired a loss, which is a signal of congestion; it
    /// may repeat the one before (`repeats`).
    fn is_repaired_by_probe(&mut self, _una: u64, _repeats: bool) -> bool {
        false
    }

    /// New data was sent or something new was acknowledged: the next probe is due later.
    fn schedule_probe(&mut self, _: &ProbeConditions<'_>, _: &Progress, _: &RetransmissionQueue) {}

    /// A probe was sent: the retransmission timer comes next.
    fn cancel_probe(&mut self) {}
}

/// Makes the list of recoveries: the public name of each, its entry, and the dispatch to its state.
macro_rules! recoveries {
    ($($name:ident: $state:ty = $entry:path;)*) => {
        /// A way for a sender to recover from loss.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Recovery {
            $(#[doc = concat!("The recovery of `", stringify!($state), "`.")] $name,)*
        }

        impl Recovery {
            /// All recoveries.
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
            fn deadline(&self) -> Time {
                match self {
                    $(Algorithm::$name(state) => state.deadline(),)*
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
    Vegas: vegas::Vegas = vegas::ENTRY;
}

impl Recovery {
    /// Its name in a variant.
    pub fn name(self) -> &'static str {
        self.entry().entry.name
    }

    /// Whether the receiver reports selective acknowledgments.
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
        Recovery::ENTRIES.iter().find(|entry| entry.entry.name == name).map(|entry| entry.recovery).ok_or(())
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
    fn every_entry_stands_at_the_place_of_its_recovery() {
        for (place, entry) in Recovery::ENTRIES.iter().enumerate() {
            assert_eq!(
                entry.recovery as usize, place,
                "the entry of {} names another recovery",
                entry.entry.name
            );
            assert_eq!(Algorithm::new(entry.recovery).recovery(), entry.recovery);
        }
    }
}
