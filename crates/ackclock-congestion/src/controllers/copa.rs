//! Copa (Arun and Balakrishnan, NSDI 2018).
//!
//! Choices where the paper is open: - A window of data is a round trip of the transport. Directions are compared when
//! it ends, and a change of direction within it resets the velocity at once, so that the window overshoots by at most
//! one round trip.
//! - The velocity is at most delta times the window: a round trip at most doubles the window.
//! - A flow begins in the default mode, as if the queue had been nearly empty before.
//! - A loss or a mark changes nothing in the default mode, and halves 1 / delta in the competitive one. While losses are
//!   repaired, the window may shrink and does not grow.
//! - After a timeout slow start begins at the restart window. Otherwise the window is at least two packets.

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate, Time};

use super::max_filter::MaxFilter;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};

/// The smallest window in packets.
const LEAST_WINDOW: f64 = 2.0;
/// `RTTmin` is the smallest round-trip time of this long.
const LONG: Duration = Duration::from_secs(10);
/// The queue is nearly empty at a delay below the range of delays divided by this.
const NEARLY_EMPTY: f64 = 10.0;
/// Copa flows on their own empty the queue at least once in this many round trips.
const EMPTIES_WITHIN: u64 = 5;
/// `RTTmax` is the largest round-trip time of the present round trip and of this many before.
const LARGEST_OF: u64 = 3;
/// Round trips of one direction before the velocity doubles.
const ROUNDS_TO_DOUBLE: u32 = 3;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "copa",
    title: "Copa: a target rate of one packet per delta times the queueing delay",
    source: "Arun and Balakrishnan, NSDI 2018",
    parameters: &[
        Parameter::new(
            "delta",
            Unit::Number,
            0.5,
            (0.001, 10.0),
            "weight of the delay: 1/delta packets of a flow are queued in the mean",
        ),
        Parameter::switch(
            "competitive",
            true,
            "1: in competition with flows that fill the buffer, delta falls as standard TCP's window rises; 0: it does not",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Copa {
    let least_inverse = 1.0 / values.get("delta");
    Copa {
        least_inverse,
        switches_mode: values.is_on("competitive"),
        restart_window: start.restart_window,
        cwnd: start.initial_window,
        before: None,
        is_slow_start: true,
        is_restarting: false,
        inverse_delta: least_inverse,
        delays: Delays::default(),
        round: None,
        emptied_in: 0,
        lost_in_round: false,
        velocity: Velocity { value: 1.0, direction: Direction::Level, rounds: 0, cwnd: start.initial_window },
    }
}

/// A window that moves by v / (delta cwnd) for each packet, up below the target rate and down above it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Copa {
    /// 1 / delta in the default mode.
    least_inverse: f64,
    switches_mode: bool,
    restart_window: f64,
    cwnd: f64,
    /// The window before the last episode.
    before: Option<f64>,
    is_slow_start: bool,
    /// Slow start after a timeout, while lost packets are sent again.
    is_restarting: bool,
    /// 1 / delta.
    inverse_delta: f64,
    delays: Delays,
    round: Option<u64>,
    /// The last round in which the queue was nearly empty.
    emptied_in: u64,
    lost_in_round: bool,
    velocity: Velocity,
}

/// The direction of the window over a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Up,
    Level,
    Down,
}

/// The velocity of the window.
#[derive(Clone, Copy, Debug)]
struct Velocity {
    value: f64,
    /// Of the last round.
    direction: Direction,
    /// Rounds since the direction changed.
    rounds: u32,
    /// The window when the round began.
    cwnd: f64,
}

impl Velocity {
    fn end_round(&mut self, cwnd: f64) {
        let direction = if cwnd > self.cwnd {
            Direction::Up
        } else if cwnd < self.cwnd {
            Direction::Down
        } else {
            Direction::Level
        };
        self.rounds = if direction == self.direction { self.rounds + 1 } else { 0 };
        self.value = if self.rounds >= ROUNDS_TO_DOUBLE { self.value * 2.0 } else { 1.0 };
        (self.direction, self.cwnd) = (direction, cwnd);
    }

    /// Takes the direction in which the window is about to move.
    fn turn(&mut self, direction: Direction) {
        if direction != self.direction && self.value > 1.0 {
            (self.value, self.rounds) = (1.0, 0);
        }
    }
}

/// Round-trip times.
#[derive(Clone, Debug, Default)]
struct Delays {
    /// The samples of the last ten seconds that are smaller than all later ones. Times and values rise from front to
    /// back, so the first sample within any recent span is its smallest.
    rising: VecDeque<(Time, Duration)>,
    /// The largest round-trip time of the present and the last three rounds, in nanoseconds.
    longest: MaxFilter,
    /// `RTTstanding`.
    standing: Duration,
    /// `RTTmin`, with its time: the first of `rising`, which is not looked at for every acknowledgment.
    shortest: (Time, Duration),
    /// `RTTmax`, in nanoseconds.
    max: f64,
}

impl Delays {
    fn measure(&mut self, now: Time, round: u64, rtt: Duration, srtt: Duration) {
        while self.rising.back().is_some_and(|&(_, earlier)| earlier >= rtt) {
            self.rising.pop_back();
        }
        self.rising.push_back((now, rtt));
        if self.rising.len() == 1 {
            self.shortest = (now, rtt);
        }
        while now.since(self.shortest.0) > LONG {
            self.rising.pop_front();
            self.shortest = self.rising[0];
        }
        self.standing = self.smallest_of(now, srtt / 2);
        self.max = self.longest.update(LARGEST_OF, round, rtt.as_nanos() as f64);
    }

    /// The smallest sample of the latest span: the first of it, which is near the back. Older samples are hardly looked at, for with
    /// thousands of flows they are far from the processor.
    fn smallest_of(&self, now: Time, span: Duration) -> Duration {
        let is_recent = |place: usize| now.since(self.rising[place].0) <= span;
        let (mut first, mut step) = (self.rising.len() - 1, 1);
        while step <= first && is_recent(first - step) {
            first -= step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if step <= first && is_recent(first - step) {
                first -= step;
            }
        }
        self.rising[first].1
    }

    /// The queueing delay in nanoseconds: `d_q`.
    fn queueing(&self) -> f64 {
        (self.standing - self.shortest.1).as_nanos() as f64
    }

    fn is_nearly_empty(&self) -> bool {
        let (queueing, range) = (self.queueing(), self.max - self.shortest.1.as_nanos() as f64);
        queueing <= 0.0 || NEARLY_EMPTY * queueing < range
    }
}

impl Copa {
    fn begin_round(&mut self, round: u64) {
        if self.round.replace(round).is_none() {
            self.emptied_in = round;
            return;
        }
        self.velocity.end_round(self.cwnd);
        if !self.switches_mode || round - self.emptied_in <= EMPTIES_WITHIN {
            self.inverse_delta = self.least_inverse;
        } else if !self.lost_in_round {
            self.inverse_delta += 1.0;
        }
        self.lost_in_round = false;
    }

    /// True if the rate, `cwnd / RTTstanding`, is above the target rate, `1 / (delta * d_q)`.
    fn is_above_target(&self) -> bool {
        self.cwnd * self.delays.queueing() > self.inverse_delta * self.delays.standing.as_nanos() as f64
    }

    fn grow(&mut self, delivered: f64) {
        if self.is_slow_start {
            self.cwnd += delivered;
        } else {
            self.velocity.turn(Direction::Up);
            self.cwnd = (self.cwnd + self.step(delivered)).max(LEAST_WINDOW);
        }
    }

    fn shrink(&mut self, delivered: f64) {
        self.is_slow_start = false;
        self.velocity.turn(Direction::Down);
        self.cwnd = (self.cwnd - self.step(delivered)).max(LEAST_WINDOW);
    }

    fn step(&self, delivered: f64) -> f64 {
        let most = (self.cwnd / self.inverse_delta).max(1.0);
        self.velocity.value.min(most) * self.inverse_delta * (delivered / self.cwnd).min(1.0)
    }
}

impl CongestionControl for Copa {
    fn needs(&self) -> Needs {
        Needs { pacing: true, recovery: Some("rack"), ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let Some(rtt) = ack.rtt else { return self.decision() };
        self.delays.measure(ack.now, ack.round, rtt, ack.srtt);
        if self.round != Some(ack.round) {
            self.begin_round(ack.round);
        }
        if self.delays.is_nearly_empty() {
            self.emptied_in = ack.round;
        }
        self.is_restarting &= ack.recovering && self.is_slow_start;
        if ack.delivered > 0.0 {
            if self.is_above_target() {
                self.shrink(ack.delivered);
            } else if ack.window_limited && ack.advanced && (!ack.recovering || self.is_restarting) {
                self.grow(ack.delivered);
            }
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        self.lost_in_round = true;
        self.inverse_delta = (self.inverse_delta / 2.0).max(self.least_inverse);
        if !event.repeated {
            self.before = Some(self.cwnd);
        }
        if event.restart || event.signal == Signal::Timeout {
            self.cwnd = self.cwnd.min(self.restart_window);
            self.is_slow_start = true;
            self.is_restarting = true;
            self.velocity = Velocity { value: 1.0, direction: Direction::Level, rounds: 0, cwnd: self.cwnd };
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => {
                if let Some(before) = self.before.take() {
                    self.cwnd = self.cwnd.max(before);
                }
            }
            Event::IdleRestart { restart_window } | Event::NotValidated { window: restart_window, .. } => {
                self.cwnd = self.cwnd.min(restart_window.max(LEAST_WINDOW));
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.cwnd = (self.cwnd * ratio).max(1.0);
                self.before = self.before.map(|before| (before * ratio).max(1.0));
                self.velocity.cwnd *= ratio;
            }
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        let standing = self.delays.standing;
        let pacing_rate = (!standing.is_zero()).then(|| PacketRate(2.0 * self.cwnd / standing.as_secs_f64()));
        Decision { cwnd: self.cwnd, pacing_rate, wake: None }
    }

    /// There is no threshold.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("copa_queueing_delay_s", self.delays.queueing() / 1e9);
        gauge("copa_delta", 1.0 / self.inverse_delta);
        gauge("copa_velocity", self.velocity.value);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// `RTTmin` and `RTTstanding` are the smallest samples of ten seconds and of half a smoothed round-trip time.
        #[test]
        fn the_smallest_samples_are_those_of_their_spans(
            steps in prop::collection::vec((0..1_500_u64, 1..40_u64), 1..300),
            srtt_ms in 1..30_000_u64,
        ) {
            let (mut delays, mut samples, mut millis) = (Delays::default(), Vec::new(), 0);
            let srtt = Duration::from_millis(srtt_ms);
            for (step, rtt_ms) in steps {
                // Mostly close to each other, so that many are recent.
                millis += step.saturating_sub(1_400) + step % 3;
                let (now, rtt) = (Time::from_nanos(millis * 1_000_000), Duration::from_millis(rtt_ms));
                samples.push((now, rtt));
                delays.measure(now, 0, rtt, srtt);
                let least = |span| {
                    samples.iter().filter(|(then, _)| now.since(*then) <= span).map(|(_, rtt)| *rtt).min()
                };
                prop_assert_eq!(Some(delays.shortest.1), least(LONG));
                prop_assert_eq!(Some(delays.standing), least((srtt / 2).min(LONG)));
            }
        }
    }
}
