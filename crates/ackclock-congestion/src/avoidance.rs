//! Congestion avoidance: how the window moves from the threshold on, and what a congestion signal leaves of it.

mod above_window;
mod bic;
mod compound;
mod cubic;
mod dctcp;
mod fast;
mod hetcp;
mod hstcp;
mod htcp;
mod reno;
mod scalable;
mod vegas;
mod westwood;

pub use above_window::AboveWindow;
pub use bic::Bic;
pub use compound::Compound;
pub use cubic::Cubic;
pub use dctcp::Dctcp;
pub use fast::Fast;
pub use hetcp::HeTcp;
pub use hstcp::Hstcp;
pub use htcp::Htcp;
pub use reno::Reno;
pub use scalable::Scalable;
pub use vegas::Vegas;
pub use westwood::Westwood;

use crate::control::{CongestionControl, Start};
use crate::facts::{Ack, Congestion};
use crate::registry::Entry;
use crate::slow_start::SlowStart;
use crate::windowed::{Window, Windowed};

/// The part most congestion-control algorithms consist of.
///
/// To add one: a file here with the type and its registry entry, a line in each of the two lists below.
pub trait Avoidance: Clone + Send {
    /// Learns from every acknowledgment, in either phase and while growth is suspended. It may move the threshold;
    /// the window moves in [`adjust`](Self::adjust). There are no samples in it ([`Ack::rate`], [`Ack::loss`]): see
    /// [`CongestionControl::is_window_only`].
    fn measure(&mut self, _ack: &Ack, _window: &mut Window) {}

    /// Moves the window, up or down, on an acknowledgment that may grow it and finds it at or above the threshold.
    /// A rule that takes the window below the threshold re-enters slow start unless it takes the threshold along.
    fn adjust(&mut self, ack: &Ack, window: &mut Window);

    /// A congestion episode begins while `used` packets are in use: the window in packets to keep, which becomes
    /// the threshold. `used` is the congestion window or what is in flight, whichever is smaller.
    fn back_off(&mut self, event: &Congestion, used: f64) -> f64;

    /// Packets that may be in the network beside [`Window::cwnd`]: Compound TCP's second, delay-based window. It takes
    /// no part in the choice of the phase.
    fn delay_window(&self) -> f64 {
        0.0
    }

    /// The sender starts again after idleness: what it may send is the restart window, and no delay window beside it.
    fn on_idle_restart(&mut self) {}

    /// The most packets that one acknowledgment counts for, as [`Reno::limit`]. [`AboveWindow`] holds standard TCP
    /// to it too, so that an algorithm counts alike on both sides of its threshold.
    fn limit(&self) -> f64 {
        1.0
    }

    /// Whether it has to know how many packets were marked: [`Ack::ce_marked`].
    fn needs_accurate_ecn(&self) -> bool {
        false
    }

    /// Shows internal quantities by name.
    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

/// The registry's avoidances.
pub(crate) const ENTRIES: &[Entry] = &[
    bic::ENTRY,
    compound::ENTRY,
    cubic::ENTRY,
    dctcp::ENTRY,
    fast::ENTRY,
    hetcp::ENTRY,
    hstcp::ENTRY,
    htcp::ENTRY,
    reno::ENTRY,
    scalable::ENTRY,
    vegas::ENTRY,
    westwood::ENTRY,
];

macro_rules! any_avoidance {
    ($($algorithm:ident($type:ty)),+) => {
        /// Any of the avoidances, as the registry makes them.
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "each variant is the type of that name")]
        pub enum AnyAvoidance {
            $($algorithm($type)),+
        }

        impl AnyAvoidance {
            /// The controller that has it above the threshold, as a type of its own: it takes the room that this one
            /// avoidance needs, not that of the largest, and a call to it needs no look at a tag.
            pub(crate) fn above<S: SlowStart + 'static>(
                self,
                start: &Start,
                slow_start: S,
            ) -> Box<dyn CongestionControl> {
                match self { $(Self::$algorithm(inner) => Box::new(Windowed::new(start, slow_start, inner))),+ }
            }
        }
    };
}

any_avoidance!(
    Bic(AboveWindow<Bic>),
    Compound(Compound),
    Cubic(Cubic),
    Dctcp(Dctcp),
    Fast(Fast),
    HeTcp(HeTcp),
    Hstcp(AboveWindow<Hstcp>),
    Htcp(Htcp),
    Reno(Reno),
    Scalable(AboveWindow<Scalable>),
    Vegas(Vegas),
    Westwood(Westwood)
);
