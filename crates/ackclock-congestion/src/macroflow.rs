//! A macroflow: several flows under one congestion controller (RFC 3124).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::{Duration, Time};

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs};

/// A congestion controller that several flows share. The scheduler is weighted round robin (RFC 3124, 4.2 and 5.3) as a share of
/// the window: flows with more to send than their parts have parts in proportion to their weights, and what a flow leaves of its part
/// goes to the others. Each may have a packet at least.
///
/// A flow's part changes with its next call: another that joins or leaves meanwhile, or grows the window, is noticed then.
/// For controllers that count no round trips and set no rates of their own.
#[derive(Debug)]
pub struct Macroflow(Arc<Mutex<State>>);

/// The number of a flow among those that have joined a macroflow.
pub type MemberNumber = u64;

struct State {
    controller: Box<dyn CongestionControl>,
    members: BTreeMap<MemberNumber, Demand>,
    joined: MemberNumber,
    /// The latest congestion signal, and the smoothed round-trip time: one signal counts per round-trip time, since flows
    /// that lose packets in the same overflow report the same congestion.
    signalled: Option<Time>,
    srtt: Duration,
}

/// The demand of a flow, by which the scheduler divides the window.
#[derive(Clone, Copy, Debug)]
struct Demand {
    weight: f64,
    /// The packets that it has in the network, where it has no more to send; infinite where its part holds it back.
    packets: f64,
    /// The packets per second that it could use. The window grows by its acknowledgments without being full while its part gives
    /// less, since a source that sends below its part would never learn that there is more.
    usable: f64,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} members with {:?}", self.members.len(), self.controller.decision())
    }
}

impl State {
    /// The part of a flow as if it had more to send.
    fn part(&self, member: MemberNumber, window: f64) -> f64 {
        let Some(own) = self.members.get(&member) else { return window };
        let others = self.members.iter().filter(|(number, _)| **number != member).map(|(_, demand)| *demand);
        let mut others: Vec<Demand> = others.collect();
        others.sort_by(|one, other| (one.packets / one.weight).total_cmp(&(other.packets / other.weight)));
        let mut weights = own.weight + others.iter().map(|other| other.weight).sum::<f64>();
        let mut left = window;
        for other in others {
            if other.packets >= left * other.weight / weights {
                break;
            }
            left -= other.packets;
            weights -= other.weight;
        }
        left * own.weight / weights
    }

    /// True if the flow could use more than its part.
    fn could_use_more(&self, member: MemberNumber) -> bool {
        let usable = self.members.get(&member).map_or(0.0, |demand| demand.usable);
        usable > 0.0 && self.part(member, self.controller.decision().cwnd) < usable * self.srtt.as_secs_f64()
    }

    fn share(&self, member: MemberNumber) -> Decision {
        let decision = self.controller.decision();
        Decision { cwnd: self.part(member, decision.cwnd).max(1.0), ..decision }
    }
}

impl Macroflow {
    /// A macroflow without a flow yet.
    pub fn new(controller: Box<dyn CongestionControl>) -> Macroflow {
        Macroflow(Arc::new(Mutex::new(State {
            controller,
            members: BTreeMap::new(),
            joined: 0,
            signalled: None,
            srtt: Duration::ZERO,
        })))
    }

    /// The controller of one more flow, with this weight above zero, and its number.
    pub fn join(&self, weight: f64) -> (MemberNumber, Box<dyn CongestionControl>) {
        self.join_adaptive(weight, 0.0)
    }

    /// As [`join`](Self::join), for a flow that adapts to its part, up to this many packets per second. The
    /// window grows by its acknowledgments up to there, full or not (RFC 3124, 5.2, has no condition).
    pub fn join_adaptive(&self, weight: f64, usable: f64) -> (MemberNumber, Box<dyn CongestionControl>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.joined += 1;
        let number = state.joined;
        state.members.insert(number, Demand { weight, packets: f64::INFINITY, usable });
        drop(state);
        (number, Box::new(Member { number, state: Arc::clone(&self.0) }))
    }

    /// A flow is over.
    pub fn leave(&self, member: MemberNumber) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).members.remove(&member);
    }
}

/// One flow of a macroflow.
struct Member {
    number: MemberNumber,
    state: Arc<Mutex<State>>,
}

impl Member {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CongestionControl for Member {
    fn needs(&self) -> Needs {
        self.state().controller.needs()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let mut state = self.state();
        state.srtt = ack.srtt;
        if let Some(demand) = state.members.get_mut(&self.number) {
            demand.packets = if ack.window_limited { f64::INFINITY } else { ack.in_flight };
        }
        if ack.window_limited || !state.could_use_more(self.number) {
            state.controller.on_ack(ack);
        } else {
            state.controller.on_ack(&Ack { window_limited: true, ..*ack });
        }
        state.share(self.number)
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let mut state = self.state();
        let is_known = state.signalled.is_some_and(|at| signal.now.since(at) < state.srtt);
        if !is_known || signal.restart {
            state.signalled = Some(signal.now);
            // What is in flight of this flow is a part of the macroflow's.
            let flight = state.controller.decision().cwnd;
            state.controller.on_congestion(&Congestion { flight, ..*signal });
        }
        state.share(self.number)
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        let mut state = self.state();
        // While others send, the macroflow is not idle.
        if state.members.len() <= 1 || !matches!(event, Event::IdleRestart { .. }) {
            state.controller.on_event(event);
        }
        state.share(self.number)
    }

    fn decision(&self) -> Decision {
        self.state().share(self.number)
    }

    fn ssthresh(&self) -> f64 {
        self.state().controller.ssthresh()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let state = self.state();
        gauge("macroflow_cwnd", state.controller.decision().cwnd);
        gauge("macroflow_members", state.members.len() as f64);
    }
}

impl Clone for Member {
    /// A member of a copy of the whole macroflow, whose calls change nothing in the original.
    fn clone(&self) -> Member {
        let State { controller, members, joined, signalled, srtt } = &*self.state();
        let copy = State {
            controller: controller.clone(),
            members: members.clone(),
            joined: *joined,
            signalled: *signalled,
            srtt: *srtt,
        };
        Member { number: self.number, state: Arc::new(Mutex::new(copy)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Signal, Start};
    use crate::registry::ControllerSpec;

    fn macroflow(window: f64) -> Macroflow {
        let start = Start { initial_window: window, ..Start::default() };
        Macroflow::new(ControllerSpec::default().build(&start))
    }

    fn packets(decision: Decision) -> u32 {
        decision.cwnd as u32
    }

    /// burst-tcp, 3.3.2: "a scheduler to distribute the available bandwidth to current flows, in a fair way"; a new connection
    /// has its share without a slow start.
    #[test]
    fn connections_share_the_window_evenly() {
        let macroflow = macroflow(12.0);
        let (_, first) = macroflow.join(1.0);
        assert_eq!(packets(first.decision()), 12);
        let (_, second) = macroflow.join(1.0);
        assert_eq!([packets(first.decision()), packets(second.decision())], [6, 6]);
        let (number, third) = macroflow.join(1.0);
        assert_eq!([&first, &second, &third].map(|each| packets(each.decision())), [4; 3]);
        macroflow.leave(number);
        assert_eq!(packets(first.decision()), 6);
    }

    /// RFC 3124, 3.5: "schedulers (e.g., weighted round-robin [..]) [..] to provide relative prioritization".
    #[test]
    fn parts_are_in_proportion_to_weights() {
        let macroflow = macroflow(12.0);
        let members = [1.0, 2.0, 3.0].map(|weight| macroflow.join(weight).1);
        assert_eq!(members.map(|each| packets(each.decision())), [2, 4, 6]);
    }

    /// RFC 3124, 4.2: the scheduler decides among flows that have asked to send. Of 12 packets for three the first uses one and
    /// has no more: the others share 11 as 1 to 3, 2.75 and 8.25.
    #[test]
    fn what_a_flow_leaves_of_its_part_goes_to_the_others() {
        let macroflow = macroflow(12.0);
        let [mut first, second, third] = [2.0, 1.0, 3.0].map(|weight| macroflow.join(weight).1);
        first.on_ack(&Ack { in_flight: 1.0, suspended: true, ..Ack::default() });
        let quarters = |member: &dyn CongestionControl| (4.0 * member.decision().cwnd).round() as u32;
        assert_eq!(quarters(&*first), 16, "its part is kept for it");
        assert_eq!([&*second, &*third].map(quarters), [11, 33]);
        first.on_ack(&Ack { in_flight: 4.0, suspended: true, window_limited: true, ..Ack::default() });
        assert_eq!([&*second, &*third].map(quarters), [8, 24]);
    }

    /// The window grows by the acknowledgments of all, so together they grow as one connection does.
    #[test]
    fn the_window_grows_by_all_acknowledgments() {
        let macroflow = macroflow(4.0);
        let mut members = [macroflow.join(1.0).1, macroflow.join(1.0).1];
        let ack = Ack { delivered: 1.0, advanced: true, window_limited: true, ..Ack::default() };
        for member in &mut members {
            member.on_ack(&ack);
        }
        assert_eq!(
            packets(members[0].decision()),
            3,
            "4 and 2 acknowledged in slow start make 6, of which half"
        );
    }

    /// Losses of several connections within a round trip are one congestion, and later ones another.
    #[test]
    fn one_reduction_per_round_trip() {
        let macroflow = macroflow(32.0);
        let mut members = [macroflow.join(1.0).1, macroflow.join(1.0).1];
        let srtt = Duration::from_millis(100);
        members[0].on_ack(&Ack { srtt, ..Ack::default() });
        let lost = |now| Congestion {
            now: Time::ZERO + now,
            signal: Signal::Loss,
            flight: 16.0,
            restart: false,
            repeated: false,
        };
        members[0].on_congestion(&lost(Duration::from_millis(10)));
        members[1].on_congestion(&lost(Duration::from_millis(50)));
        assert_eq!(packets(members[0].decision()), 8, "half of 32 for two");
        members[1].on_congestion(&lost(Duration::from_millis(150)));
        assert_eq!(packets(members[0].decision()), 4);
    }

    /// RFC 3124, 5.2: the window grows without a condition; here up to the rate that the flow can use. At 60 packets per second and a
    /// round-trip time of 100 ms that is a window of six. The scheduler still counts what the flow has in the network.
    #[test]
    fn an_adaptive_flow_grows_the_window_to_what_it_can_use() {
        let macroflow = macroflow(4.0);
        let (_, mut adaptive) = macroflow.join_adaptive(1.0, 60.0);
        let srtt = Duration::from_millis(100);
        let ack = Ack { delivered: 1.0, advanced: true, in_flight: 1.0, srtt, ..Ack::default() };
        let windows: Vec<u32> = (0..4).map(|_| packets(adaptive.on_ack(&ack))).collect();
        assert_eq!(windows, [5, 6, 6, 6]);
        let (_, mut other) = macroflow.join(1.0);
        assert_eq!(packets(other.decision()), 5, "all but the one that the first has in the network");
        assert_eq!(packets(other.on_ack(&ack)), 5, "one that does not adapt grows it only if it is full");
    }

    #[test]
    fn a_copy_is_a_macroflow_of_its_own() {
        let macroflow = macroflow(32.0);
        let (_, member) = macroflow.join(1.0);
        let mut copy = member.clone();
        let (now, signal) = (Time::ZERO, Signal::Loss);
        copy.on_congestion(&Congestion { now, signal, flight: 32.0, restart: false, repeated: false });
        assert_eq!([packets(member.decision()), packets(copy.decision())], [32, 16]);
    }
}
