//! The cycle of `ProbeBW` (5.3.3): DOWN, CRUISE, REFILL, UP.

use ackclock_units::{Duration, Time};

use super::super::real::{larger, smaller};
use super::model::flight_before;
use super::{AckPhase, Bbr3, State};
use crate::facts::{Ack, RateSample};

/// The bound of the Reno-friendly time scale in rounds (5.3.3.8).
const RENO_ROUNDS: f64 = 63.0;
/// The golden ratio less one: its multiples modulo one are spread as evenly as possible.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Rounds after which `inflight_longterm` does not grow any faster.
const FASTEST_ROUNDS: u32 = 30;

impl Bbr3 {
    /// `UpdateProbeBWCyclePhase` (5.3.3.9).
    pub(super) fn update_cycle(&mut self, ack: &Ack, sample: &RateSample) {
        if !self.full_bw_reached || self.adapt_long_term(ack, sample) {
            return;
        }
        let is_up_over = self.state == State::Up && self.is_time_to_go_down(ack, sample);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(ack.now) => self.start_refill(),
            State::Down if self.is_time_to_cruise(ack) => self.state = State::Cruise,
            State::Refill if self.round_starts => {
                self.is_probe_sample = true;
                self.start_up(sample);
            }
            State::Up if is_up_over => {
                self.prev_probe_too_high = false;
                self.start_down(ack.now);
            }
            _ => {}
        }
    }

    pub(super) fn start_down(&mut self, now: Time) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
        self.probe_up_acked_per_increment = f64::INFINITY;
        self.pick_probe_wait();
        self.cycle_at = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.state = State::Down;
    }

    /// `PickProbeWait`, by the golden ratio instead of chance.
    fn pick_probe_wait(&mut self) {
        self.rounds_since_probe = u64::from(self.waits % 2);
        let fraction = (self.settings.wait_phase + f64::from(self.waits) * GOLDEN).fract();
        self.probe_wait = Duration::from_secs_f64(2.0 + fraction);
        self.waits = self.waits.wrapping_add(1);
    }

    pub(super) fn start_cruise(&mut self) {
        self.state = State::Cruise;
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term();
        self.probe_up_rounds = 0;
        self.probe_up_acked = 0.0;
        self.prev_probe_precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self, sample: &RateSample) {
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw(sample.rate.0);
        self.state = State::Up;
        self.raise_slope();
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        now > self.cycle_at + self.probe_wait
            || self.rounds_since_probe as f64 >= smaller(self.target_inflight(), RENO_ROUNDS)
    }

    fn is_time_to_cruise(&self, ack: &Ack) -> bool {
        ack.in_flight <= self.inflight_with_headroom() && ack.in_flight <= self.inflight(self.max_bw)
    }

    fn is_time_to_go_down(&mut self, ack: &Ack, sample: &RateSample) -> bool {
        if self.prev_probe_too_high && flight_before(ack) >= self.inflight_longterm.floor() {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.is_cwnd_limited() && self.cwnd >= self.inflight_longterm {
            // The short-term bound limits the delivery rate, not the path.
            self.reset_full_bw(sample.rate.0);
            return false;
        }
        self.full_bw_now
    }

    /// `RaiseInflightLongtermSlope`: twice as fast with every round.
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.probe_up_rounds);
        self.probe_up_rounds = (self.probe_up_rounds + 1).min(FASTEST_ROUNDS);
        self.probe_up_acked_per_increment = (self.cwnd / growth).max(1.0);
    }

    /// `ProbeInflightLongtermUpward`.
    fn probe_upward(&mut self, ack: &Ack) {
        if !self.is_cwnd_limited() || self.cwnd < self.inflight_longterm {
            return;
        }
        self.probe_up_acked += ack.delivered;
        if self.probe_up_acked >= self.probe_up_acked_per_increment {
            let packets = (self.probe_up_acked / self.probe_up_acked_per_increment).floor();
            self.probe_up_acked -= packets * self.probe_up_acked_per_increment;
            self.inflight_longterm += packets;
        }
        if self.round_starts {
            self.raise_slope();
        }
    }

    /// `AdaptLongTermModel`; true if it changed the state.
    fn adapt_long_term(&mut self, ack: &Ack, sample: &RateSample) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_starts {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_starts {
            self.is_probe_sample = false;
            self.ack_phase = AckPhase::Init;
            if self.is_in_probe_bw() && !sample.app_limited {
                self.cycle += 1;
            }
            if self.is_in_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        if self.is_too_high(sample.lost, sample.tx_in_flight) || self.inflight_longterm.is_infinite() {
            return false;
        }
        self.inflight_longterm = larger(self.inflight_longterm, sample.tx_in_flight);
        if self.state == State::Up {
            self.probe_upward(ack);
        }
        false
    }
}
