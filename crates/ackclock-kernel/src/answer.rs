//! The numbers that the kernel gets: whole packets and bytes per second.

use ackclock_congestion::{CongestionControl, Decision};

/// The kernel's "no threshold" (`TCP_INFINITE_SSTHRESH`).
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// A window and a threshold in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The window, of at least one packet.
    pub cwnd: u32,
    /// The slow-start threshold.
    pub ssthresh: u32,
}

impl Windows {
    /// The windows of a controller, in whole packets.
    pub(crate) fn of(controller: &dyn CongestionControl) -> Windows {
        let whole = |packets: f64| packets.clamp(1.0, f64::from(NO_THRESHOLD)) as u32;
        Windows { cwnd: whole(controller.decision().cwnd), ssthresh: whole(controller.ssthresh()) }
    }
}

/// The windows and the rate that the kernel applies until the next acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The window and the threshold now.
    pub now: Windows,
    /// The windows after a loss, if one comes next.
    pub after_loss: Windows,
    /// The windows after a mark, if the connection uses ECN.
    pub after_mark: Option<Windows>,
    /// The window after idleness, if nothing is in flight.
    pub idle_cwnd: Option<u32>,
    /// The pacing rate in bytes per second.
    pub pacing: Option<u64>,
}

/// Converts the kernel's threshold to packets.
pub(crate) fn threshold(packets: u32) -> f64 {
    if packets >= NO_THRESHOLD { f64::INFINITY } else { f64::from(packets.max(1)) }
}

/// The pacing rate in bytes of payload per second, the unit of the kernel's pacing.
pub(crate) fn pacing(decision: &Decision, mss: u32) -> Option<u64> {
    decision.pacing_rate.map(|rate| ((rate.0 * f64::from(mss)) as u64).max(1))
}
