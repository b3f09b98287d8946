//! Standard TCP's rule, gentler at small windows and continued below one packet. It is our own, for the problem posed
//! in Chen, Iyengar, Subramanian and Ford, "TCP Behavior in Sub-Packet Regimes".
//!
//! Standard TCP adds a packet in every round trip. Where losses are independent with probability `p` it settles at about
//! `sqrt(2 / p)` packets, which is above one for any `p`. It has no window for a share of less than a packet per round
//! trip, so only timeouts lower its rate that far. Here an acknowledged packet adds no more than at a window of
//! `gentle_below`; Below that, the window settles at `2 (1 - p) / (p gentle_below)`, which falls below one packet as
//! `p` grows. The increase remains a smaller part of a larger window, so there is one equilibrium.
//!
//! Small windows are paced: one packet every `srtt / cwnd`; below one packet, the window means nothing else. A timeout
//! halves the window like any loss, instead of the timer's exponential back-off.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate};

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};
use crate::windowed::Window;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "subpacket",
    title: "Standard TCP made gentler at small windows, with windows below one packet as a paced rate",
    source: "ours; the problem is that of Chen et al., TCP Behavior in Sub-Packet Regimes",
    parameters: &[
        Parameter::new(
            "gentle_below",
            Unit::Packets,
            16.0,
            (1.0, 1e6),
            "window below which the growth per acknowledgment is as at this window, and packets are paced",
        ),
        Parameter::new(
            "least",
            Unit::Packets,
            1.0 / 64.0,
            (1e-4, 1.0),
            "the least window; its inverse is the longest wait between packets in round trips",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> SubPacket {
    SubPacket::new(start, values.get("gentle_below"), values.get("least"))
}

/// The round-trip time to pace by while none is known: the initial timeout of RFC 6298, 2.1.
const UNKNOWN_RTT: Duration = Duration::from_secs(1);

/// Additive increase that stops growing at small windows, multiplicative decrease by half, down to a part of a packet.
#[derive(Clone, Debug)]
pub struct SubPacket {
    gentle_below: f64,
    least: f64,
    /// The largest window of a restart, in packets.
    restart_window: f64,
    window: Window,
    srtt: Duration,
    /// The window before the last episode.
    before: Option<Window>,
}

impl SubPacket {
    /// Begins with the window of `start`; see the registry's entry for the parameters.
    pub fn new(start: &Start, gentle_below: f64, least: f64) -> SubPacket {
        SubPacket {
            gentle_below,
            least,
            restart_window: start.restart_window,
            window: Window { cwnd: start.initial_window, ssthresh: start.initial_ssthresh },
            srtt: UNKNOWN_RTT,
            before: None,
        }
    }
}

impl CongestionControl for SubPacket {
    fn needs(&self) -> Needs {
        Needs { pacing: true, recovery: Some("rack"), ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        if !ack.srtt.is_zero() {
            self.srtt = ack.srtt;
        }
        if !ack.may_grow() {
            return self.decision();
        }
        let Window { cwnd, ssthresh } = self.window;
        // Eq. 2 and 3 of RFC 5681.
        let counted = ack.counted(1.0);
        self.window.cwnd = if cwnd < ssthresh {
            (cwnd + counted).min(ssthresh)
        } else {
            cwnd + counted / cwnd.max(self.gentle_below)
        };
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if !event.repeated {
            self.before = Some(self.window);
        }
        let kept = (self.window.cwnd.min(event.flight) / 2.0).max(self.least);
        let restart = event.restart || event.signal == Signal::Timeout;
        let cwnd = if restart { kept.min(self.restart_window) } else { kept };
        self.window = Window { cwnd, ssthresh: kept };
        self.decision()
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => {
                if let Some(before) = self.before.take() {
                    self.window = Window { cwnd: before.cwnd.max(self.window.cwnd), ..before };
                }
            }
            Event::IdleRestart { restart_window } => {
                self.window.cwnd = self.window.cwnd.min(restart_window.max(self.least));
            }
            Event::NotValidated { window, ssthresh } => {
                self.window.limit((window, ssthresh), self.least);
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.window.scale(ratio, self.least);
                self.before.iter_mut().for_each(|window| window.scale(ratio, self.least));
            }
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        let cwnd = self.window.cwnd;
        let pacing_rate = (cwnd < self.gentle_below).then(|| PacketRate(cwnd / self.srtt.as_secs_f64()));
        Decision { cwnd, pacing_rate, wake: None }
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}
