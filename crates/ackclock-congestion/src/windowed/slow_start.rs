//! The trait of slow start algorithms.

use ackclock_units::PacketRate;

use super::{Reduction, Window};
use crate::facts::{Ack, Congestion};

/// The growth of the window while it is below the slow-start threshold.
pub trait SlowStart: Clone + Send + Sync {
    /// Takes the window that the connection begins with, and may set another.
    fn begin(&mut self, _window: &mut Window) {}

    /// Measures by every acknowledgment, in either phase and while growth is suspended. It may move the threshold, and
    /// a slow start with a recovery of its own may lower the window; otherwise the window moves in [`grow`](Self::grow).
    fn measure(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Grows the window on an acknowledgment that may grow it and finds it below the threshold. It must not carry
    /// the window past the threshold by a packet; lowering the threshold to the window ends slow start.
    fn grow(&mut self, ack: &Ack, window: &mut Window);

    /// A congestion episode begins.
    fn on_congestion(&mut self, _event: &Congestion) {}

    /// A congestion episode that restarts nothing has set the window and the threshold to what the avoidance keeps. A slow
    /// start with a recovery of its own sets others, and no larger window than before.
    fn on_reduction(&mut self, _reduction: &Reduction, _window: &mut Window) {}

    /// The sender starts again after idleness.
    fn on_idle_restart(&mut self) {}

    /// True if it may set a rate: [`Needs::pacing`](crate::Needs::pacing).
    fn paces(&self) -> bool {
        false
    }

    /// The rate to space packets at, under this window in packets; none if they leave as the window allows.
    fn pacing_rate(&self, _cwnd: f64) -> Option<PacketRate> {
        None
    }

    /// The size of segments changed: multiplies by `ratio` all windows, rates and counts in packets that were measured,
    /// so that their bytes stay equal. Parameters stay as they are.
    fn scale(&mut self, ratio: f64);

    /// Shows internal quantities by name.
    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}
