//! Google Congestion Control (draft-ietf-rmcat-gcc-02), with the receiver's part at the sender.
//!
//! Choices where the draft is open:
//! - The bandwidth is updated once a report: by over-use if a group of it signals over-use, else by the signal of its latest group, else as
//!   normal. For the first report no time has passed since an update.
//! - `f_max` is over the latest 60 groups. The variance of the noise begins at 1, the least that it may be.
//! - The bound of 1.5 times the incoming rate ends an increase, and does not lower the estimate. A decrease never raises it.
//! - The standard deviation of the incoming rate at decreases counts as at least 2.5 % of its mean, which one sample would not have.
//!
//! Departures from the draft:
//! - The loss-based estimate begins at the highest rate, and changes once a second by the packets told in it: the draft speaks of receiver
//!   reports, of which there is about one a second. It goes down from the actual rate, which is the lower of both estimates, and not from itself.
//!
//! libwebrtc differs, among others, in these: it compares the estimate times the number of groups, up to 60, with the
//! threshold (`scaled`; the draft's own comparison misses a link that is oversubscribed by less than a sixth), fits a line
//! instead of the Kalman filter, probes, and paces at 2.5 times the target (`pacing`; at the draft's own rate the pacer never
//! empties).

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::control::{MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart, PacketFate};

pub(crate) const ENTRY: Entry = Entry {
    kind: "media",
    name: "gcc",
    title: "Google Congestion Control: the gradient of the delay, and losses",
    source: "draft-ietf-rmcat-gcc-02",
    parameters: &[
        Parameter::new(
            "burst",
            Unit::Milliseconds,
            5.0,
            (0.1, 100.0),
            "packets sent within this time are a group",
        ),
        Parameter::new(
            "overuse_time",
            Unit::Milliseconds,
            10.0,
            (0.0, 1000.0),
            "time above the threshold that signals over-use",
        ),
        Parameter::new(
            "process_noise",
            Unit::Number,
            1e-3,
            (1e-9, 10.0),
            "variance of the gradient's steps (q)",
        ),
        Parameter::new("chi", Unit::Number, 0.01, (0.0001, 0.5), "coefficient of the filter of the noise"),
        Parameter::new("k_up", Unit::Number, 0.01, (0.0, 1.0), "rise of the threshold per ms (K_u)"),
        Parameter::new("k_down", Unit::Number, 0.000_18, (0.0, 1.0), "fall of the threshold per ms (K_d)"),
        Parameter::new("threshold", Unit::Milliseconds, 12.5, (6.0, 600.0), "initial threshold (del_var_th)"),
        Parameter::new("beta", Unit::Number, 0.85, (0.1, 0.99), "part of the incoming rate after over-use"),
        Parameter::new(
            "window",
            Unit::Milliseconds,
            500.0,
            (50.0, 5000.0),
            "window of the incoming rate (T)",
        ),
        Parameter::new("increase", Unit::Number, 1.08, (1.0, 2.0), "increase a second far from convergence"),
        Parameter::new(
            "pacing",
            Unit::Number,
            2.5,
            (1.0, 10.0),
            "rate of the pacer, as a multiple of the target",
        ),
        Parameter::switch(
            "scaled",
            false,
            "1: the estimate counts times the number of groups, up to 60, as in libwebrtc",
        ),
    ],
    ..Entry::PLAIN
};

/// The least and the largest threshold, in milliseconds.
const THRESHOLDS: (f64, f64) = (6.0, 600.0);
/// The threshold does not follow an estimate above it by more than this, in milliseconds.
const JUMP: f64 = 15.0;
/// The groups in `f_max`, and the most by which libwebrtc multiplies.
const GROUPS: usize = 60;
/// The weight of the past in the mean and the variance of the incoming rate at decreases.
const PAST: f64 = 0.95;
/// The least standard deviation, as a part of the mean.
const LEAST_DEVIATION: f64 = 0.025;
/// The least variance of the noise, in square milliseconds.
const LEAST_NOISE: f64 = 1.0;
/// The first error variance of the filter (`e(0)`).
const FIRST_ERROR: f64 = 0.1;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &MediaStart) -> Gcc {
    Gcc {
        parameters: Parameters {
            burst: values.get("burst"),
            overuse_time: values.get("overuse_time"),
            process_noise: values.get("process_noise"),
            chi: values.get("chi"),
            k_up: values.get("k_up"),
            k_down: values.get("k_down"),
            beta: values.get("beta"),
            window: values.duration("window"),
            increase: values.get("increase"),
            pacing: values.get("pacing"),
            scaled: values.is_on("scaled"),
        },
        start: *start,
        group: None,
        before: None,
        filter: Filter {
            gradient: 0.0,
            error: FIRST_ERROR,
            noise: LEAST_NOISE,
            intervals: VecDeque::new(),
            groups: 0,
        },
        threshold: values.get("threshold"),
        above_since: None,
        state: State::Increase,
        estimate: start.initial_rate.clamp(start.min_rate, start.max_rate),
        arrivals: Vec::new(),
        converged: None,
        updated: None,
        rtt: 0.0,
        losses: Losses { estimate: start.max_rate, since: None, told: 0, lost: 0 },
    }
}

/// Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    burst: f64,
    overuse_time: f64,
    process_noise: f64,
    chi: f64,
    k_up: f64,
    k_down: f64,
    beta: f64,
    window: Duration,
    increase: f64,
    pacing: f64,
    scaled: bool,
}

/// A group of packets.
#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Time,
    last_sent: Time,
    arrived: Time,
}

/// The Kalman filter of the delay gradient (5.3).
#[derive(Clone, Debug)]
struct Filter {
    /// `m_hat` in milliseconds.
    gradient: f64,
    /// `e`.
    error: f64,
    /// `var_v_hat`.
    noise: f64,
    /// The times between the latest groups when they were sent.
    intervals: VecDeque<f64>,
    groups: usize,
}

/// The signal of the over-use detector (5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usage {
    Over,
    Normal,
    Under,
}

/// The state of the rate control (5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
    Decrease,
}

/// The mean and the variance of the incoming rate at decreases.
#[derive(Clone, Copy, Debug)]
struct Converged {
    mean: f64,
    variance: f64,
}

/// The loss-based controller (6).
#[derive(Clone, Copy, Debug)]
struct Losses {
    /// `As_hat` in bit/s.
    estimate: f64,
    since: Option<Time>,
    told: u32,
    lost: u32,
}

/// An estimate of the bandwidth from the gradient of the one-way delay, bounded by one from losses.
#[derive(Clone, Debug)]
pub struct Gcc {
    parameters: Parameters,
    start: MediaStart,
    group: Option<Group>,
    before: Option<Group>,
    filter: Filter,
    /// `del_var_th` in milliseconds.
    threshold: f64,
    /// The time from which the estimate is above the threshold.
    above_since: Option<Time>,
    state: State,
    /// `A_hat` in bit/s.
    estimate: f64,
    /// The bytes that arrived within the window.
    arrivals: Vec<(Time, u32)>,
    converged: Option<Converged>,
    updated: Option<Time>,
    /// The latest round-trip time in milliseconds.
    rtt: f64,
    losses: Losses,
}

/// The time between both in milliseconds, below zero if the first is the earlier one. Equal times between are equal numbers.
fn ms_between(time: Time, earlier: Time) -> f64 {
    (time.as_nanos().cast_signed() - earlier.as_nanos().cast_signed()) as f64 / 1e6
}

impl Converged {
    /// The distance from the mean that is close to convergence.
    fn near(&self) -> f64 {
        3.0 * self.variance.sqrt().max(LEAST_DEVIATION * self.mean)
    }
}

impl Filter {
    /// Takes the delay variation of a group that was sent this long after the one before.
    fn update(&mut self, variation: f64, interval: f64, parameters: &Parameters) {
        let Parameters { process_noise, chi, .. } = *parameters;
        self.intervals.push_back(interval);
        if self.intervals.len() > GROUPS {
            self.intervals.pop_front();
        }
        self.groups += 1;
        let shortest = self.intervals.iter().copied().fold(f64::INFINITY, f64::min);
        let past = libm::pow(1.0 - chi, 30.0 * shortest / 1000.0);
        let residual = variation - self.gradient;
        // The outlier filter is "around the updates of" the variance, and for large residuals alone.
        let bounded = residual.min(3.0 * self.noise.sqrt());
        self.noise = (past * self.noise + (1.0 - past) * bounded * bounded).max(LEAST_NOISE);
        let error = self.error + process_noise;
        let gain = error / (self.noise + error);
        self.gradient += residual * gain;
        self.error = (1.0 - gain) * error;
    }
}

/// The packets that arrived in order, the highest first: no higher one arrived before.
fn in_order(packets: &[PacketFate]) -> Vec<&PacketFate> {
    let mut earliest = Time::MAX;
    let mut found = Vec::new();
    for packet in packets.iter().rev() {
        if let Some(arrived) = packet.arrived
            && arrived <= earliest
        {
            earliest = arrived;
            found.push(packet);
        }
    }
    found
}

impl Gcc {
    /// Takes a packet that arrived into its group. Returns the signal if a group is over.
    fn group(&mut self, packet: &PacketFate) -> Option<Usage> {
        let (sent, arrived) = (packet.sent, packet.arrived?);
        let burst = self.parameters.burst;
        let Some(group) = &mut self.group else {
            self.group = Some(Group { first_sent: sent, last_sent: sent, arrived });
            return None;
        };
        let later = ms_between(arrived, group.arrived);
        let joins = ms_between(sent, group.first_sent) <= burst
            || later < burst && later < ms_between(sent, group.last_sent);
        if joins {
            group.last_sent = sent;
            group.arrived = group.arrived.max(arrived);
            return None;
        }
        let over = std::mem::replace(group, Group { first_sent: sent, last_sent: sent, arrived });
        let before = self.before.replace(over)?;
        let interval = ms_between(over.last_sent, before.last_sent);
        let between = ms_between(over.arrived, before.arrived);
        let earlier = self.filter.gradient;
        self.filter.update(between - interval, interval, &self.parameters);
        Some(self.detect(over.arrived, between, earlier))
    }

    /// The threshold adapts, and the signal is by it: the group arrived then, and this long after the one before (5.4).
    fn detect(&mut self, arrived: Time, between: f64, earlier: f64) -> Usage {
        let Parameters { k_up, k_down, overuse_time, scaled, .. } = self.parameters;
        let factor = if scaled { self.filter.groups.min(GROUPS) as f64 } else { 1.0 };
        let gradient = factor * self.filter.gradient;
        let excess = gradient.abs() - self.threshold;
        if excess <= JUMP {
            let speed = if excess < 0.0 { k_down } else { k_up };
            self.threshold = (self.threshold + between * speed * excess).clamp(THRESHOLDS.0, THRESHOLDS.1);
        }
        if gradient > self.threshold {
            let since = *self.above_since.get_or_insert(arrived);
            let lasts = ms_between(arrived, since) >= overuse_time && self.filter.gradient >= earlier;
            if lasts { Usage::Over } else { Usage::Normal }
        } else {
            self.above_since = None;
            if gradient < -self.threshold { Usage::Under } else { Usage::Normal }
        }
    }

    /// The incoming rate over the window before the latest arrival (`R_hat`), in bit/s.
    fn incoming(&mut self) -> f64 {
        let Some(latest) = self.arrivals.iter().map(|(at, _)| *at).max() else { return 0.0 };
        let window = self.parameters.window;
        self.arrivals.retain(|(at, _)| *at + window > latest);
        let bytes: u64 = self.arrivals.iter().map(|(_, size)| u64::from(*size)).sum();
        8.0 * bytes as f64 / window.as_secs_f64()
    }

    /// Updates the delay-based estimate (5.5).
    fn control(&mut self, usage: Usage, report: &MediaReport<'_>) {
        let incoming = self.incoming();
        self.state = match (usage, self.state) {
            (Usage::Over, _) => State::Decrease,
            (Usage::Normal, State::Hold | State::Increase) => State::Increase,
            (Usage::Normal, State::Decrease) | (Usage::Under, _) => State::Hold,
        };
        let since = self.updated.map_or(0.0, |updated| report.now.since(updated).as_secs_f64());
        self.updated = Some(report.now);
        self.rtt = report.rtt.map_or(self.rtt, |rtt| 1e3 * rtt.as_secs_f64());
        if self.converged.is_some_and(|converged| incoming > converged.mean + converged.near()) {
            self.converged = None;
        }
        match self.state {
            State::Hold => {}
            State::Decrease => self.decrease(incoming),
            State::Increase => {
                let higher = self.increased(incoming, since).min(1.5 * incoming);
                self.estimate = self.estimate.max(higher);
            }
        }
        self.estimate = self.estimate.clamp(self.start.min_rate, self.start.max_rate);
    }

    fn decrease(&mut self, incoming: f64) {
        self.estimate = self.estimate.min(self.parameters.beta * incoming);
        self.converged = Some(match self.converged {
            None => Converged { mean: incoming, variance: 0.0 },
            Some(Converged { mean, variance }) => {
                let deviation = incoming - mean;
                let mean = mean + (1.0 - PAST) * deviation;
                Converged { mean, variance: PAST * variance + (1.0 - PAST) * deviation * deviation }
            }
        });
    }

    /// The estimate after an increase, near convergence by about half a packet in a response time and otherwise by 8 % in a second.
    fn increased(&self, incoming: f64, since: f64) -> f64 {
        if self.converged.is_some_and(|converged| (incoming - converged.mean).abs() <= converged.near()) {
            let response = 100.0 + self.rtt;
            let frame = self.estimate / 30.0;
            let packet = frame / (frame / (1200.0 * 8.0)).ceil().max(1.0);
            let step = 0.5 * (1e3 * since / response).min(1.0) * packet;
            return self.estimate + step.max(1000.0);
        }
        self.estimate * libm::pow(self.parameters.increase, since.min(1.0))
    }

    fn target(&self) -> f64 {
        self.estimate.min(self.losses.estimate).clamp(self.start.min_rate, self.start.max_rate)
    }
}

impl Losses {
    /// Takes the packets of a report; once a second the estimate follows their losses (6).
    fn note(&mut self, now: Time, packets: &[PacketFate], (actual, start): (f64, &MediaStart)) {
        self.told += packets.len() as u32;
        self.lost += packets.iter().filter(|packet| packet.arrived.is_none()).count() as u32;
        let since = *self.since.get_or_insert(now);
        if now.since(since) < Duration::from_secs(1) {
            return;
        }
        let share = f64::from(self.lost) / f64::from(self.told);
        if share > 0.1 {
            self.estimate = actual * (1.0 - 0.5 * share);
        } else if share < 0.02 {
            self.estimate *= 1.05;
        }
        self.estimate = self.estimate.clamp(start.min_rate, start.max_rate);
        *self = Losses { estimate: self.estimate, since: Some(now), told: 0, lost: 0 };
    }
}

impl MediaControl for Gcc {
    fn feedback_interval(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn on_report(&mut self, report: &MediaReport<'_>) -> MediaDecision {
        let mut signal = Usage::Normal;
        for packet in report.packets {
            if let Some(arrived) = packet.arrived {
                self.arrivals.push((arrived, packet.size));
            }
        }
        for packet in in_order(report.packets).into_iter().rev() {
            if let Some(usage) = self.group(packet) {
                signal = if signal == Usage::Over { signal } else { usage };
            }
        }
        self.control(signal, report);
        let actual = self.target();
        self.losses.note(report.now, report.packets, (actual, &self.start));
        self.decision()
    }

    fn on_frame(&mut self, _: &MediaFrame) -> MediaDecision {
        self.decision()
    }

    fn decision(&self) -> MediaDecision {
        let target = self.target();
        MediaDecision { target, pacing: self.parameters.pacing * target, window: f64::INFINITY }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("gcc_gradient_ms", self.filter.gradient);
        gauge("gcc_threshold_ms", self.threshold);
        gauge("gcc_delay_estimate_bit_per_s", self.estimate);
        gauge("gcc_loss_estimate_bit_per_s", self.losses.estimate);
    }
}
