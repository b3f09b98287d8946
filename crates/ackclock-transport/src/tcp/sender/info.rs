//! The state of a sender by the names of Linux.

use ackclock_units::Duration;

use super::super::info::TcpInfo;
use super::Sender;
use super::endpoint::Endpoint;

impl Sender {
    /// The retransmission timeout, back-off included.
    pub(in crate::tcp) fn timeout(&self) -> Duration {
        self.endpoint.clock.rto(&self.endpoint.settings.rto)
    }

    /// Its state as it stands.
    pub fn info(&self) -> TcpInfo {
        let Endpoint { settings, clock, loss, .. } = &self.endpoint;
        let counts = loss.queue().counts();
        let threshold = self.controller().ssthresh();
        let rtt = clock.rtt();
        let bytes = self.endpoint.life.cold().map(|cold| cold.bytes.delivered()).unwrap_or_default();
        let recovery = loss.recovery();
        let (reorderings, largest) =
            recovery.reorderings().or_else(|| recovery.arrived_late()).unwrap_or_default();
        TcpInfo {
            ca_state: self.endpoint.congestion_state(),
            snd_cwnd: self.endpoint.window_in_force(),
            snd_ssthresh: if threshold.is_finite() { threshold as u64 } else { TcpInfo::NO_THRESHOLD },
            unacked: loss.queue().outstanding().into(),
            sacked: counts.sacked.into(),
            lost: if loss.recovery().is_open() { counts.lost } else { counts.lost + counts.again }.into(),
            retrans: counts.again.into(),
            reordering: largest.max(settings.duplicate_threshold).into(),
            reord_seen: reorderings.into(),
            total_retrans: loss.retransmissions(),
            rto: micros(clock.rto(&settings.rto)),
            backoff: rtt.backoffs().into(),
            rtt: micros(rtt.srtt()),
            rttvar: micros(rtt.rttvar()),
            min_rtt: micros(rtt.min_rtt()),
            delivered: self.endpoint.rounds.delivered(),
            delivered_ce: self.endpoint.signals.marked(),
            delivered_e0_bytes: bytes.ect0,
            delivered_e1_bytes: bytes.ect1,
            delivered_ce_bytes: bytes.marked,
            snd_mss: settings.mss.into(),
        }
    }
}

impl Endpoint {
    /// The state of congestion, as Linux names it.
    fn congestion_state(&self) -> u64 {
        let recovery = self.loss.recovery();
        if recovery.is_restart() {
            TcpInfo::LOSS
        } else if recovery.is_fast() {
            TcpInfo::RECOVERY
        } else if self.signals.ecn().has_reduced_since(self.loss.queue().una()) || recovery.reduces_for_mark()
        {
            TcpInfo::CWR
        } else if self.loss.queue().has_sacked() || recovery.duplicates() > 0 {
            TcpInfo::DISORDER
        } else {
            TcpInfo::OPEN
        }
    }

    /// The window that holds the sender back: the controller's, or what a proportional reduction lets be in flight.
    fn window_in_force(&self) -> u64 {
        // Sums of parts of packets end a little below whole ones.
        let cwnd = (self.window.cwnd().max(1.0) + 1e-9) as u64;
        self.loss.budget_of_reduction().map_or(cwnd, |budget| u64::from(self.loss.in_network() + budget))
    }
}

fn micros(span: Duration) -> u64 {
    span.as_nanos() / 1000
}
