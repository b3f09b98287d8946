//! Drain, and the gain cycle of `ProbeBW`.

use ackclock_units::Time;

use super::{Bbr1, State};
use crate::facts::Ack;

/// The gains of one cycle, each for about one round trip: probe, drain, cruise.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

impl Bbr1 {
    /// `BBRCheckCyclePhase`: a phase lasts a round-trip time. Probing continues until its share is
    /// in flight or a packet is lost; draining ends as soon as the queue is gone.
    pub(super) fn check_cycle_phase(&mut self, ack: &Ack) {
        let (State::ProbeBw, Some(rtt)) = (self.state, self.min_rtt) else { return };
        let is_full_length = ack.now.since(self.phase_since) > rtt;
        let before = ack.in_flight + ack.delivered + ack.lost;
        let is_over = match self.phase {
            0 => is_full_length && (ack.lost > 0.0 || before >= self.in_flight(self.pacing_gain)),
            1 => is_full_length || before <= self.in_flight(1.0),
            _ => is_full_length,
        };
        if is_over {
            self.begin_phase(ack.now, (self.phase + 1) % CYCLE.len());
        }
    }

    pub(super) fn begin_phase(&mut self, now: Time, phase: usize) {
        self.phase = phase;
        self.phase_since = now;
        self.pacing_gain = CYCLE[phase];
    }

    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            self.pacing_gain = 1.0 / self.settings.startup_gain;
            self.cwnd_gain = self.settings.startup_gain;
        }
        if self.state == State::Drain && ack.in_flight <= self.in_flight(1.0) {
            self.enter_probe_bw(ack.now);
        }
    }

    pub(super) fn enter_probe_bw(&mut self, now: Time) {
        self.state = State::ProbeBw;
        self.cwnd_gain = self.settings.cwnd_gain;
        self.begin_phase(now, self.settings.phase);
    }
}
