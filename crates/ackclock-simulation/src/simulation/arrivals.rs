//! The flows that are made on arrival: those that have not arrived yet, and those that are over.

use std::collections::VecDeque;
use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_network::EventList;
use ackclock_scenario::Install;
use ackclock_transport::tcp::{self, Settings};

use crate::engine::event::Event;
use crate::facts::End;
use crate::facts::flow_infos::FlowInfos;

/// The properties shared by the flows of a group that are made on arrival: TCP connections that each send
/// one file.
pub(crate) struct Arriving {
    pub settings: Arc<Settings>,
    pub recovery: tcp::Recovery,
    /// The controller with which each of them begins.
    pub controller: Box<dyn CongestionControl>,
    /// Header bytes on the wire.
    pub header: u32,
    /// Makes their applications.
    pub install: Install,
    /// The number of their sockets' configuration.
    pub socket_config: u32,
}

impl Arriving {
    /// Bytes on the wire of a full segment and of an acknowledgment.
    pub fn sizes(&self) -> (u32, u32) {
        (self.header + u32::from(self.settings.mss), self.header)
    }
}

/// The flows that have not arrived yet, and those that are over but not folded.
///
/// One event at a time is pending: that of the next arrival.
#[derive(Default)]
pub(crate) struct Arrivals {
    pub seed: u64,
    /// By the number of the facts that the flows share.
    groups: Vec<Option<Arriving>>,
    /// The flows that have not arrived yet, the next one last.
    pub to_come: Vec<u32>,
    /// The order of the start of flow 0 among events of the same time; the starts of the other flows follow.
    first_order: u64,
    /// Flows whose transfer is over, but which may still have packets or timers.
    pub closing: VecDeque<u32>,
}

impl Arrivals {
    /// No flows yet, for a run with this seed.
    pub fn new(seed: u64) -> Arrivals {
        Arrivals { seed, ..Arrivals::default() }
    }

    /// Adds a group by the number of the facts that its flows share.
    pub fn add_group(&mut self, common: u32, group: Arriving) {
        self.groups.resize_with(common as usize, || None);
        self.groups.push(Some(group));
    }

    /// The group of a flow, if it is made on arrival.
    pub fn group(&self, flow: usize, infos: &FlowInfos) -> Option<&Arriving> {
        self.groups.get(infos.get(flow).common as usize)?.as_ref()
    }

    /// Adds a flow that will arrive later.
    pub fn add(&mut self, flow: u32) {
        self.to_come.push(flow);
    }

    /// True if a flow is the next to arrive.
    pub fn is_next(&self, flow: u32) -> bool {
        self.to_come.last() == Some(&flow)
    }

    /// Schedules the first arrival. The start of flow `n` has the `n`th order from `first_order` on.
    pub fn begin(&mut self, first_order: u64, infos: &FlowInfos, events: &mut EventList) {
        self.first_order = first_order;
        self.to_come.sort_unstable_by_key(|flow| std::cmp::Reverse((infos.get(*flow as usize).start, *flow)));
        self.to_come.shrink_to_fit();
        self.schedule(infos, events);
    }

    /// Schedules the next arrival.
    pub fn schedule(&self, infos: &FlowInfos, events: &mut EventList) {
        if let Some(&flow) = self.to_come.last() {
            let start = infos.get(flow as usize).start;
            let order = self.first_order + u64::from(flow);
            Event::Timer { flow, end: End::Sender }.schedule_in_order(start, order, events);
        }
    }
}
