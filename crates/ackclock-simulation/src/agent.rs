//! A controller whose window and rate an agent sets between two steps of a run, and the facts that it gathers of a step.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Signal, Start};
use ackclock_units::{Duration, PacketRate};

/// The window and the rate that an agent decides on; in force from the next acknowledgment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    /// The congestion window in packets; finite and positive.
    pub window: f64,
    /// The rate to space packets at, where the agent's flows are paced.
    pub pacing_rate: Option<PacketRate>,
}

/// The names of [`StepFacts::values`], with their units.
pub const FACTS: [&str; 12] = [
    "duration_s",
    "delivered_packets",
    "lost_packets",
    "rtt_mean_s",
    "rtt_last_s",
    "rtt_min_s",
    "srtt_s",
    "in_flight_packets",
    "cwnd_packets",
    "congestion_signals",
    "timeouts",
    "segment_bytes",
];

/// The facts of a step as the sender of a flow sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// The length of the step.
    pub duration: Duration,
    /// Packets newly known to be delivered.
    pub delivered: f64,
    /// Packets newly declared lost.
    pub lost: f64,
    /// The sum of the round-trip times measured, in seconds.
    pub rtt_sum_s: f64,
    /// Their number.
    pub rtt_count: f64,
    /// The latest of them; of an earlier step where this one has none.
    pub rtt_last: Duration,
    /// The smallest round-trip time since the connection began.
    pub rtt_min: Duration,
    /// The smoothed round-trip time (RFC 6298).
    pub srtt: Duration,
    /// Packets in flight after the latest acknowledgment.
    pub in_flight: f64,
    /// The window in force at the end of the step, in packets.
    pub cwnd: f64,
    /// Congestion episodes that began, timeouts among them.
    pub signals: f64,
    /// Timeouts.
    pub timeouts: f64,
    /// Bytes of data in a full segment.
    pub segment_bytes: f64,
}

impl StepFacts {
    /// The facts in the order of [`FACTS`]. The mean of a step without a measurement is the smoothed round-trip time.
    pub fn values(&self) -> [f64; FACTS.len()] {
        let srtt = self.srtt.as_secs_f64();
        let mean = if self.rtt_count > 0.0 { self.rtt_sum_s / self.rtt_count } else { srtt };
        [
            self.duration.as_secs_f64(),
            self.delivered,
            self.lost,
            mean,
            self.rtt_last.as_secs_f64(),
            self.rtt_min.as_secs_f64(),
            srtt,
            self.in_flight,
            self.cwnd,
            self.signals,
            self.timeouts,
            self.segment_bytes,
        ]
    }

    /// The facts with which a step begins after this one: counts from zero, and the state that remains.
    fn next(&self) -> StepFacts {
        let StepFacts { rtt_last, rtt_min, srtt, in_flight, cwnd, segment_bytes, .. } = *self;
        StepFacts { rtt_last, rtt_min, srtt, in_flight, cwnd, segment_bytes, ..StepFacts::default() }
    }
}

/// The latest action and the facts since it.
#[derive(Clone, Copy)]
struct Exchange {
    action: Action,
    facts: StepFacts,
}

/// The agent's end of a flow.
pub(crate) struct AgentPort(Arc<Mutex<Exchange>>);

impl AgentPort {
    /// A port and the controller at its other end.
    pub fn new(start: &Start, paced: bool) -> (AgentPort, Box<dyn CongestionControl>) {
        let action = Action { window: start.initial_window, pacing_rate: None };
        let facts = StepFacts { cwnd: start.initial_window, ..StepFacts::default() };
        let exchange = Arc::new(Mutex::new(Exchange { action, facts }));
        let decision = Decision::window(start.initial_window);
        let restart_window = start.restart_window;
        let agent = Agent { exchange: Arc::clone(&exchange), decision, paced, restart_window };
        (AgentPort(exchange), Box::new(agent))
    }

    pub fn set_segment_bytes(&self, bytes: u64) {
        locked(&self.0).facts.segment_bytes = bytes as f64;
    }

    /// Begins a step.
    pub fn act(&self, action: Action) {
        let mut exchange = locked(&self.0);
        exchange.facts = exchange.facts.next();
        exchange.action = action;
    }

    /// The facts of the step so far; the caller measures its length.
    pub fn facts(&self) -> StepFacts {
        locked(&self.0).facts
    }
}

/// The lock serves the type system: the thread that steps a world is the only one that uses it.
fn locked(exchange: &Mutex<Exchange>) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The controller: it carries out the latest action at each acknowledgment. After a loss of the ACK clock the window is the
/// restart window until the next action.
struct Agent {
    exchange: Arc<Mutex<Exchange>>,
    decision: Decision,
    paced: bool,
    restart_window: f64,
}

impl Agent {
    fn change(&mut self, change: impl FnOnce(&mut Exchange)) -> Decision {
        let mut exchange = locked(&self.exchange);
        change(&mut exchange);
        let Action { window, pacing_rate } = exchange.action;
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
        self.change(|Exchange { facts, .. }| {
            facts.delivered += ack.delivered;
            facts.lost += ack.lost;
            if let Some(rtt) = ack.rtt {
                facts.rtt_sum_s += rtt.as_secs_f64();
                facts.rtt_count += 1.0;
                facts.rtt_last = rtt;
            }
            facts.rtt_min = ack.min_rtt;
            facts.srtt = ack.srtt;
            facts.in_flight = ack.in_flight;
        })
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        let restart_window = self.restart_window;
        self.change(|Exchange { action, facts }| {
            facts.signals += 1.0;
            if signal.signal == Signal::Timeout {
                facts.timeouts += 1.0;
            }
            if signal.restart {
                action.window = restart_window;
            }
        })
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.change(|Exchange { action, .. }| match *event {
            Event::IdleRestart { restart_window } => action.window = action.window.min(restart_window),
            Event::SegmentSize { .. } => {
                action.window *= event.scale();
                action.pacing_rate = action.pacing_rate.map(|rate| PacketRate(rate.0 * event.scale()));
            }
            Event::Spurious | Event::Deadline { .. } => {}
        })
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}

    /// The copy has an exchange of its own, so that calls of it change nothing here.
    fn clone_box(&self) -> Box<dyn CongestionControl> {
        let exchange = Arc::new(Mutex::new(*locked(&self.exchange)));
        Box::new(Agent { exchange, ..*self })
    }
}
