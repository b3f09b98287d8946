//! Congestion avoidance: how the window moves at and above the threshold, and how far a congestion
//! signal reduces it.
//!
//! To add one: a file here with the type and its registry entry, a line in each of the two lists below.

mod above_window;
mod bic;
mod bic_linux;
mod compound;
mod cubic;
mod cubic_linux;
mod dctcp;
mod fast;
mod hetcp;
mod hstcp;
mod htcp;
mod htcp_linux;
mod hybla;
mod illinois;
mod illinois_linux;
mod ledbat;
mod lp;
mod lp_linux;
mod reno;
mod scalable;
mod scalable_linux;
mod sctp;
mod vegas;
mod vegas_linux;
mod veno;
mod veno_linux;
mod westwood;
mod whole_packets;
mod yeah;

pub use above_window::AboveWindow;
pub(crate) use hybla::{NormalizedRtt, RTT0};
pub(crate) use whole_packets::WholePackets;

use crate::algorithms::algorithms;

algorithms! {
    avoidance:
    bic::Bic,
    bic_linux::BicLinux,
    compound::Compound,
    cubic::Cubic,
    cubic_linux::CubicLinux,
    dctcp::Dctcp,
    fast::Fast,
    hetcp::HeTcp,
    hstcp::Hstcp,
    htcp::Htcp,
    htcp_linux::HtcpLinux,
    hybla::Hybla,
    illinois::Illinois,
    illinois_linux::IllinoisLinux,
    ledbat::Ledbat,
    lp::Lp,
    lp_linux::LpLinux,
    reno::Reno,
    scalable::Scalable,
    scalable_linux::ScalableLinux,
    sctp::Sctp,
    vegas::Vegas,
    vegas_linux::VegasLinux,
    veno::Veno,
    veno_linux::VenoLinux,
    westwood::Westwood,
    yeah::Yeah,
}
