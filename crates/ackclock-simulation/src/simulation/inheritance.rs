//! The beginning and the end of connections that share state.

use ackclock_congestion::{ConstantRate, Start};
use ackclock_transport::Transfer;
use ackclock_transport::tcp::{History, PathState, Sharing};
use ackclock_units::Time;

use crate::flows::endpoints::{Connection, Endpoints};
use crate::flows::sharing::{GroupSharing, Inheritance, InheritedState};
use crate::simulation::Simulation;

/// The state of a connection, if it has measured a round-trip time.
fn state_of(endpoints: &dyn Endpoints) -> Option<PathState> {
    let gauges = endpoints.gauges()?;
    let state =
        PathState { cwnd: gauges.cwnd, ssthresh: gauges.ssthresh, srtt: gauges.srtt, rttvar: gauges.rttvar };
    (!gauges.srtt.is_zero()).then_some(state)
}

impl Simulation {
    /// The state with which a new connection of `packets` packets begins, if its group shares state.
    pub(crate) fn inherit(&mut self, flow: u32, packets: Option<u64>) -> Option<Inheritance> {
        if !self.sharing.is_used() {
            return None;
        }
        let info = self.infos.get(flow as usize);
        let GroupSharing { sharing, weight, spec, start } = self.sharing.group(info.common)?.clone();
        let key = (info.source.index(), info.destination.index());
        let count = (sharing == Sharing::TTcp).then(|| self.sharing.count(key));
        let pair = self.sharing.pairs.entry(key);
        let others: Vec<u32> =
            pair.open.iter().map(|(other, ())| other).filter(|other| *other != flow).collect();
        let open: Vec<(u32, PathState)> = others
            .into_iter()
            .filter_map(|other| Some((other, self.flows.find(other as usize).filter(|end| end.is_open())?)))
            .filter_map(|(other, end)| Some((other, state_of(end)?)))
            .collect();
        let states: Vec<PathState> = open.iter().map(|(_, state)| *state).collect();
        let domain_window = self.sharing.domain_window;
        let history = History { latest: pair.latest, open: &states, domain_window };
        let begun = sharing.begin(&history, &start, packets);
        pair.open.insert(flow, ());
        let spec = match begun.saved {
            Some((window, rtt)) => spec.remembering(window, rtt),
            None => spec,
        };
        let trial = begun.on_trial.then(|| (begun.initial_window, spec.build(&start)));
        let start =
            Start { initial_window: begun.initial_window, initial_ssthresh: begun.initial_ssthresh, ..start };
        let session = (sharing == Sharing::TcpSession).then(|| pair.session.join(flow));
        let controller = if sharing.has_macroflow() {
            pair.join(flow, (weight, 0.0), || spec.build(&start))
        } else {
            spec.build(&start)
        };
        let controller = match begun.rate {
            Some(rate) => Box::new(ConstantRate::new(controller, rate)),
            None => controller,
        };
        if begun.others_keep < 1.0 {
            for (other, state) in open {
                self.flows
                    .get_mut(other as usize)
                    .limit_window(self.engine.now, begun.others_keep * state.cwnd);
            }
        }
        Some(Inheritance { controller, state: InheritedState { rtt: begun.rtt, count, session, trial } })
    }

    /// Notes the first transfer of a flow made at the beginning of the run, if its group shares state.
    pub(crate) fn expect_sharing(&mut self, flow: u32, transfer: Transfer) {
        let common = self.infos.get(flow as usize).common;
        if transfer.start < Time::MAX && self.sharing.group(common).is_some() {
            self.sharing.first.insert(flow, transfer);
        }
    }

    /// The first connection of a flow made at the beginning of the run starts: it takes over what others have learned
    /// until now.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_sharing(&mut self, flow: u32) {
        let Some(transfer) = self.sharing.first.remove(flow) else { return };
        let Some(Inheritance { controller, state }) = self.inherit(flow, transfer.packets) else { return };
        let (flows, mut context) = self.context(flow, self.flows.incarnation(flow));
        let connection = Connection { controller, transfer, persistent: false, state };
        flows.get_mut(flow as usize).open(connection, &mut context);
    }

    /// The transfer of a flow is over: others may take over what it has learned.
    pub(crate) fn bequeath(&mut self, flow: u32) {
        if !self.sharing.is_used() {
            return;
        }
        let info = self.infos.get(flow as usize);
        if self.sharing.group(info.common).is_none() {
            return;
        }
        let endpoints = self.flows.find(flow as usize);
        let state = endpoints.and_then(state_of);
        let counted = endpoints.map(|endpoints| endpoints.snapshot(self.engine.now).counters);
        let met_limit = counted.is_some_and(|counted| counted.fast_retransmits > 0 || counted.timeouts > 0);
        let pair = self.sharing.pairs.entry((info.source.index(), info.destination.index()));
        pair.latest = state.or(pair.latest);
        pair.open.remove(flow);
        if let (Some(macroflow), Some(number)) = (&pair.macroflow, pair.joined.remove(flow)) {
            macroflow.leave(number);
        }
        if let Some(state) = state {
            self.sharing.learn(state.cwnd, met_limit);
        }
    }
}
