//! The explicit control protocol: the routers of the path say by how much the throughput changes.
//!
//! Every packet declares the flow's round-trip time and the time between its packets, and comes back with the change that the
//! tightest router grants. The window follows: `cwnd = max(cwnd + feedback * RTT, 1)` (draft-falk-xcp-spec-03, 3.1; Katabi et al.,
//! 3.3). A packet carries its part of a change, so that a window of them brings the whole.
//!
//! Losses are rare, and answered as by standard TCP: the window is halved, or is one packet after a timeout. While growth is
//! suspended for one, an increase is left out; the routers see the capacity that it leaves, and grant it anew.
//!
//! A path none of whose queues speaks XCP would grant a sender all that it asks for; the sources say nothing of it. The sender
//! notices such a path, since no router has lowered what the packet asks for, and is standard TCP (RFC 5681) on it.

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

/// A window by the feedback of routers, or by standard TCP's rules where there is none.
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
