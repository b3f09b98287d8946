//! Congestion avoidance: how the window moves from the threshold on, and what a congestion signal leaves of it.
//!
//! To add one: a file here with the type and its registry entry, a line in each of the two lists below.

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
use crate::registry::Entry;
use crate::windowed::{SlowStart, Windowed};

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
