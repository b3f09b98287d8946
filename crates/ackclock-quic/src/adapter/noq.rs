//! noq 1's controller.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use noq_proto::RttEstimator;
use noq_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::Adapter;
use crate::factory::Factory;

controller! {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, _: u64) {
        self.watch.ledger().on_sent(self.at(now), u64::from(bytes));
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, _: u64, _: bool, _: &RttEstimator) {
        self.watch.ledger().on_acked(self.at(now), self.at(sent), bytes);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent: bool,
        is_mark: bool,
        lost: u64,
        _: u64,
    ) {
        let (now, sent) = (self.at(now), self.at(sent));
        let mut ledger = self.watch.ledger();
        if is_mark { ledger.on_marked(now, sent) } else { ledger.on_lost(now, sent, lost, is_persistent) }
    }

    fn on_spurious_congestion_event(&mut self) {
        self.watch.ledger().on_spurious();
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        let mut ledger = self.watch.ledger();
        (metrics.congestion_window, metrics.ssthresh) = (ledger.window(), ledger.ssthresh());
        metrics.pacing_rate = ledger.pacing_rate();
        metrics
    }
}
