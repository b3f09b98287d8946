//! PCC Vivace as in its authors' module for Linux (PCC-Kernel, branch vivace, 2018).
//!
//! It differs from the module: numbers are real, not whole thousandths. The first interval of the start, and the first after a timeout, is sent
//! at the rate, not at 95 or 105 % of it. Packets sent are those counted and those in flight. Where the module leaves the window alone, after
//! a timeout and after an idle time, the next delivery is awaited with the restart window. Random bits are drawn from the time.

mod interval;
mod steps;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate, Time};

use self::interval::{Interval, Packets};
use self::steps::Steps;
use super::drawn::drawn_bits;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Start};

/// In bytes per second.
const FIRST_RATE: f64 = 512.0 * 1024.0;
const LEAST_RATE: f64 = 1024.0;
/// The highest rate: one that something other than the network limits may grow without an end.
const MOST_RATE: f64 = 1e100;
/// Packets of a round trip at the lowest rate after a step.
const LEAST_PER_ROUND: f64 = 2.0;
/// Round trips at the present rate that the window holds, and the smallest window in packets.
const WINDOW_ROUNDS: f64 = 2.0;
const LEAST_WINDOW: f64 = 4.0;
/// The factor of the start.
const GROWTH: f64 = 1.5;
/// The part of the rate by which trials differ from it.
const EPSILON: f64 = 0.05;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "vivace-linux",
    title: "PCC Vivace as in Linux: two pairs of trials, then steps as long as the utility rises",
    source: "Gilad, Jay and Frankel, PCC-Kernel, 2018; Dong and others, NSDI 2018",
    parameters: &[
        Parameter::new(
            "packet_size",
            Unit::Bytes,
            1460.0,
            (1.0, 65_535.0),
            "bytes of a packet, by which steps and the first rate are in bytes per second",
        ),
        Parameter::new(
            "seed",
            Unit::Count,
            0.0,
            (0.0, 1e9),
            "of the order of trials, together with the times since the first acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> VivaceLinux {
    VivaceLinux {
        seed: values.get("seed") as u64,
        packet_size: values.get("packet_size"),
        restart_window: start.restart_window,
        began: None,
        state: State::Starting,
        rate: FIRST_RATE,
        before: (FIRST_RATE, f64::NEG_INFINITY),
        steps: Steps::new(),
        packets: Packets::default(),
        plan: Vec::new(),
        intervals: Vec::new(),
        results: 0,
        is_restarting: false,
        is_held: false,
        cwnd: start.initial_window,
        pacing_rate: None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// The rate grows until the utility does not.
    Starting,
    /// Four trials.
    Probing,
    /// Steps along the gradient of the utility.
    Moving,
}

/// PCC Vivace as in Linux.
#[derive(Clone, Debug)]
pub struct VivaceLinux {
    seed: u64,
    /// In bytes.
    packet_size: f64,
    restart_window: f64,
    /// The time of the first acknowledgment that measured a round-trip time.
    began: Option<Time>,
    state: State,
    /// In bytes per second.
    rate: f64,
    /// The rate before, and its utility.
    before: (f64, f64),
    steps: Steps,
    packets: Packets,
    /// The rates to try, and the intervals that have begun.
    plan: Vec<f64>,
    intervals: Vec<Interval>,
    /// The number of intervals whose results are in.
    results: usize,
    /// True from a timeout to the end of its recovery: nothing is measured.
    is_restarting: bool,
    /// True from a restart until the next delivery.
    is_held: bool,
    cwnd: f64,
    pacing_rate: Option<PacketRate>,
}

impl VivaceLinux {
    /// Plans the intervals of the present state, and begins the first.
    fn set_plan(&mut self, now: Time) {
        self.rate = self.rate.min(MOST_RATE);
        self.plan = vec![self.rate];
        if self.state == State::Probing {
            let age = self.began.map_or(Duration::ZERO, |began| now.since(began));
            let bits = drawn_bits(self.seed, age);
            let pair = |bit: u64| {
                let first = if bits >> bit & 1 == 1 { EPSILON } else { -EPSILON };
                [self.rate * (1.0 + first), self.rate * (1.0 - first)]
            };
            self.plan = [pair(63), pair(62)].concat();
        }
        self.intervals.clear();
        self.results = 0;
        self.begin_next(now);
    }

    /// Begins the next interval, if there is one.
    fn begin_next(&mut self, now: Time) {
        if let Some(rate) = self.plan.get(self.intervals.len()) {
            self.intervals.push(Interval::new(now, self.packets, *rate));
        }
    }

    fn measure(&mut self, ack: &Ack) {
        let packets = self.packets;
        if self.intervals.last_mut().is_some_and(|last| last.ends(ack.now, packets)) {
            self.begin_next(ack.now);
        }
        let Some(interval) = self.intervals.get_mut(self.results) else { return };
        interval.count((ack.now, ack.srtt), packets, ack.delivered, ack.lost);
        if interval.has_results(packets) {
            self.results += 1;
            if self.results == self.plan.len() {
                self.decide(ack.srtt.as_secs_f64());
                self.set_plan(ack.now);
            }
        }
    }

    fn decide(&mut self, srtt_s: f64) {
        let is_starting = self.state == State::Starting;
        let results: Vec<(f64, f64)> =
            self.intervals.iter().map(|one| (one.rate, one.utility(is_starting))).collect();
        match (self.state, results.as_slice()) {
            (State::Starting, &[(_, utility)]) => self.start(utility),
            (State::Probing, &[a, b, c, d]) => self.compare([a, b], [c, d]),
            (State::Moving, &[(_, utility)]) => self.go(utility, LEAST_PER_ROUND * self.packet_size / srtt_s),
            (state, results) => unreachable!("{} results in {state:?}", results.len()),
        }
    }

    fn start(&mut self, utility: f64) {
        let (rate_before, utility_before) = self.before;
        if utility > utility_before {
            self.before = (self.rate, utility);
            self.rate *= GROWTH;
        } else {
            self.rate = rate_before;
            self.state = State::Probing;
        }
    }

    /// The second of equals wins a pair.
    fn compare(&mut self, [a, b]: [(f64, f64); 2], [c, d]: [(f64, f64); 2]) {
        let winner = |one: (f64, f64), other: (f64, f64)| if one.1 > other.1 { one } else { other };
        let (first, second) = (winner(a, b), winner(c, d));
        if (first.0 > self.rate) == (second.0 > self.rate) {
            self.rate = second.0;
            self.before = second;
            self.state = State::Moving;
        }
    }

    /// A step; one down is followed by trials.
    fn go(&mut self, utility: f64, least: f64) {
        let step = self.steps.step((self.rate, utility), self.before);
        self.before = (self.rate, utility);
        self.rate = (self.rate + step).max(least);
        if step < 0.0 {
            self.state = State::Probing;
        }
    }

    /// Paces at the rate of the interval that is being sent, or else at the present one: in packets per second.
    fn pace(&mut self) -> f64 {
        let rate =
            self.intervals.last().filter(|last| last.is_being_sent()).map_or(self.rate, |last| last.rate);
        let rate = rate.max(LEAST_RATE) / self.packet_size;
        self.pacing_rate = Some(PacketRate(rate));
        rate
    }

    /// Takes the window down until the next delivery.
    fn hold(&mut self, window: f64) {
        self.is_held = true;
        self.cwnd = self.cwnd.min(window);
    }

    fn restart(&mut self) {
        self.hold(self.restart_window);
        self.is_restarting = true;
        self.plan.clear();
        self.intervals.clear();
        if self.began.is_some() {
            self.pace();
        }
    }

    fn scale(&mut self, ratio: f64) {
        self.packet_size /= ratio;
        self.cwnd = (self.cwnd * ratio).max(1.0);
        let Packets { sent, counted, counted_before } = &mut self.packets;
        for packets in [sent, counted, counted_before] {
            *packets *= ratio;
        }
        for interval in &mut self.intervals {
            interval.scale(ratio);
        }
        if let Some(PacketRate(rate)) = &mut self.pacing_rate {
            *rate *= ratio;
        }
    }
}

impl CongestionControl for VivaceLinux {
    fn needs(&self) -> Needs {
        Needs { pacing: true, recovery: Some("rack"), ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        let counted_before = self.packets.counted;
        let counted = counted_before + ack.delivered + ack.lost;
        self.packets = Packets { sent: counted + ack.in_flight, counted, counted_before };
        self.is_held &= ack.delivered <= 0.0;
        if self.began.is_none() && ack.rtt.is_none() {
            return self.decision();
        }
        self.began.get_or_insert(ack.now);
        self.is_restarting &= ack.recovering;
        if !self.is_restarting && self.plan.is_empty() {
            self.set_plan(ack.now);
        } else {
            self.measure(ack);
        }
        let rate = self.pace();
        if !self.is_held {
            self.cwnd = (WINDOW_ROUNDS * rate * ack.srtt.as_secs_f64()).max(LEAST_WINDOW);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.restart {
            self.restart();
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::IdleRestart { restart_window } => self.hold(restart_window.max(1.0)),
            Event::Spurious | Event::NotValidated { .. } | Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { cwnd: self.cwnd, pacing_rate: self.pacing_rate, wake: None }
    }

    /// There is no threshold.
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("vivace_linux_state", f64::from(self.state as u8));
        gauge("vivace_linux_rate_packet_per_s", self.rate / self.packet_size);
        gauge("vivace_linux_amplifier", self.steps.amplifier);
        gauge("vivace_linux_boundary", self.steps.boundary);
    }
}
