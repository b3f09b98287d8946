//! Standard TCP for small windows, so that algorithms for fast networks behave as usual on slow ones.

use super::reno::{Reno, half};
use crate::facts::{Ack, Congestion, Needs};
use crate::windowed::{Avoidance, Window};

/// Applies `inner` at windows of `low` packets and more, and standard TCP below (mesonet, 5.2: "when the congestion
/// window is below the threshold then normal TCP congestion avoidance procedures are used").
///
/// `inner` receives acknowledgments and congestion signals at any window, so that its state is correct when the window
/// passes the threshold again.
#[derive(Clone, Copy, Debug)]
pub struct AboveWindow<A> {
    /// In packets.
    pub low: f64,
    /// The rule at larger windows.
    pub inner: A,
}

#[deny(clippy::missing_trait_methods, reason = "it forwards every method that it does not change")]
impl<A: Avoidance> Avoidance for AboveWindow<A> {
    fn needs(&self) -> Needs {
        self.inner.needs()
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.inner.measure(ack, window);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd < self.low {
            Reno::counting(self.inner.abc_limit()).adjust(ack, window);
        } else {
            self.inner.adjust(ack, window);
        }
    }

    fn pauses(&self) -> bool {
        self.inner.pauses()
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let kept = self.inner.back_off(event, used);
        if used < self.low { half(used) } else { kept }
    }

    fn scale(&mut self, ratio: f64) {
        self.inner.scale(ratio);
    }

    fn delay_window(&self) -> f64 {
        self.inner.delay_window()
    }

    fn on_idle_restart(&mut self) {
        self.inner.on_idle_restart();
    }

    fn abc_limit(&self) -> f64 {
        self.inner.abc_limit()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(gauge);
    }
}
