//! The trait of congestion avoidance algorithms.

use super::Window;
use crate::facts::{Ack, Congestion, Needs};

/// The main part of most congestion-control algorithms: the rule from the slow-start threshold on.
pub trait Avoidance: Clone + Send + Sync {
    /// The facts it needs in addition to acknowledgments and signals. A [`Windowed`](super::Windowed) has no samples
    /// ([`Needs::samples`]), and only its slow start may pace ([`Needs::pacing`]).
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Measures by every acknowledgment, in either phase and while growth is suspended. It may move the threshold, and
    /// a rule that applies to slow start too may lower the window; otherwise the window moves in
    /// [`adjust`](Self::adjust).
    fn measure(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Moves the window, up or down, on an acknowledgment that may grow it and finds it at or above the threshold.
    /// A rule that takes the window below the threshold re-enters slow start unless it takes the threshold along.
    fn adjust(&mut self, ack: &Ack, window: &mut Window);

    /// True if the window does not grow, in slow start or after it, until a later acknowledgment lets it.
    fn pauses(&self) -> bool {
        false
    }

    /// A congestion episode begins while `used` packets are in use: the window in packets to keep, which becomes
    /// the threshold. `used` is the congestion window or what is in flight, whichever is smaller.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64;

    /// The size of segments changed: multiplies by `ratio` all windows, rates and counts in packets that were measured,
    /// so that their bytes stay equal. Parameters stay as they are.
    fn scale(&mut self, ratio: f64);

    /// Packets that may be in the network in addition to [`Window::cwnd`]: Compound TCP's second, delay-based
    /// window. It takes no part in the choice of the phase.
    fn delay_window(&self) -> f64 {
        0.0
    }

    /// The sender starts again after idleness: it may send the restart window, and no delay window in
    /// addition.
    fn on_idle_restart(&mut self) {}

    /// The most packets that one acknowledgment counts for (RFC 3465's L).
    /// [`AboveWindow`](crate::avoidance::AboveWindow) holds standard TCP to it too, so that an algorithm counts alike
    /// on both sides of its threshold.
    fn abc_limit(&self) -> f64 {
        1.0
    }

    /// Shows internal quantities by name.
    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}
