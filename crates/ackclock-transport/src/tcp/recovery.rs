//! Loss recovery: deciding from acknowledgments what was lost and has to be sent again.
//!
//! Each recovery sees every acknowledgment and answers with a [`Reaction`]. It declares segments lost in the
//! [`RetransmissionQueue`]; the sender sends them again. The congestion window is not its business: it says that an episode begins,
//! and the controller decides what that means.

mod newreno;
mod prr;
mod rack;
mod reno;
mod sack;
mod tahoe;
mod vegas;

use std::fmt;
use std::str::FromStr;

use ackclock_units::{Duration, Time};

use super::mechanism::retransmission_queue::RetransmissionQueue;

pub(crate) use prr::{Prr, ReductionBound};
pub(crate) use rack::{Rack, SentKey};

/// How a sender recovers from loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Fast retransmit, then slow start from one packet.
    Tahoe,
    /// Fast retransmit and fast recovery that ends with the first new acknowledgment.
    Reno,
    /// Fast recovery that lasts until all of the window is acknowledged.
    NewReno,
    /// Recovery by selective acknowledgments.
    Sack,
    /// SACK's losses, with proportional rate reduction bounded as slow start is.
    Prr,
    /// SACK's losses, with proportional rate reduction that strictly conserves packets.
    PrrCrb,
    /// Losses by the clock, and probes of the tail.
    Rack,
    /// Reno's with retransmission by fine-grained timeouts.
    Vegas,
}

/// A recovery as lists show it.
#[derive(Clone, Copy, Debug)]
pub struct RecoveryEntry {
    /// The recovery.
    pub recovery: Recovery,
    /// Its name in a variant.
    pub name: &'static str,
    /// One line on what it does.
    pub title: &'static str,
    /// Where it is defined.
    pub source: &'static str,
}

impl Recovery {
    /// All recoveries.
    pub const ENTRIES: &[RecoveryEntry] = &[
        RecoveryEntry {
            recovery: Recovery::Tahoe,
            name: "tahoe",
            title: "fast retransmit, then slow start from one packet",
            source: "Jacobson 1988; tcp-variants 2.1",
        },
        RecoveryEntry {
            recovery: Recovery::Reno,
            name: "reno",
            title: "fast recovery until the first new acknowledgment",
            source: "RFC 5681, 3.2",
        },
        RecoveryEntry {
            recovery: Recovery::NewReno,
            name: "newreno",
            title: "fast recovery until the whole window is acknowledged",
            source: "RFC 6582; tcp-variants 2.2",
        },
        RecoveryEntry {
            recovery: Recovery::Sack,
            name: "sack",
            title: "recovery by selective acknowledgments and the pipe",
            source: "RFC 6675, RFC 2018",
        },
        RecoveryEntry {
            recovery: Recovery::Prr,
            name: "prr",
            title: "SACK's, with proportional rate reduction (PRR-SSRB)",
            source: "RFC 6937, RFC 6675",
        },
        RecoveryEntry {
            recovery: Recovery::PrrCrb,
            name: "prr-crb",
            title: "SACK's, with proportional rate reduction and the conservative bound (PRR-CRB)",
            source: "RFC 6937, RFC 6675",
        },
        RecoveryEntry {
            recovery: Recovery::Rack,
            name: "rack",
            title: "losses found by the clock, tails probed (RACK-TLP), with proportional rate reduction",
            source: "RFC 8985, RFC 6937",
        },
        RecoveryEntry {
            recovery: Recovery::Vegas,
            name: "vegas",
            title: "Reno's, with retransmission by fine-grained timeouts",
            source: "Brakmo and Peterson 1995; tcp-variants 2.3.1",
        },
    ];

    /// Its name in a variant.
    pub fn name(self) -> &'static str {
        Recovery::ENTRIES.iter().find(|entry| entry.recovery == self).map_or("", |entry| entry.name)
    }

    /// Whether the receiver reports selective acknowledgments.
    pub fn uses_sack(self) -> bool {
        matches!(self, Recovery::Sack | Recovery::Prr | Recovery::PrrCrb | Recovery::Rack)
    }

    /// How proportional rate reduction is bounded; none where the window alone says how much may be sent.
    pub(crate) fn reduction_bound(self) -> Option<ReductionBound> {
        match self {
            Recovery::Prr | Recovery::Rack => Some(ReductionBound::SlowStart),
            Recovery::PrrCrb => Some(ReductionBound::Conservative),
            Recovery::Tahoe | Recovery::Reno | Recovery::NewReno | Recovery::Sack | Recovery::Vegas => None,
        }
    }

    /// The timer that RACK set for late segments expired.
    pub(crate) fn on_reordering_timer(
        self,
        ack: &AckEvent,
        state: &mut RecoveryState,
        flight: &mut RetransmissionQueue,
    ) -> Reaction {
        if self == Recovery::Rack { rack::detect(ack, state, flight) } else { Reaction::None }
    }

    /// The retransmission timer expired.
    pub(crate) fn on_timeout(
        self,
        ack: &AckEvent,
        state: &mut RecoveryState,
        flight: &mut RetransmissionQueue,
    ) {
        if self == Recovery::Rack {
            rack::restart(ack, state, flight);
        } else {
            state.restart(ack.next, flight);
        }
    }

    /// Takes an acknowledgment.
    #[expect(clippy::inline_always, reason = "where the recovery is known there is no choice")]
    #[inline(always)]
    pub(crate) fn on_ack(
        self,
        ack: &AckEvent,
        state: &mut RecoveryState,
        flight: &mut RetransmissionQueue,
    ) -> Reaction {
        match self {
            Recovery::Tahoe => tahoe::on_ack(ack, state, flight),
            Recovery::Reno => reno::on_ack(ack, state, flight),
            Recovery::NewReno => newreno::on_ack(ack, state, flight),
            Recovery::Sack | Recovery::Prr | Recovery::PrrCrb => sack::on_ack(ack, state, flight),
            Recovery::Rack => rack::on_ack(ack, state, flight),
            Recovery::Vegas => vegas::on_ack(ack, state, flight),
        }
    }
}

impl FromStr for Recovery {
    type Err = ();
    fn from_str(name: &str) -> Result<Recovery, ()> {
        Recovery::ENTRIES.iter().find(|entry| entry.name == name).map(|entry| entry.recovery).ok_or(())
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An acknowledgment as a recovery sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckEvent {
    pub now: Time,
    /// It acknowledged new data cumulatively.
    pub advanced: bool,
    /// Segments it acknowledged cumulatively.
    pub segments: u32,
    /// A duplicate (RFC 5681, section 2; with SACK: RFC 6675, section 2).
    pub duplicate: bool,
    /// The next sequence number to be sent (RFC 6675's `HighData` + 1).
    pub next: u64,
    /// Duplicates that mean a loss.
    pub threshold: u32,
    /// Vegas: its timeout for a segment.
    pub fine_timeout: Duration,
    /// RACK: the latest-sent of the segments newly delivered, if it is certain which copy of it was.
    pub newest: Option<SentKey>,
    /// RACK: the least sequence number after a segment newly delivered that was sent once only; `u64::MAX` for none.
    pub lowest_once: u64,
    /// RACK: the smallest and the smoothed round-trip time.
    pub min_rtt: Duration,
    pub srtt: Duration,
}

impl AckEvent {
    /// Whether the fine-grained timeout of a segment sent at `sent_at` has expired (Vegas).
    fn is_late(&self, sent_at: Time) -> bool {
        self.now.since(sent_at) > self.fine_timeout
    }
}

/// What a recovery asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Go on.
    None,
    /// Go on, and let the retransmission timer run on though new data was acknowledged.
    KeepTimer,
    /// A congestion episode begins; `restart`: the sender starts again from one packet.
    Episode { restart: bool },
}

/// Where the sender stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No loss is known.
    Open,
    /// Fast recovery.
    Fast,
    /// What was lost is sent again in slow start, after a timeout (or any loss under Tahoe).
    Restart,
}

/// The state all recoveries share.
#[derive(Clone, Debug)]
pub(crate) struct RecoveryState {
    pub phase: Phase,
    /// What had been sent when the last episode began (RFC 6582's `recover`, RFC 6675's `RecoveryPoint`), as the
    /// next sequence number then.
    pub recover: u64,
    /// The same for the last restart alone.
    pub restarted_at: u64,
    /// Duplicate ACKs in a row.
    pub duplicates: u32,
    /// Segments that duplicate ACKs say have left the network (the "inflation" of RFC 5681). Below zero, more have been
    /// acknowledged in NewReno's recovery than duplicates told of.
    pub inflation: i32,
    /// A retransmission is due whatever the window says.
    pub force_resend: bool,
    /// NewReno: a partial acknowledgment was seen in this episode.
    pub partial_seen: bool,
    /// SACK: the rescue retransmission waits for an acknowledgment above this (RFC 6675's `RescueRxt`).
    pub rescue_above: u64,
    /// What proportional rate reduction has delivered and sent in this episode.
    pub prr: Prr,
    /// What RACK-TLP knows.
    pub rack: Rack,
    /// Vegas: when the window was cut last.
    pub cut_at: Option<Time>,
    /// Vegas: new acknowledgments after a retransmission that still check for another late segment.
    pub checks_left: u8,
}

impl RecoveryState {
    pub fn new() -> RecoveryState {
        RecoveryState {
            phase: Phase::Open,
            recover: 0,
            restarted_at: 0,
            duplicates: 0,
            inflation: 0,
            force_resend: false,
            partial_seen: false,
            rescue_above: 0,
            prr: Prr::default(),
            rack: Rack::default(),
            cut_at: None,
            checks_left: 0,
        }
    }

    /// Fast recovery begins: a retransmission goes out at once.
    fn enter_fast(&mut self, next: u64) {
        self.phase = Phase::Fast;
        self.recover = next;
        self.force_resend = true;
        self.partial_seen = false;
    }

    /// The timer expired, or Tahoe lost a packet: everything outstanding is presumed lost.
    pub fn restart(&mut self, next: u64, flight: &mut RetransmissionQueue) {
        flight.declare_all_lost();
        self.begin_restart(next);
    }

    fn begin_restart(&mut self, next: u64) {
        self.phase = Phase::Restart;
        self.recover = next;
        self.restarted_at = next;
        self.duplicates = 0;
        self.inflation = 0;
        self.force_resend = true;
    }

    /// The last episode was none.
    pub fn undo(&mut self, flight: &mut RetransmissionQueue) {
        flight.forget_losses();
        self.phase = Phase::Open;
        self.inflation = 0;
    }

    /// New data was acknowledged outside fast recovery: duplicates start anew, and a restart may be complete.
    fn advance(&mut self, una: u64) {
        self.duplicates = 0;
        self.inflation = 0;
        if una >= self.recover {
            self.phase = Phase::Open;
        }
    }

    /// Whether this is the duplicate ACK that means a loss, without SACK. What a restart sends again needlessly makes
    /// duplicates too, and they may still arrive when all the restart covers is acknowledged, so more than that has to
    /// be (RFC 6582, section 4, and ns-2 for all of these recoveries).
    fn is_loss(&self, ack: &AckEvent, flight: &RetransmissionQueue) -> bool {
        self.duplicates == ack.threshold && self.phase == Phase::Open && flight.una() > self.restarted_at
    }

    /// A duplicate ACK: one more segment has left the network, but never more than are in it. After a restart there
    /// is no telling which copy.
    fn count_duplicate(&mut self, flight: &RetransmissionQueue) {
        self.duplicates += 1;
        if self.phase != Phase::Restart {
            self.inflation = (self.inflation + 1).min(flight.pipe().cast_signed());
        }
    }
}
