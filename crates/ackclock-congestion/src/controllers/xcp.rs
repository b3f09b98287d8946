//! The explicit control protocol: the routers of the path say by how much the throughput changes.
//!
//! Every packet declares the flow's round-trip time and the time between its packets. It returns with the change that
//! the tightest router grants. The window follows: `cwnd = max(cwnd + feedback * RTT, 1)` (draft-falk-xcp-spec-03, 3.1;
//! Katabi et al.,
//! 3.3). Each packet carries a part of a change, and a window of packets the whole.
//!
//! Losses are rare. As in standard TCP, a loss halves the window, and a timeout leaves one packet. While growth is
//! suspended after a loss, increases are left out; the routers see the unused capacity and grant it anew.
//!
//! On a path without XCP queues nothing would limit a sender, and the sources do not mention such paths. The sender
//! recognises one because no router has lowered its request, and behaves as standard TCP (RFC 5681).

use ackclock_catalogue::{Entry, Values};
use ackclock_units::PacketRate;

use crate::avoidance::Reno;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Start};
use crate::slow_start::Standard;
use crate::windowed::Windowed;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "xcp",
    title: "the sender of the explicit control protocol: the window follows what routers grant",
    source: "draft-falk-xcp-spec-03; Katabi, Handley and Rohrs, SIGCOMM 2002",
    parameters: &[],
    ..Entry::PLAIN
};

/// The algorithm, which has no parameters.
pub(crate) fn make(_: &Values, start: &Start) -> Xcp {
    Xcp::new(start)
}

/// A window that follows the feedback of routers, or standard TCP's rules without it.
#[derive(Clone, Debug)]
pub struct Xcp {
    tcp: Windowed<Standard, Reno>,
    /// The feedback of the last acknowledgment, in packets per second.
    feedback: f64,
}

impl Xcp {
    /// Begins with the window of `start`.
    pub fn new(start: &Start) -> Xcp {
        Xcp { tcp: Windowed::new(start, Standard::default(), Reno::default()), feedback: 0.0 }
    }
}

impl CongestionControl for Xcp {
    fn needs(&self) -> Needs {
        Needs { explicit_feedback: true, ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let Some(PacketRate(feedback)) = ack.feedback else { return self.tcp.on_ack(ack) };
        self.feedback = feedback;
        let change = feedback * ack.srtt.as_secs_f64();
        if change < 0.0 || !ack.suspended {
            self.tcp.change(change);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        self.tcp.on_congestion(event)
    }

    fn ssthresh(&self) -> f64 {
        self.tcp.ssthresh()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.tcp.on_event(event)
    }

    fn decision(&self) -> Decision {
        self.tcp.decision()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("xcp_feedback_packets_per_second", self.feedback);
    }
}
