//! Packets on their way to a link direction that need no event for getting there.
//!
//! Where packets come from links that never lose or reorder them, their arrivals are known when they set out. What a
//! link direction does with one shows nowhere before that packet, or one behind it, reaches the far end, a propagation
//! delay later at the least. So it may be let in late: all that have come within a propagation delay are taken in order
//! of their arrival by one event, each as of its own time. Whoever looks in between lets in what has come first. Where a
//! link direction has no delay, that of the next will do, if packets pass through to it without waiting there.

use std::mem;

use ackclock_units::{Duration, Time};

use crate::LinkId;
use crate::pipe::SlotId;
use crate::routes::Routes;

/// A packet, and when it reaches the entrance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingArrival {
    pub(crate) time: Time,
    pub(crate) slot: SlotId,
}

/// The packets on their way to one link direction, in the order in which they set out.
#[derive(Clone, Debug)]
pub(crate) struct IngressBuffer {
    coming: Vec<PendingArrival>,
    /// Whether that is the order in which they arrive, too.
    in_order: bool,
    /// The event at which they are to be let in; [`Time::MAX`] for none.
    due: Time,
    /// How long after its arrival a packet may be let in.
    slack: Duration,
}

impl Default for IngressBuffer {
    fn default() -> IngressBuffer {
        IngressBuffer { coming: Vec::new(), in_order: true, due: Time::MAX, slack: Duration::ZERO }
    }
}

impl IngressBuffer {
    pub(crate) fn set_slack(&mut self, slack: Duration) {
        self.slack = slack;
    }

    pub(crate) fn coming(&self) -> &[PendingArrival] {
        &self.coming
    }

    /// A packet sets out. When an event is to let it in, if there is none early enough.
    #[inline]
    pub(crate) fn expect(&mut self, packet: PendingArrival) -> Option<Time> {
        self.in_order &= self.coming.last().is_none_or(|last| last.time <= packet.time);
        self.coming.push(packet);
        self.due_by(packet.time)
    }

    /// Whether the event that fires now is the one waited for, and not one that an earlier has replaced.
    pub(crate) fn fires(&mut self, now: Time) -> bool {
        let current = self.due == now;
        if current {
            self.due = Time::MAX;
        }
        current
    }

    /// Takes all of them out, and says how many have come by `until`; they are the first. Of those that come at one time,
    /// the first to set out is first.
    pub(crate) fn take(&mut self, until: Time) -> (Vec<PendingArrival>, usize) {
        let mut coming = mem::take(&mut self.coming);
        if !self.in_order {
            coming.sort_by_key(|packet| packet.time);
            self.in_order = true;
        }
        let count = coming.partition_point(|packet| packet.time <= until);
        (coming, count)
    }

    /// Puts back those that have not been let in. When an event is to let them in, if there is none early enough.
    pub(crate) fn put_back(&mut self, coming: Vec<PendingArrival>) -> Option<Time> {
        debug_assert!(self.coming.is_empty(), "no packet comes where it is let in");
        self.coming = coming;
        let next = self.coming.first()?.time;
        self.due_by(next)
    }

    /// When an event is to let in a packet that comes at this time, if there is none early enough.
    #[inline]
    fn due_by(&mut self, coming: Time) -> Option<Time> {
        let deadline = coming + self.slack;
        let earlier = deadline < self.due;
        if earlier {
            self.due = deadline;
        }
        earlier.then_some(deadline)
    }
}

/// Which link directions nothing enters but what comes from others, all of which `may_send_ahead`.
pub(crate) fn entered_from(
    routes: &Routes,
    links: usize,
    may_send_ahead: impl Fn(LinkId) -> bool,
) -> Vec<bool> {
    let mut entered = vec![false; links];
    let mut open = vec![false; links];
    for route in routes.all() {
        open[route[0] as usize] = true;
        for hop in route.windows(2) {
            entered[hop[1] as usize] = true;
            open[hop[1] as usize] |= !may_send_ahead(LinkId(hop[0]));
        }
    }
    entered.into_iter().zip(open).map(|(entered, open)| entered && !open).collect()
}
