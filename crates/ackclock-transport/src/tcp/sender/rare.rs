//! The state of a sender that few senders have.

use ackclock_units::PacketRate;

use super::super::mechanism::fast_open::FastOpen;
use super::super::mechanism::persist::Persist;
use crate::Incidents;

/// The state of mechanisms that few senders come to use.
#[derive(Clone, Debug, Default)]
pub(super) struct Rare {
    pub persist: Persist,
    pub fast_open: FastOpen,
    pub incidents: Incidents,
    /// The sequence number of the reset that is to be sent.
    pub reset: u64,
    /// Feedback of routers that the controller has not been given.
    pub feedback: Option<PacketRate>,
}
