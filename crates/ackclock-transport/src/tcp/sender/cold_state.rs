//! The state of a sender for mechanisms that few senders use.

use ackclock_units::{Duration, PacketRate};

use super::super::mechanism::byte_counters::BytesReported;
use super::super::mechanism::ecn_validation::EcnValidation;
use super::super::mechanism::fast_open::FastOpen;
use super::super::mechanism::fast_start::FastStart;
use super::super::mechanism::persist::Persist;
use super::super::mechanism::session::SessionMember;
use super::super::mechanism::transactions::ConnectionCount;
use super::super::mechanism::validation::Validation;
use crate::Incidents;
use crate::wire::CongestionHeader;

/// The state of mechanisms that few senders use.
#[derive(Clone, Debug, Default)]
pub(super) struct ColdState {
    pub persist: Persist,
    pub fast_open: FastOpen,
    pub fast_start: Option<FastStart>,
    pub transaction: Option<ConnectionCount>,
    pub session: Option<SessionMember>,
    pub incidents: Incidents,
    /// How long everything written had been acknowledged whenever the application wrote more.
    pub idle: Duration,
    /// The sequence number of the reset that is to be sent.
    pub reset: u64,
    /// Feedback of routers that the controller has not been given.
    pub feedback: Option<PacketRate>,
    /// The phase of the window, if its use validates it.
    pub validation: Validation,
    /// Bytes by codepoint, if acknowledgments count them.
    pub bytes: BytesReported,
    /// The state of the path, if ECN is validated.
    pub ecn_validation: Option<Box<EcnValidation>>,
}

impl ColdState {
    /// True if its SYNs carry data and a connection count (RFC 1644).
    pub fn transacts(&self) -> bool {
        self.transaction.as_ref().is_some_and(ConnectionCount::is_known)
    }

    /// Keeps the feedback of routers in a congestion header, if it has any, until the next
    /// acknowledgment is taken. A full segment has `size` bytes on the wire.
    pub fn keep_feedback(&mut self, header: &CongestionHeader, size: f64) {
        let change = f64::from(header.reverse_feedback) / size;
        let kept = self.feedback.map_or(0.0, |feedback| feedback.0);
        self.feedback = Some(PacketRate(kept + change));
    }
}
