//! The window in a loss recovery: packet conservation, and the window before it.

use super::{Bbr1, State};
use crate::facts::Ack;

impl Bbr1 {
    /// `BBRModulateCwndForRecovery`, and the window at the beginning and end of a recovery.
    pub(super) fn modulate_for_recovery(&mut self, ack: &Ack) {
        if self.recovering && !ack.recovering {
            self.conserving_until = None;
            self.restore_cwnd();
        }
        self.recovering = ack.recovering;
        if !ack.recovering {
            self.entering_recovery = false;
            return;
        }
        if ack.lost > 0.0 {
            self.cwnd = (self.cwnd - ack.lost).max(1.0);
        }
        if std::mem::take(&mut self.entering_recovery) {
            self.conserving_until = Some(self.delivered);
            self.cwnd = ack.in_flight + ack.delivered.max(1.0);
        }
        let Some(until) = self.conserving_until else { return };
        if ack.rate.is_some_and(|sample| sample.prior_delivered >= until) {
            self.conserving_until = None;
        } else {
            self.cwnd = self.cwnd.max(ack.in_flight + ack.delivered);
        }
    }

    pub(super) fn save_cwnd(&mut self) {
        let is_modulated = self.recovering || self.state == State::ProbeRtt;
        self.saved.save(self.cwnd, is_modulated);
    }

    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.saved.restore(self.cwnd);
    }

    /// `BBRHandleSpuriousRecovery`: restores the window and the state from before the recovery.
    pub(super) fn undo(&mut self) {
        self.conserving_until = None;
        self.entering_recovery = false;
        self.recovering = false;
        self.restore_cwnd();
    }
}
