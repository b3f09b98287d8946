//! The expiry of the retransmission timer (RFC 6298, section 5) and of the recovery's own.

use ackclock_congestion::Signal;
use ackclock_units::Time;

use super::super::mechanism::persist::Persist;
use super::super::mechanism::retransmission_queue::Sent;
use super::super::recovery::{AckEvent, Expiry, Reaction};
use super::ack::AckFacts;
use super::{PendingControl, Sender};

impl Sender {
    /// The retransmission timer expired: the SYN is sent again, or the first unacknowledged segment.
    pub(super) fn on_timeout(&mut self, now: Time) {
        if self.handshake.is_pending() {
            self.on_syn_timeout(now);
            return;
        }
        if self.queue.is_empty() {
            self.on_persist_timeout(now);
            return;
        }
        self.counters.note_timeout(self.rtt.backoffs());
        let may_judge =
            if self.recovery.needs().sack { self.recovery.is_open() } else { !self.recovery.is_restart() };
        let repeated = self.queue.head().is_some_and(Sent::has_timed_out);
        if !self.falls_back(now) {
            self.congest(now, Signal::Timeout, true, repeated);
        }
        self.queue.mark_head_timed_out();
        let pipe_before = self.queue.pipe();
        let path_min_rtt = self.path_min_rtt();
        let timer = AckEvent::timer(now, self.next, self.counters.rtt_samples, &self.rtt, &self.settings);
        let event = AckEvent { path_min_rtt, ..timer };
        self.recovery.on_timeout(&event, &mut self.queue);
        // The sampler counts the losses now; the controller sees them with the next acknowledgment.
        self.sampler.on_lost(pipe_before - self.queue.pipe());
        self.signals.time_out();
        self.suspension.end();
        // RFC 3522, step 2: a second timeout of the same segment does not begin another episode.
        if !repeated {
            self.eifel.arm();
        }
        self.arm_judgement(may_judge, repeated);
        // Below one packet the window is the back-off: each timeout halves the rate.
        if self.cwnd >= 1.0 {
            self.rtt.back_off(&self.settings.rto);
        }
        self.arm_rto(now);
    }

    /// Data waits for the receive window, and nothing is outstanding: the persist timer runs.
    #[cold]
    pub(super) fn wait_for_window(&mut self, now: Time) {
        if self.queue.is_empty() && !self.timers.is_retransmission_armed() {
            let persist = self.cold.as_ref().map_or_else(Persist::default, |cold| cold.persist);
            let timeout = persist.timeout(&self.rtt, &self.settings.rto);
            self.timers.arm_retransmission(now, timeout);
        }
    }

    /// True if data waits for the receive window, with nothing outstanding.
    pub fn is_waiting_for_window(&self) -> bool {
        self.queue.is_empty() && self.handshake.is_established() && self.timers.is_retransmission_armed()
    }

    /// The receive window has opened, and new data is sent.
    #[inline]
    pub(super) fn end_wait_for_window(&mut self) {
        self.timers.stop_retransmission();
        if let Some(cold) = &mut self.cold {
            cold.persist.stop();
        }
    }

    /// The persist timer expired: the window is probed, unless the application has stopped, or pacing alone holds the next
    /// segment back.
    fn on_persist_timeout(&mut self, now: Time) {
        self.timers.stop_retransmission();
        let end_of_data = self.limit.saturating_add(u64::from(self.closes));
        if self.next < end_of_data && self.end_of_new().is_none() {
            self.pending = PendingControl::Probe;
            let cold = self.cold_mut();
            cold.persist.on_probe();
            cold.incidents.window_probes += 1;
            self.wait_for_window(now);
        }
    }

    fn on_syn_timeout(&mut self, now: Time) {
        if self.counters.syns < self.settings.syn_attempts {
            self.send_syn(now);
        } else {
            self.handshake.fail();
            self.timers.stop_retransmission();
            self.timers.set_application(Time::MAX);
        }
    }

    /// The recovery's own timer expired: segments are lost, or a loss probe is due. The controller is called as for an
    /// acknowledgment of nothing.
    pub(super) fn on_recovery_timer(&mut self, now: Time) {
        let pipe_before = self.queue.pipe();
        let path_min_rtt = self.path_min_rtt();
        let timer = AckEvent::timer(now, self.next, self.counters.rtt_samples, &self.rtt, &self.settings);
        let event = AckEvent { path_min_rtt, ..timer };
        let expiry = self.recovery.on_timer(&event, &mut self.queue);
        if self.recovery.needs().probe_timeouts {
            self.schedule_probe(now);
        }
        let Expiry::Losses(reaction) = expiry else {
            if !self.recovery.needs().probe_timeouts {
                self.arm_rto(now);
            }
            return;
        };
        self.take_losses(now, pipe_before, reaction);
    }

    /// Losses that no acknowledgment of this connection has shown, where so many segments were in the network before.
    pub(super) fn take_losses(&mut self, now: Time, pipe_before: u32, reaction: Reaction) {
        let lost = pipe_before.saturating_sub(self.queue.pipe());
        if reaction == Reaction::None && lost == 0 {
            return;
        }
        // RFC 8985, 8: the reordering timer took the place of this one, which the retransmission starts (RFC 6298, 5.1).
        if !self.recovery.needs().probe_timeouts {
            self.arm_rto(now);
        }
        self.integrate_cwnd(now);
        self.react(now, reaction);
        let latest_lost = self.account_for_loss(lost);
        let in_flight = self.packets_in_network();
        let facts = AckFacts { in_flight, lost, latest_lost, suspended: true, ..AckFacts::default() };
        let decision = self.inform_controller(now, &facts);
        self.apply_decision(now, &decision);
        self.apply_window(0, reaction);
    }
}
