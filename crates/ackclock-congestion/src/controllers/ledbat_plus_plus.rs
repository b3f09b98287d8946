//! LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus): LEDBAT with round-trip times, and slowdowns that measure the path.
//!
//! Choices where the draft is open:
//! - Base and current delays follow RFC 6817: the smallest of ten minutes, and the smallest of four samples.
//! - A loss ends slow starts and slowdowns; the next slowdown is scheduled as if they had ended by themselves.
//! - A timeout begins a slow start to half the window, from which the next slowdown is scheduled.
//! - A window that the sender did not fill does not move.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};
use crate::queueing_delay::QueueingDelay;
use crate::windowed::Window;

/// The window of a slowdown, and the smallest window after a loss or a long delay, in packets.
const LEAST_KEPT: f64 = 2.0;
/// The smallest window of all, in packets.
const LEAST_WINDOW: f64 = 1.0;
/// The largest divisor of the gain.
const LARGEST_DIVISOR: f64 = 16.0;
/// The first slow start ends when the delay exceeds this part of the target.
const SLOW_START_END: f64 = 0.75;
/// Round trips from the end of the first slow start to the first slowdown.
const ROUNDS_TO_SLOWDOWN: u64 = 2;
/// Round trips that a slowdown holds the window.
const ROUNDS_HELD: u64 = 2;
/// The time to the next slowdown, in durations of a slowdown: slowdowns take a tenth of the time.
const INTERVAL: u64 = 9;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "ledbat-plus-plus",
    title: "LEDBAT++: less than best effort, with slowdowns that measure the path without its own queue",
    source: "draft-irtf-iccrg-ledbat-plus-plus, 4",
    aliases: &["ledbatpp"],
    parameters: LedbatPlusPlus::PARAMETERS,
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> LedbatPlusPlus {
    LedbatPlusPlus::new(values, start)
}

/// A window whose growth depends on the base round-trip time, which shrinks in proportion to itself above the
/// target and slows down for a tenth of the time.
#[derive(Clone, Debug)]
pub struct LedbatPlusPlus {
    /// In nanoseconds.
    target: f64,
    constant: f64,
    restart_window: f64,
    state: State,
    /// The state before the last episode.
    before: Option<State>,
    delay: QueueingDelay,
    srtt: Duration,
}

#[derive(Clone, Copy, Debug)]
struct State {
    window: Window,
    phase: Phase,
    /// The beginning of the last slowdown.
    slowed: Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The first slow start, until the delay or a loss ends it.
    FirstSlowStart,
    /// Avoidance until this time, when the next slowdown is due. After an idle time the window may be below the
    /// threshold; slow start then leads back to it.
    Avoidance(Time),
    /// The window is held until this time.
    Slowdown(Time),
    /// Slow start back to the window from before the slowdown.
    SlowStart,
}

impl State {
    /// Ends the slow start after a slowdown, or a slowdown that was interrupted.
    fn end_slowdown(&mut self, now: Time) {
        self.phase = Phase::Avoidance(now + now.since(self.slowed) * INTERVAL);
    }
}

impl LedbatPlusPlus {
    /// The parameters, for every end that runs the algorithm.
    pub const PARAMETERS: &[Parameter] = &[
        Parameter::new(
            "target",
            Unit::Milliseconds,
            60.0,
            (0.1, 10_000.0),
            "queueing delay above which the window shrinks",
        ),
        Parameter::new(
            "constant",
            Unit::Number,
            1.0,
            (0.0, 1000.0),
            "part of the window given up per round trip at twice the target, at most a half",
        ),
    ];

    /// The algorithm with values of these parameters.
    pub fn new(values: &Values, start: &Start) -> LedbatPlusPlus {
        LedbatPlusPlus {
            target: 1e6 * values.get("target"),
            constant: values.get("constant"),
            restart_window: start.restart_window,
            state: State {
                window: Window { cwnd: start.initial_window, ssthresh: start.initial_ssthresh },
                phase: Phase::FirstSlowStart,
                slowed: Time::ZERO,
            },
            before: None,
            delay: QueueingDelay::default(),
            srtt: Duration::ZERO,
        }
    }

    /// 4.2: packets per round trip; one before the first sample.
    fn gain(&self) -> f64 {
        1.0 / (2.0 * self.target / self.delay.base()).ceil().clamp(1.0, LARGEST_DIVISOR)
    }

    fn first_slowdown(&self, now: Time) -> Phase {
        Phase::Avoidance(now + self.srtt * ROUNDS_TO_SLOWDOWN)
    }

    fn slow_down(&mut self, now: Time) {
        let cwnd = self.state.window.cwnd;
        self.state.window = Window { cwnd: cwnd.min(LEAST_KEPT), ssthresh: cwnd };
        self.state.phase = Phase::Slowdown(now + self.srtt * ROUNDS_HELD);
        self.state.slowed = now;
    }

    /// 4.4: slow start by the gain.
    fn grow(&mut self, ack: &Ack) {
        let gain = self.gain();
        let window = &mut self.state.window;
        window.cwnd = (window.cwnd + gain * ack.delivered).min(window.ssthresh.max(window.cwnd));
        let is_at_end = window.cwnd >= window.ssthresh;
        match self.state.phase {
            Phase::FirstSlowStart if is_at_end || self.delay.nanos() > SLOW_START_END * self.target => {
                window.ssthresh = window.cwnd;
                self.state.phase = self.first_slowdown(ack.now);
            }
            Phase::SlowStart if is_at_end => self.state.end_slowdown(ack.now),
            _ => {}
        }
    }

    /// 4.2 and 4.3: makes the part of a round trip's movement that corresponds to the part of the window
    /// acknowledged.
    fn adjust(&mut self, ack: &Ack) {
        let cwnd = self.state.window.cwnd;
        let (delay, gain) = (self.delay.nanos(), self.gain());
        let step = if delay > self.target {
            (gain - self.constant * cwnd * (delay / self.target - 1.0)).max(-cwnd / 2.0)
        } else {
            gain
        };
        let window = &mut self.state.window;
        window.cwnd = (cwnd + step * (ack.delivered / cwnd).min(1.0)).max(LEAST_KEPT);
        window.ssthresh = window.ssthresh.min(window.cwnd);
    }
}

impl CongestionControl for LedbatPlusPlus {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.srtt = ack.srtt;
        if let Some(rtt) = ack.rtt {
            self.delay.measure(ack.now, rtt);
        }
        if matches!(self.state.phase, Phase::Slowdown(until) if ack.now >= until) {
            self.state.phase = Phase::SlowStart;
        }
        if ack.may_grow() {
            match self.state.phase {
                Phase::FirstSlowStart | Phase::SlowStart => self.grow(ack),
                Phase::Avoidance(until) if ack.now >= until => self.slow_down(ack.now),
                Phase::Avoidance(_) if self.state.window.cwnd < self.state.window.ssthresh => self.grow(ack),
                Phase::Avoidance(_) => self.adjust(ack),
                Phase::Slowdown(_) => {}
            }
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.repeated {
            self.state.window.cwnd = self.state.window.cwnd.min(self.restart_window);
            return self.decision();
        }
        self.before = Some(self.state);
        let kept = (self.state.window.cwnd.min(event.flight) / 2.0).max(LEAST_KEPT);
        self.state.window = Window { cwnd: kept, ssthresh: kept };
        if event.restart || event.signal == Signal::Timeout {
            self.state.window.cwnd = kept.min(self.restart_window);
            self.state.phase = Phase::SlowStart;
            self.state.slowed = event.now;
            return self.decision();
        }
        match self.state.phase {
            Phase::FirstSlowStart => self.state.phase = self.first_slowdown(event.now),
            Phase::Slowdown(_) | Phase::SlowStart => self.state.end_slowdown(event.now),
            Phase::Avoidance(_) => {}
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => {
                if let Some(before) = self.before.take() {
                    let cwnd = before.window.cwnd.max(self.state.window.cwnd);
                    self.state = before;
                    self.state.window.cwnd = cwnd;
                }
            }
            Event::IdleRestart { restart_window } => {
                let window = &mut self.state.window;
                window.cwnd = window.cwnd.min(restart_window.max(LEAST_WINDOW));
            }
            Event::NotValidated { window, ssthresh } => {
                self.state.window.limit((window, ssthresh), LEAST_WINDOW);
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.state.window.scale(ratio, LEAST_WINDOW);
                self.before.iter_mut().for_each(|before| before.window.scale(ratio, LEAST_WINDOW));
            }
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(self.state.window.cwnd)
    }

    fn ssthresh(&self) -> f64 {
        self.state.window.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("ledbat_queueing_delay_s", self.delay.nanos() / 1e9);
    }
}
