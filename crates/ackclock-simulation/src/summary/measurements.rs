//! The state of a run at its end, from which its tables are made.

use ackclock_scenario::Epoch;
use ackclock_units::Time;

use crate::engine::processing::HostProcessing;
use crate::facts::Network;
use crate::facts::counts::Baselines;
use crate::facts::flow_infos::FlowInfos;
use crate::flows::Flows;
use crate::flows::sockets::Sockets;
use crate::recording::films::FilmRecords;
use crate::recording::recorder::Recorder;
use crate::recording::responses::ResponseRecords;
use crate::recording::user_records::UserRecords;
use crate::summary::flow_rows::FlowRows;
use crate::summary::measured::{Measured, Measuring};

/// Everything from which the tables of a run are made.
pub(crate) struct Measurements {
    pub network: Network,
    pub flows: Flows,
    pub infos: FlowInfos,
    pub sockets: Sockets,
    pub users: UserRecords,
    pub responses: ResponseRecords,
    pub films: FilmRecords,
    pub recorder: Recorder,
    pub processing: HostProcessing,
    /// The end of the run, and the end of its warm-up.
    pub now: Time,
    pub warm_up: Time,
    /// The counts of the flows at the end of the warm-up.
    pub at_warm_up: Baselines,
    /// The rows of all flows.
    pub rows: FlowRows,
    /// The spans over which departures are counted, if they are.
    pub epoch: Option<Epoch>,
    pub event_count: u64,
}

impl Measurements {
    /// The measurements of a flow over all its connections.
    pub fn measured(&self, flow: usize) -> Measured {
        let before = self.at_warm_up.of(flow);
        let Measurements { infos, sockets, warm_up, now, .. } = self;
        let endpoints = self.flows.get(flow);
        let measuring = Measuring { flow, endpoints, infos, sockets, before, warm_up: *warm_up, now: *now };
        measuring.measured()
    }
}
