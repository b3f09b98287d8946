//! The response to losses (5.5.10), and its undoing (5.5.11).

use super::super::real::larger;
use super::{Bbr3, State};
use crate::facts::{Ack, LossSample, RateSample};

/// `BBRStartupFullLossCnt` (5.3.1.3).
const STARTUP_LOSSES: u32 = 6;

impl Bbr3 {
    /// `HandleLostPacket`, for losses and for marks, which count as congestion (3.7).
    pub(super) fn handle_losses(&mut self, ack: &Ack, sample: &RateSample) {
        if let Some(loss) = ack.loss {
            self.note_loss();
            if self.is_probe_sample && self.is_too_high(loss.lost, loss.tx_in_flight) {
                let at_loss = self.inflight_at_loss(&loss);
                self.handle_inflight_too_high(ack, at_loss, loss.app_limited);
            }
        }
        if std::mem::take(&mut self.marked) {
            self.note_loss();
            if self.is_probe_sample {
                self.handle_inflight_too_high(ack, sample.tx_in_flight, sample.app_limited);
            }
            self.leave_startup_on_congestion();
        }
    }

    fn note_loss(&mut self) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = self.delivered;
            if !self.settings.save_once {
                self.save_state_upon_loss();
            }
        }
        self.is_loss_in_round = true;
    }

    /// `IsInflightTooHigh`.
    pub(super) fn is_too_high(&self, lost: f64, tx_in_flight: f64) -> bool {
        lost > tx_in_flight * self.settings.loss_threshold
    }

    /// `InflightAtLoss`: the packets in flight when losses crossed the threshold.
    fn inflight_at_loss(&self, loss: &LossSample) -> f64 {
        let threshold = self.settings.loss_threshold;
        let (inflight_before, lost_before) = (loss.tx_in_flight - 1.0, loss.lost - 1.0);
        inflight_before + (threshold * inflight_before - lost_before) / (1.0 - threshold)
    }

    fn handle_inflight_too_high(&mut self, ack: &Ack, tx_in_flight: f64, app_limited: bool) {
        self.prev_probe_too_high = true;
        self.is_probe_sample = false;
        if !app_limited {
            self.inflight_longterm = tx_in_flight.max(self.target_inflight() * self.settings.beta);
        }
        if self.state == State::Up {
            self.undo_state = Some(State::Up);
            self.start_down(ack.now);
        }
    }

    pub(super) fn update_latest_delivery(&mut self, ack: &Ack, sample: &RateSample) {
        self.loss_round_starts = false;
        self.bw_latest = larger(self.bw_latest, sample.rate.0);
        self.inflight_latest = larger(self.inflight_latest, sample.delivered);
        if ack.rate.is_some() && sample.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.delivered;
            self.loss_round_starts = true;
        }
    }

    /// `UpdateCongestionSignals`: once per round with losses the short-term bounds go down.
    pub(super) fn update_congestion_signals(&mut self, ack: &Ack, sample: &RateSample) {
        self.update_max_bw(ack, sample);
        if !self.loss_round_starts {
            return;
        }
        let is_probing = matches!(self.state, State::Startup | State::Refill | State::Up);
        if self.is_loss_in_round && !is_probing {
            self.lower_bounds();
        }
        self.is_loss_in_round = false;
    }

    /// `InitLowerBounds`, `LossLowerBounds`.
    fn lower_bounds(&mut self) {
        let beta = self.settings.beta;
        if self.bw_shortterm.is_infinite() {
            self.bw_shortterm = self.max_bw;
        }
        if self.inflight_shortterm.is_infinite() {
            self.inflight_shortterm = self.cwnd;
        }
        self.bw_shortterm = self.bw_latest.max(beta * self.bw_shortterm);
        self.inflight_shortterm = self.inflight_latest.max(beta * self.inflight_shortterm);
    }

    pub(super) fn reset_short_term(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// `CheckStartupDone`, with `CheckStartupHighLoss` (5.3.1.3).
    pub(super) fn check_startup_done(&mut self, ack: &Ack, sample: &RateSample) {
        if !self.full_bw_reached {
            self.losses_in_round += u32::from(ack.lost > 0.0);
            let is_lossy =
                self.losses_in_round >= STARTUP_LOSSES && self.is_too_high(sample.lost, sample.tx_in_flight);
            if self.loss_round_starts && self.recovering && is_lossy {
                self.leave_startup_on_congestion();
            }
            if self.loss_round_starts {
                self.losses_in_round = 0;
            }
        }
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
            self.drain_start_round = self.round;
        }
    }

    /// The pipe counts as full; the recent deliveries of a round trip are its capacity.
    fn leave_startup_on_congestion(&mut self) {
        if self.full_bw_reached || self.state != State::Startup {
            return;
        }
        self.undo_state = Some(State::Startup);
        self.full_bw_reached = true;
        self.inflight_longterm = self.bdp_multiple(self.bw, 1.0).max(self.inflight_latest);
    }

    pub(super) fn save_state_upon_loss(&mut self) {
        self.undo_state = None;
        self.undo_bw_shortterm = self.bw_shortterm;
        self.undo_inflight_shortterm = self.inflight_shortterm;
        self.undo_inflight_longterm = self.inflight_longterm;
    }

    /// `HandleSpuriousLossDetection` (5.5.11.2).
    pub(super) fn undo(&mut self) {
        self.recovering = false;
        self.restore_cwnd();
        self.is_loss_in_round = false;
        self.reset_full_bw(0.0);
        self.bw_shortterm = self.bw_shortterm.max(self.undo_bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo_inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo_inflight_longterm);
        match self.undo_state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }
}
