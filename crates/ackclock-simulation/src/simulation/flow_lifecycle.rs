//! The lifecycle of flows that send one file: they are made on arrival, and folded into their row when they are over.

use std::sync::Arc;

use ackclock_application::Action;
use ackclock_scenario::FlowIdentity;
use ackclock_transport::Transfer;
use ackclock_units::{Bytes, Time};

use crate::facts::counts::Baseline;
use crate::flows::TcpFlow;
use crate::flows::sharing::{Inheritance, InheritedState};
use crate::simulation::Simulation;
use crate::simulation::arrivals::Arriving;
use crate::summary::measured::{Measured, Measuring};

impl Simulation {
    /// Makes the endpoints and the socket of a flow that arrives.
    #[cold]
    #[inline(never)]
    pub(crate) fn arrive(&mut self, flow: u32) {
        let arrived = self.arrivals.to_come.pop();
        debug_assert_eq!(arrived, Some(flow));
        self.arrivals.schedule(&self.infos, &mut self.engine.events);
        let index = flow as usize;
        let (info, stop) = (self.infos.get(index), self.infos.common(index).stop);
        let routes = self.routes_between(flow, info.source, info.destination);
        let fast_open = self.arrivals.group(index, &self.infos).is_some_and(|group| group.settings.fast_open);
        let cookie = self.cookie(info.source, info.destination, fast_open);
        let Some(group) = self.arrivals.group(index, &self.infos) else { return };
        let names = self.infos.names();
        let payload = Bytes::new(u64::from(group.settings.mss));
        let (seed, name) = (self.arrivals.seed, names.get(index));
        let identity = FlowIdentity { seed, name, start: info.start, payload };
        (group.install)(&identity).start(&mut self.actions);
        let mut transfer = Transfer { start: Time::MAX, stop, packets: Some(1) };
        for action in self.actions.drain(..) {
            let Action::Open { at: start, packets, stop, .. } = action else {
                unreachable!("one file is opened and nothing else")
            };
            transfer = Transfer { start, stop, packets };
        }
        self.sockets.add(index, group.socket_config, transfer.start, transfer.packets.unwrap_or_default());
        let Arriving { settings, recovery, controller, header, .. } = group;
        let (settings, recovery, header) = (Arc::clone(settings), *recovery, *header);
        let usual = Inheritance { controller: controller.clone(), state: InheritedState::default() };
        let Inheritance { controller, state } = self.inherit(flow, transfer.packets).unwrap_or(usual);
        let mut endpoints = TcpFlow::new(&settings, recovery, controller, transfer, routes, header);
        endpoints.take_over(state);
        endpoints.sender.keep_cookie(cookie);
        self.flows.begin(flow, endpoints);
        self.flows.get_mut(index).first_wake();
    }

    /// Retires a flow whose transfer is over and which is not called again. It continues to acknowledge, and stays
    /// until none of its packets is in the network and none of its timers runs. Flows retired earlier that have
    /// reached this state are folded.
    #[cold]
    #[inline(never)]
    pub(crate) fn retire(&mut self, flow: u32) {
        if self.arrivals.group(flow as usize, &self.infos).is_none() {
            return;
        }
        self.arrivals.closing.push_back(flow);
        // Retires two per arrival, so that slow flows do not accumulate.
        for _ in 0..2 {
            let Some(flow) = self.arrivals.closing.pop_front() else { return };
            if self.is_recorded(flow) {
                self.fold(flow);
            } else {
                self.arrivals.closing.push_back(flow);
            }
        }
    }

    /// True if a flow that is over is so for good, and its samples have told of it.
    fn is_recorded(&self, flow: u32) -> bool {
        let (index, recorder) = (flow as usize, &self.engine.recorder);
        self.flows.is_quiet(flow, recorder.dropped(index))
            && recorder.is_told(index, self.flows.get(index).snapshot(self.engine.now).arrived)
    }

    /// Writes the row of a flow that is over, and removes everything else of it.
    fn fold(&mut self, flow: u32) {
        let index = flow as usize;
        let counts = self.sockets.total(index, &self.flows.get(index).snapshot(self.engine.now));
        // It is over before the warm-up ends, so these are its counts at that time.
        let over = || Baseline::from(counts);
        let before = self.at_warm_up.as_ref().map_or_else(over, |baselines| baselines.of(index));
        self.write_row(index, before);
        self.engine.recorder.fold(&counts);
        self.sockets.remove(index);
        self.flows.fold(flow);
    }

    /// Writes the rows of the flows that are present at the end of the run, and of those that have not arrived.
    pub(crate) fn write_rows(&mut self) {
        for flow in 0..self.flows.len() {
            if self.flows.is_there(flow as u32) {
                let before = self.at_warm_up.as_ref().map(|baselines| baselines.of(flow));
                self.write_row(flow, before.unwrap_or_default());
            } else if self.flows.is_to_come(flow as u32) {
                self.rows.write(flow, &Measured::nothing());
            }
        }
    }

    fn write_row(&mut self, flow: usize, before: Baseline) {
        let Simulation { infos, flows, sockets, warm_up, engine, .. } = self;
        let endpoints = flows.get(flow);
        let measuring =
            Measuring { flow, endpoints, infos, sockets, before, warm_up: *warm_up, now: engine.now };
        self.rows.write(flow, &measuring.measured());
    }
}
