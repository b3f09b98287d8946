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

use crate::algorithms::algorithms;

algorithms! {
    avoidance:
    bic::Bic,
    compound::Compound,
    cubic::Cubic,
    dctcp::Dctcp,
    fast::Fast,
    hetcp::HeTcp,
    hstcp::Hstcp,
    htcp::Htcp,
    reno::Reno,
    scalable::Scalable,
    vegas::Vegas,
    westwood::Westwood,
}
