//! The persist timer (RFC 9293, 3.8.6.1; RFC 1122, 4.2.2.17): while the receive window has no room and nothing is
//! outstanding, the sender probes the receiver, so that the loss of a window update does not end the connection.

use ackclock_units::Duration;

use super::super::settings::RtoSettings;
use super::rtt::RttEstimator;

/// The state of a sender's persist timer. It uses the deadline of the retransmission timer, which never runs
/// at the same time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Persist {
    /// The probes since the window closed.
    probes: u32,
}

impl Persist {
    /// The time until the next probe: the retransmission timeout, doubled with each probe since the window closed.
    pub fn timeout(self, rtt: &RttEstimator, settings: &RtoSettings) -> Duration {
        rtt.rto(settings).saturating_mul(1 << self.probes.min(30)).min(settings.max)
    }

    /// A probe is sent.
    pub fn on_probe(&mut self) {
        self.probes += 1;
    }

    /// The window has opened.
    pub fn stop(&mut self) {
        self.probes = 0;
    }
}
