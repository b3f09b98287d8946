//! Episodes of congestion: what begins one, the response, and an episode that was spurious.

use ackclock_congestion::{Congestion, Event, Signal};
use ackclock_units::Time;

use super::super::super::recovery::Reaction;
use super::super::super::settings::ReductionBase;
use super::Endpoint;

/// kMinimumWindow, in packets (RFC 9002, 7.2).
const MINIMUM_WINDOW: f64 = 2.0;

impl Endpoint {
    /// Begins an episode if the recovery requests it.
    #[inline]
    pub(super) fn react(&mut self, now: Time, reaction: Reaction) {
        match reaction {
            Reaction::Episode { restart } => self.begin_episode(now, restart),
            Reaction::PersistentCongestion => self.collapse(now),
            Reaction::Undo => self.undo_by_arrivals(now),
            Reaction::None | Reaction::KeepTimer => {}
        }
    }

    /// RFC 9002, 7.6.2 and B.8: persistent congestion leaves the minimum window, in slow start.
    #[cold]
    fn collapse(&mut self, now: Time) {
        self.begin_episode(now, false);
        self.loss.note_timeout(0);
        self.rounds.resume();
        self.limit_window(now, MINIMUM_WINDOW);
    }

    /// Signals losses to the controller, at most once in a round trip.
    #[inline(never)]
    pub(super) fn begin_episode(&mut self, now: Time, restart: bool) {
        let round = self.rounds.round();
        if !self.signals.admits_loss(round, self.loss.queue().una()) {
            self.loss.keep_episode();
            return;
        }
        let falls_back = self.falls_back(now);
        if falls_back {
            self.loss.restart(self.stream.next());
        }
        self.rounds.suspend(restart || falls_back);
        self.loss.tighten();
        self.signals.begin_with_loss(round, self.loss.queue());
        if !falls_back {
            self.congest(now, Signal::Loss, restart, false);
        }
    }

    /// A packet is lost. With a window on trial the connection continues as one that inherited nothing. That window
    /// does not measure the path, and neither does the loss, since its packets are dropped before others.
    #[cold]
    pub(super) fn falls_back(&mut self, now: Time) -> bool {
        let una = self.loss.queue().una();
        let Some(cold) = self.life.cold_if_any() else { return false };
        let Some(fast_start) = cold.fast_start.take_if(|fast_start| fast_start.is_under_way(una)) else {
            return false;
        };
        self.integrate_cwnd(now);
        self.window.replace_controller(fast_start.fallback);
        self.consult_controller(now);
        true
    }

    pub(super) fn congest(&mut self, now: Time, signal: Signal, restart: bool, repeated: bool) {
        let unvalidated =
            if self.settings.validates_windows() { self.leave_phase(now, signal) } else { None };
        let flight = unvalidated.unwrap_or_else(|| self.reduced(self.flight()));
        self.respond(&Congestion { now, signal, flight, restart, repeated });
        // After a restart, and where a probe has repaired the loss, no recovery follows.
        if let Some(used) = unvalidated.filter(|_| self.loss.recovery().is_fast()) {
            self.note_unvalidated_loss(used);
        }
    }

    /// The packets that a response reduces, of which `flight` are outstanding.
    pub(super) fn reduced(&self, flight: f64) -> f64 {
        match self.settings.reduction_base {
            ReductionBase::Flight => flight,
            ReductionBase::Window => self.window.cwnd(),
        }
    }

    /// Passes a signal to the controller; the next new data carries CWR to the receiver.
    pub(super) fn respond(&mut self, event: &Congestion) {
        self.integrate_cwnd(event.now);
        let decision = self.window.on_congestion(event);
        self.apply_decision(event.now, &decision);
        self.signals.ecn_mut().on_reduction(event.signal == Signal::Ecn, self.stream.next());
    }

    /// All that the latest episode declared lost has arrived (RFC 9002, 6.1).
    #[cold]
    fn undo_by_arrivals(&mut self, now: Time) {
        self.undo_episode(now);
        self.loss.forget_episode();
    }

    /// Undoes the last episode, which was spurious.
    #[cold]
    pub(super) fn undo_episode(&mut self, now: Time) {
        self.signals.undo();
        self.loss.undo();
        if let Some(cold) = self.life.cold_if_any() {
            cold.validation.give_up_recovery();
        }
        self.rounds.resume();
        let decision = self.window.on_event(&Event::Spurious);
        self.apply_decision(now, &decision);
    }
}
