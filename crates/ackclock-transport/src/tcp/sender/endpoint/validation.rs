//! The window of a sender that has to validate it (RFC 7661): samples, phases, and what the non-validated phase changes.

use ackclock_congestion::{Event, Signal};
use ackclock_units::Time;

use super::Endpoint;

/// So many halvings reduce any window to the initial one.
const MOST_HALVINGS: u64 = 64;

impl Endpoint {
    fn window_in_bytes(&self) -> f64 {
        self.window.cwnd() * f64::from(self.settings.mss)
    }

    /// Takes the `bytes` that an acknowledgment covers as part of a round trip (4.2). The one that ends a recovery belongs to
    /// it, since the recovery has not seen it yet.
    #[cold]
    pub(super) fn measure_round_trip(&mut self, now: Time, bytes: u64) {
        self.end_periods(now);
        let (una, next) = (self.loss.queue().una(), self.stream.next());
        let (is_open, srtt) = (self.loss.recovery().is_open(), self.clock.rtt().srtt());
        let pipe_ack = &mut self.life.cold_mut().validation.pipe_ack;
        if is_open {
            pipe_ack.on_ack(now, (una - bytes, una), next, srtt);
        } else {
            pipe_ack.forget();
        }
        self.look_at_phase(now);
    }

    /// True in the validated phase (4.3).
    pub(super) fn is_window_validated(&self) -> bool {
        self.life.cold().is_none_or(|cold| cold.validation.pipe_ack.validates(self.window_in_bytes()))
    }

    /// Looks at the phase when a segment may be sent or an acknowledgment arrived: a window that is not validated is paced (4.4.2).
    #[cold]
    pub(super) fn look_at_phase(&mut self, now: Time) {
        self.end_periods(now);
        let is_lacking = self.life.cold().is_some_and(|cold| cold.validation.is_lacking());
        if self.pacing.spread(is_lacking) {
            self.consult_controller(now);
        }
    }

    /// 4.4.3, once for each period that is over.
    fn end_periods(&mut self, now: Time) {
        self.look(now);
        let periods = self.life.cold_mut().validation.take_periods(now);
        for _ in 0..periods.min(MOST_HALVINGS) {
            let (cwnd, ssthresh) = (self.window.cwnd(), self.window.controller().ssthresh());
            let window = (cwnd / 2.0).max(self.settings.initial_window);
            self.bound_window(now, window, ssthresh.max(0.75 * cwnd));
            self.look(now);
            if !self.life.cold_mut().validation.is_lacking() {
                break;
            }
        }
    }

    fn look(&mut self, now: Time) {
        let (window, srtt) = (self.window_in_bytes(), self.clock.rtt().srtt());
        self.life.cold_mut().validation.look(now, window, srtt);
    }

    fn bound_window(&mut self, now: Time, window: f64, ssthresh: f64) {
        self.integrate_cwnd(now);
        let decision = self.window.on_event(&Event::NotValidated { window, ssthresh });
        self.apply_decision(now, &decision);
    }

    /// A signal of congestion ends the phase (4.4). The packets that a loss in it reduces (4.4.1): the most of pipeACK and of what is
    /// outstanding. None in the validated phase, and for other signals.
    #[cold]
    pub(super) fn leave_phase(&mut self, now: Time, signal: Signal) -> Option<f64> {
        self.end_recovery(now);
        let (window, srtt, flight) = (self.window_in_bytes(), self.clock.rtt().srtt(), self.flight());
        let next = self.stream.next();
        let validation = &mut self.life.cold_mut().validation;
        validation.prolong(next);
        let found = validation.pipe_ack.value(now, srtt).filter(|bytes| 2.0 * (*bytes as f64) < window);
        validation.leave();
        self.pacing.spread(false);
        if signal == Signal::Timeout {
            validation.give_up_recovery();
        }
        let bytes = found.filter(|_| signal == Signal::Loss)?;
        // Segments of a limited transmit are not to be counted (RFC 5681, 3.2).
        Some(flight.max(self.packets(bytes)).min(self.window.cwnd()))
    }

    /// The recovery begins of a window that was not validated, of which the controller has `used` packets reduced.
    pub(super) fn note_unvalidated_loss(&mut self, used: f64) {
        let (kept, next) = (self.window.cwnd(), self.stream.next());
        let before = self.loss.queue().lost_after_resend();
        self.life.cold_mut().validation.on_loss((used, kept), next, before);
    }

    /// 4.4.1: the end of a recovery leaves less, by what was sent again. Does nothing before.
    #[cold]
    pub(super) fn end_recovery(&mut self, now: Time) {
        let (queue, mss) = (self.loss.queue(), self.settings.mss);
        let (una, after, is_fast) = (queue.una(), queue.lost_after_resend(), self.loss.recovery().is_fast());
        let cold = self.life.cold_if_any();
        let recovered = cold.and_then(|cold| cold.validation.take_recovered(una, is_fast, after, mss));
        if let Some(window) = recovered {
            let window = window.min(self.window.cwnd());
            self.bound_window(now, window, window);
        }
    }
}
