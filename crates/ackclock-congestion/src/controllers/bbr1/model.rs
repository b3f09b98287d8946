//! The model of the path: bandwidth, round-trip time, a full pipe, and packets in flight.

use super::Bbr1;
use crate::facts::{Ack, RateSample};

/// Growth by less than this factor does not count.
const GROWTH: f64 = 1.25;
/// Rounds without growth after which the pipe counts as full.
const FULL_ROUNDS: u8 = 3;

impl Bbr1 {
    /// `BBRInflight`: `gain` bandwidth-delay products, and the packets that hosts aggregate.
    pub(super) fn in_flight(&self, gain: f64) -> f64 {
        match self.min_rtt {
            None => self.settings.initial_window,
            Some(rtt) => gain * self.bw * rtt.as_secs_f64() + 3.0 * self.settings.quantum,
        }
    }

    pub(super) fn update_bandwidth(&mut self, ack: &Ack) {
        self.round_starts = false;
        let Some(sample) = ack.rate else { return };
        if sample.prior_delivered >= self.round_ends {
            self.round_ends = self.delivered;
            self.round += 1;
            self.round_starts = true;
        }
        if sample.rate.0 >= self.bw || !self.is_held_down(&sample) {
            self.bw = self.bw_filter.update(self.settings.bw_window, self.round, sample.rate.0);
        }
    }

    /// True if the application or `ProbeRTT` limited the rate.
    pub(super) fn is_held_down(&self, sample: &RateSample) -> bool {
        sample.app_limited || self.held_down.contains(sample.prior_delivered)
    }

    /// `BBRCheckFullPipe`: three rounds in which the bandwidth did not grow by a quarter.
    pub(super) fn check_full_pipe(&mut self, ack: &Ack) {
        let usable = ack.rate.is_some_and(|sample| !self.is_held_down(&sample));
        if self.filled_pipe || !self.round_starts || !usable {
            return;
        }
        if self.bw >= self.full_bw * GROWTH {
            self.full_bw = self.bw;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.filled_pipe = self.full_rounds >= FULL_ROUNDS;
    }

    /// Updates the smallest round trip. Samples expire after a window of time; before the first there is none to expire.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        self.min_rtt_expired =
            self.min_rtt.is_some() && ack.now > self.min_rtt_at + self.settings.probe_rtt_window;
        let Some(rtt) = ack.rtt else { return };
        if self.min_rtt_expired || self.min_rtt.is_none_or(|known| rtt <= known) {
            self.min_rtt = Some(rtt);
            self.min_rtt_at = ack.now;
        }
    }
}
