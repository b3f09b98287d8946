//! The controller whose window a policy sets once in a smoothed round-trip time, at an acknowledgment.

use std::sync::Arc;

use ackclock_units::Time;

use super::policy::Policy;
use super::step_facts::StepFacts;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Start};

/// Bytes of data in a full segment, until the driver says another number.
const SEGMENT_BYTES: f64 = 1460.0;

/// The controller that a policy is.
pub fn controller(policy: Arc<Policy>, start: &Start) -> Box<dyn CongestionControl> {
    let facts =
        StepFacts { cwnd: start.initial_window, segment_bytes: SEGMENT_BYTES, ..StepFacts::default() };
    Box::new(Learnt { policy, facts, restart_window: start.restart_window, begun: Time::ZERO, ends: None })
}

#[derive(Clone)]
struct Learnt {
    policy: Arc<Policy>,
    facts: StepFacts,
    restart_window: f64,
    /// The beginning of the step.
    begun: Time,
    /// Its end; none before the first round-trip time.
    ends: Option<Time>,
}

impl Learnt {
    /// Ends a step, and begins the next with the window that the policy asks for.
    fn act(&mut self, now: Time) {
        self.facts.end(now.since(self.begun));
        let action = self.policy.actions().decide(self.policy.number(&self.facts), self.facts.cwnd);
        self.facts = StepFacts { cwnd: action.window, excess: action.excess, ..self.facts.next() };
        self.begun = now;
    }
}

impl CongestionControl for Learnt {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.facts.count_ack(ack);
        let is_over = self.ends.is_some_and(|ends| ack.now >= ends);
        if is_over {
            self.act(ack.now);
        }
        // As in the environment, the first step ends a round trip after the first measurement.
        if is_over || self.ends.is_none() {
            self.ends = (!ack.srtt.is_zero()).then(|| ack.now + ack.srtt);
        }
        self.decision()
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        self.facts.count_signal(signal);
        if signal.restart {
            self.facts.cwnd = self.restart_window;
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::IdleRestart { restart_window } | Event::NotValidated { window: restart_window, .. } => {
                self.facts.cwnd = self.facts.cwnd.min(restart_window);
            }
            Event::SegmentSize { to, .. } => {
                self.facts.cwnd *= event.scale();
                self.facts.segment_bytes = f64::from(to);
            }
            Event::Spurious | Event::Deadline { .. } => {}
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(self.facts.cwnd)
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

#[cfg(test)]
mod tests {
    use ackclock_units::Duration;

    use super::*;
    use crate::learning::{Activation, Layer};

    fn made(weights: [f64; 2], bias: f64, largest_window: f64) -> Box<dyn CongestionControl> {
        let layer =
            Layer { weights: vec![weights.to_vec()], bias: vec![bias], activation: Activation::Identity };
        let observe = ["rtt_share".to_owned(), "loss_share".to_owned()];
        let policy = Policy::new(&observe, vec![layer], largest_window).unwrap();
        controller(Arc::new(policy), &Start::default())
    }

    fn ack(now_ms: u64, rtt_ms: u64, lost: f64) -> Ack {
        let (rtt, least) = (Duration::from_millis(rtt_ms), Duration::from_millis(100));
        let now = Time::ZERO + Duration::from_millis(now_ms);
        Ack { now, delivered: 1.0, lost, rtt: Some(rtt), srtt: least, min_rtt: least, ..Ack::default() }
    }

    /// The window is doubled by the number 1 and halved by -1: the first step ends 100 ms after the first measurement, the next
    /// 100 ms later.
    #[test]
    fn the_window_changes_once_a_smoothed_round_trip_time() {
        let mut policy = made([-2.0, 0.0], 3.0, 1e4);
        let windows: Vec<f64> = [(100, 100), (199, 100), (200, 100), (250, 200), (299, 200), (300, 200)]
            .map(|(now, rtt)| policy.on_ack(&ack(now, rtt, 0.0)).cwnd)
            .to_vec();
        // Shares of 1 give 1; shares of 2 give -1.
        for (window, expected) in windows.into_iter().zip([10.0, 10.0, 20.0, 20.0, 20.0, 10.0]) {
            assert!((window - expected).abs() < 1e-9, "{window}, not {expected}");
        }
    }

    #[test]
    fn windows_keep_their_bounds_and_restart() {
        let mut policy = made([0.0, 0.0], 9.0, 15.0);
        policy.on_ack(&ack(100, 100, 0.0));
        assert!((policy.on_ack(&ack(200, 100, 0.0)).cwnd - 15.0).abs() < 1e-9);
        let signal = crate::facts::Signal::Timeout;
        let now = Time::ZERO + Duration::from_millis(201);
        let timeout = Congestion { now, signal, flight: 4.0, restart: true, repeated: false };
        assert!((policy.on_congestion(&timeout).cwnd - 1.0).abs() < 1e-9);
        let mut shrunk = made([0.0, 0.0], -9.0, 15.0);
        for step in 1..20 {
            shrunk.on_ack(&ack(100 * step, 100, 0.0));
        }
        assert!((shrunk.decision().cwnd - 1.0).abs() < 1e-9);
    }

    #[test]
    fn losses_are_a_share_of_what_a_step_has_settled() {
        let mut policy = made([0.0, -4.0], 0.0, 1e4);
        policy.on_ack(&ack(100, 100, 0.0));
        // One lost, three delivered: a quarter, and a factor of 1/2.
        policy.on_ack(&ack(150, 100, 1.0));
        assert!((policy.on_ack(&ack(200, 100, 0.0)).cwnd - 5.0).abs() < 1e-9);
    }
}
