//! quinn 0.11's controller.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::Adapter;
use crate::factory::Factory;

controller! {
    fn on_sent(&mut self, now: Instant, bytes: u64, _: u64) {
        self.watch.ledger().on_sent(self.at(now), bytes);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, _: bool, _: &RttEstimator) {
        self.watch.ledger().on_acked(self.at(now), self.at(sent), bytes);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent: bool, lost: u64) {
        let (now, sent) = (self.at(now), self.at(sent));
        let mut ledger = self.watch.ledger();
        // A loss of nothing stands for a mark.
        if lost == 0 { ledger.on_marked(now, sent) } else { ledger.on_lost(now, sent, lost, is_persistent) }
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        let mut ledger = self.watch.ledger();
        (metrics.congestion_window, metrics.ssthresh) = (ledger.window(), ledger.ssthresh());
        metrics
    }
}
