//! A controller whose window and rate an agent sets between two steps of a run, and which gathers the facts
//! of a step.

mod action_channel;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_congestion::learning::{Action, Actions, StepFacts};
use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Start};
use ackclock_units::{Duration, PacketRate, Time};

pub(crate) use action_channel::ActionChannel;

/// The latest action and the facts since it.
#[derive(Clone, Copy)]
struct Exchange {
    action: Action,
    facts: StepFacts,
}

impl Exchange {
    fn act(&mut self, actions: &Actions, number: f64) {
        self.action = actions.decide(number, self.facts.cwnd);
        self.facts = StepFacts { excess: self.action.excess, ..self.facts.next() };
    }
}

/// The agent's end of a flow.
pub(crate) struct AgentPort(Arc<Mutex<Exchange>>);

impl AgentPort {
    /// A port and the controller at its other end. With a `channel`, the controller asks the agent at each
    /// call.
    pub fn new(
        start: &Start,
        paced: bool,
        channel: Option<ActionChannel>,
    ) -> (AgentPort, Box<dyn CongestionControl>) {
        let action = Action { window: start.initial_window, pacing_rate: None, excess: 0.0 };
        let facts = StepFacts { cwnd: start.initial_window, ..StepFacts::default() };
        let exchange = Arc::new(Mutex::new(Exchange { action, facts }));
        let decision = Decision::window(start.initial_window);
        let restart_window = start.restart_window;
        let agent = Agent {
            exchange: Arc::clone(&exchange),
            decision,
            paced,
            restart_window,
            channel: channel.map(Arc::new),
            begun: Time::ZERO,
        };
        (AgentPort(exchange), Box::new(agent))
    }

    pub fn set_segment_bytes(&self, bytes: u64) {
        locked(&self.0).facts.segment_bytes = bytes as f64;
    }

    /// Begins a step with the action that `number` means.
    pub fn act(&self, actions: &Actions, number: f64) {
        locked(&self.0).act(actions, number);
    }

    /// Ends a step of this length.
    pub fn end(&self, duration: Duration) {
        locked(&self.0).facts.end(duration);
    }

    /// The facts of the step so far. The duration is that of its end.
    pub fn facts(&self) -> StepFacts {
        locked(&self.0).facts
    }
}

/// The lock serves the type system: the thread that steps a world is the only one that uses it.
fn locked(exchange: &Mutex<Exchange>) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The controller: it applies the latest action at each acknowledgment, or requests an action at each call if
/// it has a channel. After a loss of the ACK clock the window is the restart window until the next action.
struct Agent {
    exchange: Arc<Mutex<Exchange>>,
    decision: Decision,
    paced: bool,
    restart_window: f64,
    channel: Option<Arc<ActionChannel>>,
    /// The time of the latest call.
    begun: Time,
}

impl Agent {
    /// Gathers facts at this time, and requests an action if there is a channel.
    fn take(&mut self, now: Time, change: impl FnOnce(&mut Exchange)) -> Decision {
        let (channel, begun) = (self.channel.clone(), self.begun);
        self.begun = now;
        self.change(|exchange| {
            change(exchange);
            let Some(channel) = channel else { return };
            exchange.facts.cwnd = exchange.action.window;
            exchange.facts.end(now.since(begun));
            if let Some(number) = channel.ask(exchange.facts) {
                exchange.act(&channel.actions, number);
            }
        })
    }

    fn change(&mut self, change: impl FnOnce(&mut Exchange)) -> Decision {
        let mut exchange = locked(&self.exchange);
        change(&mut exchange);
        let Action { window, pacing_rate, .. } = exchange.action;
        exchange.facts.cwnd = window;
        self.decision =
            Decision { pacing_rate: pacing_rate.filter(|_| self.paced), ..Decision::window(window) };
        self.decision
    }
}

impl CongestionControl for Agent {
    fn needs(&self) -> Needs {
        Needs { pacing: self.paced, ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.take(ack.now, |Exchange { facts, .. }| facts.count_ack(ack))
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let restart_window = self.restart_window;
        self.take(signal.now, |Exchange { action, facts }| {
            facts.count_signal(signal);
            if signal.restart {
                action.window = restart_window;
            }
        })
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.change(|Exchange { action, .. }| match *event {
            Event::IdleRestart { restart_window } | Event::NotValidated { window: restart_window, .. } => {
                action.window = action.window.min(restart_window);
            }
            Event::SegmentSize { .. } => {
                action.window *= event.scale();
                action.pacing_rate = action.pacing_rate.map(|rate| PacketRate(rate.0 * event.scale()));
            }
            // The agent's window and rate do not change.
            _ => {}
        })
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

impl Clone for Agent {
    /// The copy has an exchange of its own and no channel, so calls of the copy change nothing here.
    fn clone(&self) -> Agent {
        let exchange = Arc::new(Mutex::new(*locked(&self.exchange)));
        Agent { exchange, channel: None, ..*self }
    }
}
