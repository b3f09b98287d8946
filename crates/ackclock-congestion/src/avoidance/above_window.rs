//! Standard TCP below a window: how algorithms for fast networks leave slow ones as they are.

use super::reno::half;
use super::{Avoidance, Reno};
use crate::facts::{Ack, Congestion};
use crate::windowed::Window;

/// The rule of `inner` at windows of `low` packets and more, standard TCP's below (mesonet, 5.2: "when the congestion
/// window is below the threshold then normal TCP congestion avoidance procedures are used").
///
/// `inner` measures, and learns of congestion, at any window, so that it finds its state right when the window passes
/// the threshold again.
#[derive(Clone, Copy, Debug)]
pub struct AboveWindow<A> {
    /// In packets.
    pub low: f64,
    /// The rule from there on.
    pub inner: A,
}

impl<A: Avoidance> Avoidance for AboveWindow<A> {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.inner.measure(ack, window);
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        if window.cwnd < self.low {
            Reno { limit: self.inner.limit() }.adjust(ack, window);
        } else {
            self.inner.adjust(ack, window);
        }
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let kept = self.inner.back_off(event, used);
        if used < self.low { half(used) } else { kept }
    }

    fn delay_window(&self) -> f64 {
        self.inner.delay_window()
    }

    fn on_idle_restart(&mut self) {
        self.inner.on_idle_restart();
    }

    fn limit(&self) -> f64 {
        self.inner.limit()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        self.inner.observe(gauge);
    }
}
