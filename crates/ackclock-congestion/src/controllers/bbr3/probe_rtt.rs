//! `ProbeRTT` (5.3.4): the smallest round-trip time and its periodic measurement.

use ackclock_units::Time;

use super::{AckPhase, Bbr3, MIN_PIPE, State};
use crate::facts::Ack;

impl Bbr3 {
    /// `UpdateMinRTT` (5.3.4.3). Samples expire after a window of time; before the first there is none to expire.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        self.probe_rtt_expired =
            self.probe_rtt_min.is_some() && ack.now > self.probe_rtt_min_at + self.settings.probe_rtt_window;
        if let Some(rtt) = ack.rtt
            && (self.probe_rtt_expired || self.probe_rtt_min.is_none_or(|known| rtt < known))
        {
            self.probe_rtt_min = Some(rtt);
            self.probe_rtt_min_at = ack.now;
        }
        let is_expired = ack.now > self.min_rtt_at + self.settings.min_rtt_window;
        let Some(recent) = self.probe_rtt_min else { return };
        if is_expired || self.min_rtt.is_none_or(|known| recent < known) {
            self.min_rtt = Some(recent);
            self.min_rtt_at = self.probe_rtt_min_at;
        }
    }

    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done = None;
            if self.settings.filter_after_probe_rtt && self.ack_phase != AckPhase::Init {
                // The cycle ends with its probe (5.5.6), which is cut off here.
                self.cycle += 1;
            }
            self.ack_phase = AckPhase::ProbeStopping;
            self.held_down.begin(self.delivered);
            self.start_round();
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        if ack.rate.is_some_and(|sample| sample.delivered > 0.0) {
            self.idle_restart = false;
        }
    }

    fn handle_probe_rtt(&mut self, ack: &Ack) {
        // MarkConnectionAppLimited: the low rates of these packets do not measure the bandwidth.
        self.held_down.extend(self.delivered, ack.in_flight);
        match self.probe_rtt_done {
            None if ack.in_flight <= self.probe_rtt_cwnd() => {
                self.probe_rtt_done = Some(ack.now + self.settings.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.round_starts;
                if self.probe_rtt_round_done && ack.now > done {
                    self.probe_rtt_min_at = ack.now;
                    self.restore_cwnd();
                    self.leave_probe_rtt(ack.now);
                }
            }
        }
    }

    /// 5.3.4.4.
    fn leave_probe_rtt(&mut self, now: Time) {
        self.reset_short_term();
        if self.full_bw_reached {
            self.start_down(now);
            self.start_cruise();
        } else {
            self.state = State::Startup;
        }
    }

    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, self.settings.probe_rtt_gain).max(MIN_PIPE)
    }
}
