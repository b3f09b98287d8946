//! State that spans connections: the histories of the pairs of hosts.

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Macroflow, MemberNumber, Start};
use ackclock_memory::ByKey;
use ackclock_transport::Transfer;
use ackclock_transport::tcp::{ConnectionCount, CountCache, PathState, Session, SessionMember, Sharing};
use ackclock_units::Duration;

/// The weight of a connection's window in the estimate of its domain.
const DOMAIN_GAIN: f64 = 0.25;

/// How the flows of a group share state.
#[derive(Clone)]
pub(crate) struct GroupSharing {
    pub sharing: Sharing,
    /// The weight of each in a macroflow.
    pub weight: f64,
    pub spec: ControllerSpec,
    pub start: Start,
}

/// The state with which a connection begins, instead of its group's settings.
pub(crate) struct Inheritance {
    pub controller: Box<dyn CongestionControl>,
    pub state: InheritedState,
}

/// The state that a connection takes over from earlier ones, or shares with others, in addition to its
/// controller.
#[derive(Default)]
pub(crate) struct InheritedState {
    /// SRTT and RTTVAR.
    pub rtt: Option<(Duration, Duration)>,
    /// Its connection count, if it is a transaction.
    pub count: Option<ConnectionCount>,
    /// Its membership in a session, whose connections report losses to each other.
    pub session: Option<SessionMember>,
    /// The first window in packets, if it is on trial, and the controller of a connection that takes nothing over.
    pub trial: Option<(f64, Box<dyn CongestionControl>)>,
}

/// The connections between two hosts.
#[derive(Default)]
pub(crate) struct Pair {
    pub latest: Option<PathState>,
    /// The flows that may be open.
    pub open: ByKey<u32, ()>,
    /// The open flows that have joined the macroflow, with their numbers there.
    pub joined: ByKey<u32, MemberNumber>,
    pub macroflow: Option<Macroflow>,
    pub session: Session,
    /// True if the client host has sent a connection count.
    is_counted: bool,
    count_cache: CountCache,
}

/// The histories of all pairs of hosts between which connections share state.
#[derive(Default)]
pub(crate) struct SharedPaths {
    /// By the number of the facts that flows share.
    groups: Vec<Option<GroupSharing>>,
    /// By the nodes of the sender and the receiver.
    pub pairs: ByKey<(usize, usize), Pair>,
    /// The estimate of a connection's window over all pairs, in packets.
    pub domain_window: Option<f64>,
    /// The first transfers of the flows that were made at the beginning of the run and have not started. The others
    /// may learn something until then.
    pub first: ByKey<u32, Transfer>,
    /// The transactions that each host has opened.
    counts: ByKey<usize, u32>,
}

impl Pair {
    /// The controller of a flow that joins the macroflow with a weight and, if it adapts, the packets per second that
    /// it can use. `make` makes the controller of a new macroflow.
    pub fn join(
        &mut self,
        flow: u32,
        (weight, usable): (f64, f64),
        make: impl FnOnce() -> Box<dyn CongestionControl>,
    ) -> Box<dyn CongestionControl> {
        let (number, controller) =
            self.macroflow.get_or_insert_with(|| Macroflow::new(make())).join_adaptive(weight, usable);
        self.joined.insert(flow, number);
        controller
    }
}

impl SharedPaths {
    /// Adds a group by the number of the facts that its flows share.
    pub fn add_group(&mut self, common: u32, group: GroupSharing) {
        self.groups.resize_with((common as usize + 1).max(self.groups.len()), || None);
        self.groups[common as usize] = Some(group);
    }

    /// True if any connections share state.
    pub fn is_used(&self) -> bool {
        !self.groups.is_empty()
    }

    pub fn group(&self, common: u32) -> Option<&GroupSharing> {
        self.groups.get(common as usize)?.as_ref()
    }

    /// The connection count of a transaction that is opened between two hosts.
    pub fn count(&mut self, (client, server): (usize, usize)) -> ConnectionCount {
        let opened = self.counts.entry(client);
        *opened += 1;
        let pair = self.pairs.entry((client, server));
        let is_known = std::mem::replace(&mut pair.is_counted, true);
        ConnectionCount::new(*opened, is_known, &pair.count_cache)
    }

    /// Learns from a connection that ended with this window in packets. If it met no limit, its share is at least
    /// that large.
    pub fn learn(&mut self, window: f64, met_limit: bool) {
        self.domain_window = Some(match self.domain_window {
            None => window,
            Some(known) if met_limit || window > known => known + DOMAIN_GAIN * (window - known),
            Some(known) => known,
        });
    }
}
