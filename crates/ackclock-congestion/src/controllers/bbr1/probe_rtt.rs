//! `ProbeRTT`: four packets in flight for a while, to measure the smallest round-trip time anew.

use ackclock_units::Time;

use super::{Bbr1, MIN_PIPE, State};
use crate::facts::Ack;

impl Bbr1 {
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt && self.min_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.probe_rtt_done = None;
            self.held_down.begin(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        self.idle_restart = false;
    }

    pub(super) fn handle_probe_rtt(&mut self, ack: &Ack) {
        self.held_down.extend(self.delivered, ack.in_flight);
        match self.probe_rtt_done {
            None if ack.in_flight <= MIN_PIPE => {
                self.probe_rtt_done = Some(ack.now + self.settings.probe_rtt_duration);
                self.probe_rtt_round_done = false;
                self.round_ends = self.delivered;
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.round_starts;
                if self.probe_rtt_round_done && ack.now > done {
                    self.min_rtt_at = ack.now;
                    self.restore_cwnd();
                    self.leave_probe_rtt(ack.now);
                }
            }
        }
    }

    pub(super) fn leave_probe_rtt(&mut self, now: Time) {
        if self.filled_pipe {
            self.enter_probe_bw(now);
        } else {
            self.state = State::Startup;
            self.pacing_gain = self.settings.startup_gain;
            self.cwnd_gain = self.settings.startup_gain;
        }
    }
}
