//! A macroflow: several connections under one congestion controller (RFC 3124).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_units::{Duration, Time};

use crate::control::{CongestionControl, Decision, Needs};
use crate::facts::{Ack, Congestion, Event};

/// A congestion controller that several connections share. Each may use an equal part of its window, and a packet at least.
///
/// A connection's part changes with its next call: another that joins or leaves meanwhile, or grows the window, is noticed then.
/// For controllers that count no round trips and set no rates of their own.
#[derive(Debug)]
pub struct Macroflow(Arc<Mutex<State>>);

struct State {
    controller: Box<dyn CongestionControl>,
    members: u32,
    /// The latest congestion signal, and the smoothed round-trip time: one signal counts per round-trip time, since connections
    /// that lose packets in the same overflow report the same congestion.
    signalled: Option<Time>,
    srtt: Duration,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} members with {:?}", self.members, self.controller.decision())
    }
}

impl State {
    fn share(&self) -> Decision {
        let decision = self.controller.decision();
        Decision { cwnd: (decision.cwnd / f64::from(self.members.max(1))).max(1.0), ..decision }
    }
}

impl Macroflow {
    /// A macroflow without a connection yet.
    pub fn new(controller: Box<dyn CongestionControl>) -> Macroflow {
        Macroflow(Arc::new(Mutex::new(State {
            controller,
            members: 0,
            signalled: None,
            srtt: Duration::ZERO,
        })))
    }

    /// The controller of one more connection.
    pub fn join(&self) -> Box<dyn CongestionControl> {
        let member = Member(Arc::clone(&self.0));
        member.state().members += 1;
        Box::new(member)
    }

    /// A connection is over.
    pub fn leave(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.members = state.members.saturating_sub(1);
    }
}

/// One connection of a macroflow.
struct Member(Arc<Mutex<State>>);

impl Member {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CongestionControl for Member {
    fn needs(&self) -> Needs {
        self.state().controller.needs()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let mut state = self.state();
        state.srtt = ack.srtt;
        state.controller.on_ack(ack);
        state.share()
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let mut state = self.state();
        let is_known = state.signalled.is_some_and(|at| signal.now.since(at) < state.srtt);
        if !is_known || signal.restart {
            state.signalled = Some(signal.now);
            // What is in flight of this connection is a part of the macroflow's.
            let flight = state.controller.decision().cwnd;
            state.controller.on_congestion(&Congestion { flight, ..*signal });
        }
        state.share()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        let mut state = self.state();
        // While others send, the macroflow is not idle.
        if state.members <= 1 || !matches!(event, Event::IdleRestart { .. }) {
            state.controller.on_event(event);
        }
        state.share()
    }

    fn decision(&self) -> Decision {
        self.state().share()
    }

    fn ssthresh(&self) -> f64 {
        self.state().controller.ssthresh()
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let state = self.state();
        gauge("macroflow_cwnd", state.controller.decision().cwnd);
        gauge("macroflow_members", f64::from(state.members));
    }

    /// A copy of the whole macroflow, of which the original hears nothing.
    fn clone_box(&self) -> Box<dyn CongestionControl> {
        let State { controller, members, signalled, srtt } = &*self.state();
        let (controller, members, signalled, srtt) = (controller.clone(), *members, *signalled, *srtt);
        Box::new(Member(Arc::new(Mutex::new(State { controller, members, signalled, srtt }))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Start;
    use crate::facts::Signal;
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
        let first = macroflow.join();
        assert_eq!(packets(first.decision()), 12);
        let second = macroflow.join();
        assert_eq!([packets(first.decision()), packets(second.decision())], [6, 6]);
        let third = macroflow.join();
        assert_eq!([&first, &second, &third].map(|each| packets(each.decision())), [4; 3]);
        macroflow.leave();
        assert_eq!(packets(first.decision()), 6);
    }

    /// The window grows by the acknowledgments of all, so together they grow as one connection does.
    #[test]
    fn the_window_grows_by_all_acknowledgments() {
        let macroflow = macroflow(4.0);
        let mut members = [macroflow.join(), macroflow.join()];
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
        let mut members = [macroflow.join(), macroflow.join()];
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

    #[test]
    fn a_copy_is_a_macroflow_of_its_own() {
        let macroflow = macroflow(32.0);
        let member = macroflow.join();
        let mut copy = member.clone_box();
        let (now, signal) = (Time::ZERO, Signal::Loss);
        copy.on_congestion(&Congestion { now, signal, flight: 32.0, restart: false, repeated: false });
        assert_eq!([packets(member.decision()), packets(copy.decision())], [32, 16]);
    }
}
