//! The model of the path (5.5): bandwidth, round trips, aggregation, and the packets in flight that follow from them.

use super::super::real::{larger, smaller};
use super::{Bbr3, MIN_PIPE, State};
use crate::facts::{Ack, RateSample};

/// `BBR.MaxBwFilterLen`: this cycle and the one before.
const BW_CYCLES_BEFORE: u64 = 1;
/// `BBR.ExtraAckedFilterLen` is ten rounds: this one and nine before.
const EXTRA_ACKED_ROUNDS_BEFORE: u64 = 9;
/// Growth by less than this factor does not count; after this many rounds without growth the pipe is full
/// (5.3.1.2).
const GROWTH: f64 = 1.25;
const FULL_ROUNDS: u8 = 3;

impl Bbr3 {
    /// `UpdateRound` and `UpdateMaxBw`.
    pub(super) fn update_max_bw(&mut self, ack: &Ack, sample: &RateSample) {
        self.round_starts = ack.rate.is_some() && sample.prior_delivered >= self.round_ends;
        if self.round_starts {
            self.start_round();
            self.round += 1;
            self.rounds_since_probe += 1;
            self.limited = (false, self.limited.0);
        }
        let rate = sample.rate.0;
        if rate > 0.0 && (rate >= self.max_bw || !sample.app_limited) {
            self.max_bw = self.max_bw_filter.update(BW_CYCLES_BEFORE, self.cycle, rate);
        }
    }

    pub(super) fn start_round(&mut self) {
        self.round_ends = self.delivered;
    }

    /// Notes the packets in flight before this acknowledgment, and whether the window allowed another
    /// packet.
    pub(super) fn note_window_use(&mut self, ack: &Ack) {
        self.limited.0 |= flight_before(ack) + 1.0 > self.cwnd;
    }

    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.limited.0 || self.limited.1
    }

    /// 5.5.9.
    pub(super) fn update_ack_aggregation(&mut self, ack: &Ack) {
        let interval = ack.now.since(self.extra_acked_since).as_secs_f64();
        let mut expected = self.bw * interval;
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_since = ack.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += ack.delivered;
        let extra = smaller(self.extra_acked_delivered - expected, self.cwnd);
        let before = if self.full_bw_reached { EXTRA_ACKED_ROUNDS_BEFORE } else { 0 };
        self.extra_acked = self.extra_acked_filter.update(before, self.round, extra);
    }

    /// 5.3.1.2.
    pub(super) fn check_full_bw(&mut self, sample: &RateSample) {
        if self.full_bw_now || !self.round_starts || sample.app_limited {
            return;
        }
        if sample.rate.0 >= self.full_bw * GROWTH {
            self.reset_full_bw(sample.rate.0);
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= FULL_ROUNDS;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// Looks for a plateau anew, from this rate on.
    pub(super) fn reset_full_bw(&mut self, baseline: f64) {
        self.full_bw = baseline;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    pub(super) fn check_drain_done(&mut self, ack: &Ack) {
        let is_overdue = self.round > self.drain_start_round + 3;
        if self.state == State::Drain && (ack.in_flight <= self.inflight(self.bw) || is_overdue) {
            self.start_down(ack.now);
        }
    }

    /// `BDPMultiple` (5.6.4.2).
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        match self.min_rtt {
            None => self.settings.initial_window,
            Some(rtt) => gain * (bw * rtt.as_secs_f64()),
        }
    }

    /// `QuantizationBudget`.
    pub(super) fn quantize(&self, inflight: f64) -> f64 {
        let least = larger(larger(inflight, 3.0 * self.settings.quantum), MIN_PIPE);
        if self.state == State::Up { least + 2.0 } else { least }
    }

    /// `Inflight` with a gain of one.
    pub(super) fn inflight(&self, bw: f64) -> f64 {
        self.quantize(self.bdp_multiple(bw, 1.0))
    }

    /// `TargetInflight` (5.3.3.8).
    pub(super) fn target_inflight(&self) -> f64 {
        smaller(self.bdp_multiple(self.bw, 1.0), self.cwnd)
    }

    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = larger(self.settings.headroom * self.inflight_longterm, 1.0);
        larger(self.inflight_longterm - headroom, MIN_PIPE)
    }
}

pub(super) fn flight_before(ack: &Ack) -> f64 {
    ack.in_flight + ack.delivered + ack.lost
}
