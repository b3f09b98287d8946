//! State that spans connections: the histories of the pairs of hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{CongestionControl, Macroflow, Start};
use ackclock_transport::tcp::{PathState, Settings, Sharing};
use ackclock_units::Duration;

/// The weight of a connection's window in the estimate of its domain.
const DOMAIN_GAIN: f64 = 0.25;

/// What the flows of a group share state by.
#[derive(Clone)]
pub(crate) struct GroupSharing {
    pub sharing: Sharing,
    pub spec: ControllerSpec,
    pub start: Start,
    /// Their settings without a handshake.
    pub established: Arc<Settings>,
}

/// What a connection begins with in place of what its group says.
pub(crate) struct Inheritance {
    pub controller: Box<dyn CongestionControl>,
    /// SRTT and RTTVAR.
    pub rtt: Option<(Duration, Duration)>,
    /// Settings of its own.
    pub settings: Option<Arc<Settings>>,
}

/// The connections between two hosts.
#[derive(Default)]
pub(crate) struct Pair {
    pub latest: Option<PathState>,
    /// The flows that may be open.
    pub open: BTreeSet<u32>,
    /// Those of them that the macroflow has.
    pub joined: BTreeSet<u32>,
    pub macroflow: Option<Macroflow>,
}

/// The histories of all pairs of hosts between which connections share state.
#[derive(Default)]
pub(crate) struct SharedPaths {
    /// By the number of the facts that flows share.
    groups: Vec<Option<GroupSharing>>,
    /// By the nodes of the sender and the receiver.
    pub pairs: BTreeMap<(usize, usize), Pair>,
    /// The estimate of a connection's window over all pairs, in packets.
    pub domain_window: Option<f64>,
}

impl SharedPaths {
    /// Adds a group by the number of the facts that its flows share.
    pub fn add_group(&mut self, common: u32, group: GroupSharing) {
        self.groups.resize_with((common as usize + 1).max(self.groups.len()), || None);
        self.groups[common as usize] = Some(group);
    }

    /// Whether any connections share state.
    pub fn is_used(&self) -> bool {
        !self.groups.is_empty()
    }

    pub fn group(&self, common: u32) -> Option<&GroupSharing> {
        self.groups.get(common as usize)?.as_ref()
    }

    /// A connection has ended with this state. A window that met no limit says that the share is as much at least.
    pub fn learn(&mut self, state: &PathState) {
        let met_limit = state.ssthresh.is_finite();
        self.domain_window = Some(match self.domain_window {
            None => state.cwnd,
            Some(known) if met_limit || state.cwnd > known => known + DOMAIN_GAIN * (state.cwnd - known),
            Some(known) => known,
        });
    }
}
