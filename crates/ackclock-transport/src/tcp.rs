//! TCP, packet by packet: connection set-up and end, acknowledgments, timers, loss recovery.
//!
//! One-way data needs a [`Sender`] and a [`Receiver`]; with data both ways, each end is a
//! [`Connection`] of the two. The congestion controller decides *how much* may be in the network; a
//! [`Recovery`] decides *which* segments were lost and what is sent next.

mod connection;
mod info;
mod mechanism;
mod receiver;
mod recovery;
mod sender;
mod settings;
mod sharing;
mod step_count;

use ackclock_units::Time;

pub use crate::flow::{Counters, Transfer};
pub use connection::Connection;
pub use info::TcpInfo;
pub use mechanism::fast_open::Cookie;
pub use mechanism::rtt::RttEstimator;
pub use mechanism::sequence_ranges::SequenceRanges;
pub use mechanism::session::{Session, SessionMember};
pub use mechanism::transactions::{ConnectionCount, CountCache};
pub use mechanism::{ENTRIES as MECHANISMS, RECEIVER_CONTROLS};
pub use receiver::{Receiver, Reply};
pub use recovery::{Recovery, RecoveryEntry};
pub use sender::{Driver, Sender, Transmission, transmit};
pub use settings::{
    BackoffUntil, EcnMode, FastRetransmitBeyond, LONGEST_TIMEOUT, LimitedGrowth, LossProbeWait, MinBounds,
    Named, Pacing, ProportionalRate, RackRtt, ReductionBase, RtoSettings, SHORTEST_TIMEOUT, Setting,
    Settings, WindowAfterLostSyn,
};
pub use sharing::{Beginning, History, PathState, Sharing};

/// The clock that timestamps carry: microseconds, wrapping (RFC 7323, 4.1).
fn timestamp(now: Time) -> u32 {
    (now.as_nanos() / 1000) as u32
}

/// True if timestamp `a` is not older than `b`, on a clock that wraps (RFC 7323, 5.2).
fn is_not_before(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) <= u32::MAX / 2
}
