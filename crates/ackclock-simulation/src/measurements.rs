//! The state of a run at its end, from which its tables are made.

use ackclock_units::Time;

use crate::flow_infos::FlowInfos;
use crate::flows::Flows;
use crate::flows::counts::{Baseline, Snapshot};
use crate::host::{HostProcessing, Sockets};
use crate::packet::Network;
use crate::responses::ResponseRecords;
use crate::scenario::Epoch;
use crate::trace::Recorder;
use crate::user_records::UserRecords;

/// All that a run leaves to be summed up.
pub(crate) struct Measurements {
    pub network: Network,
    pub flows: Flows,
    pub infos: FlowInfos,
    pub sockets: Sockets,
    pub users: UserRecords,
    pub responses: ResponseRecords,
    pub recorder: Recorder,
    pub processing: HostProcessing,
    /// The end of the run, and that of its warm-up.
    pub now: Time,
    pub warm_up: Time,
    /// The counts of the flows at the end of the warm-up.
    pub at_warm_up: Vec<Baseline>,
    /// The spans over which departures are counted, if they are.
    pub epoch: Option<Epoch>,
    pub event_count: u64,
}

impl Measurements {
    /// The counts of a flow over all its connections.
    pub fn snapshot(&self, flow: usize) -> Snapshot {
        self.sockets.total(flow, &self.flows.get(flow).snapshot(self.now))
    }
}
