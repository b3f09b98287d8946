//! NADA (RFC 8698), with the receiver's part at the sender (5.3).
//!
//! Choices where the RFC is open:
//! - The log holds the packets sent less than LOGWIN before the highest one told. Its ratios of lost and of marked packets are
//!   filtered once a report. The receiving rate is over the LOGWIN before the latest arrival.
//! - Each report updates the rate. The time since the report before counts up to TAU: a pause of the media does not add up.
//! - The average loss interval is RFC 5348's over closed intervals, where each lost packet begins one, and the first packet told the
//!   first. After MULTILOSS such intervals without a loss the queuing delay counts unwarped at once.
//! - The base delay is the least of the call: clocks do not drift here.
//! - The rate shaping buffer (5.2.2) is the pacer's. Frames ask for its length, so that it counts once a frame.
//! - Nothing happens while no report comes.

use std::collections::VecDeque;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::control::{MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart, PacketFate};
use super::loss_intervals::LossIntervals;

pub(crate) const ENTRY: Entry = Entry {
    kind: "media",
    name: "nada",
    title: "NADA: delay, losses and marks as one signal, which decides the rate",
    source: "RFC 8698",
    parameters: &[
        Parameter::new("priority", Unit::Number, 1.0, (0.01, 100.0), "weight of the flow's priority (PRIO)"),
        Parameter::new("xref", Unit::Milliseconds, 10.0, (0.1, 1000.0), "reference congestion level (XREF)"),
        Parameter::new("kappa", Unit::Number, 0.5, (0.001, 10.0), "scale of gradual updates (KAPPA)"),
        Parameter::new("eta", Unit::Number, 2.0, (0.0, 100.0), "scale of the signal's change (ETA)"),
        Parameter::new(
            "tau",
            Unit::Milliseconds,
            500.0,
            (1.0, 10_000.0),
            "upper bound of the round-trip time in gradual updates (TAU)",
        ),
        Parameter::new("delta", Unit::Milliseconds, 100.0, (1.0, 1000.0), "time between reports (DELTA)"),
        Parameter::new("logwin", Unit::Milliseconds, 500.0, (10.0, 10_000.0), "observation window (LOGWIN)"),
        Parameter::new(
            "qeps",
            Unit::Milliseconds,
            10.0,
            (0.1, 1000.0),
            "queuing delay that ends the ramp-up (QEPS)",
        ),
        Parameter::new("dfilt", Unit::Milliseconds, 120.0, (0.0, 1000.0), "bound on filtering delay (DFILT)"),
        Parameter::new(
            "gamma_max",
            Unit::Number,
            0.5,
            (0.001, 10.0),
            "upper bound on the ramp-up's increase (GAMMA_MAX)",
        ),
        Parameter::new(
            "qbound",
            Unit::Milliseconds,
            50.0,
            (0.1, 1000.0),
            "upper bound on the queuing delay of the ramp-up (QBOUND)",
        ),
        Parameter::new(
            "multiloss",
            Unit::Number,
            7.0,
            (0.0, 1000.0),
            "average loss intervals after which a loss expires (MULTILOSS)",
        ),
        Parameter::new(
            "qth",
            Unit::Milliseconds,
            50.0,
            (0.1, 10_000.0),
            "queuing delay from which it is warped after losses (QTH)",
        ),
        Parameter::new("lambda", Unit::Number, 0.5, (0.0, 10.0), "exponent of the warping (LAMBDA)"),
        Parameter::new("plrref", Unit::Number, 0.01, (1e-6, 1.0), "reference loss ratio (PLRREF)"),
        Parameter::new("pmrref", Unit::Number, 0.01, (1e-6, 1.0), "reference marking ratio (PMRREF)"),
        Parameter::new(
            "dloss",
            Unit::Milliseconds,
            10.0,
            (0.0, 1000.0),
            "delay that the reference loss ratio stands for (DLOSS)",
        ),
        Parameter::new(
            "dmark",
            Unit::Milliseconds,
            2.0,
            (0.0, 1000.0),
            "delay that the reference marking ratio stands for (DMARK)",
        ),
        Parameter::new(
            "alpha",
            Unit::Number,
            0.1,
            (0.0001, 1.0),
            "weight of a new loss or marking ratio (5.1.2, ALPHA)",
        ),
        Parameter::new("taps", Unit::Count, 15.0, (1.0, 1000.0), "delays in the minimum filter (5.1.1)"),
        Parameter::new(
            "beta_s",
            Unit::Number,
            0.1,
            (0.0, 10.0),
            "share of the rate shaping buffer that speeds up sending, a frame (BETA_S)",
        ),
        Parameter::new(
            "beta_v",
            Unit::Number,
            0.1,
            (0.0, 10.0),
            "share of the rate shaping buffer that slows down the encoder, a frame (BETA_V)",
        ),
    ],
    ..Entry::PLAIN
};

/// The part of the reference rate by which the rate shaping buffer moves the rates at most (5.2.2).
const MOST_SHAPED: f64 = 0.05;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &MediaStart) -> Nada {
    let ms = |name| values.get(name);
    let parameters = Parameters {
        priority: values.get("priority"),
        xref: ms("xref"),
        kappa: values.get("kappa"),
        eta: values.get("eta"),
        tau: ms("tau"),
        delta: ms("delta"),
        logwin: values.duration("logwin"),
        qeps: ms("qeps"),
        dfilt: ms("dfilt"),
        gamma_max: values.get("gamma_max"),
        qbound: ms("qbound"),
        multiloss: values.get("multiloss"),
        qth: ms("qth"),
        lambda: values.get("lambda"),
        plrref: values.get("plrref"),
        pmrref: values.get("pmrref"),
        dloss: ms("dloss"),
        dmark: ms("dmark"),
        alpha: values.get("alpha"),
        taps: values.get("taps") as usize,
        beta_s: values.get("beta_s"),
        beta_v: values.get("beta_v"),
    };
    Nada {
        parameters,
        start: *start,
        base: f64::INFINITY,
        delays: VecDeque::new(),
        log: VecDeque::new(),
        intervals: LossIntervals::default(),
        loss_ratio: 0.0,
        mark_ratio: 0.0,
        rtt: 0.0,
        reported_at: None,
        signal: 0.0,
        queue: 0.0,
        received: 0.0,
        reference: start.initial_rate.clamp(start.min_rate, start.max_rate),
        buffered_bits: 0.0,
    }
}

/// The parameters of RFC 8698's figure 3 and section 5. Times are in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    priority: f64,
    xref: f64,
    kappa: f64,
    eta: f64,
    tau: f64,
    delta: f64,
    logwin: Duration,
    qeps: f64,
    dfilt: f64,
    gamma_max: f64,
    qbound: f64,
    multiloss: f64,
    qth: f64,
    lambda: f64,
    plrref: f64,
    pmrref: f64,
    dloss: f64,
    dmark: f64,
    alpha: f64,
    taps: usize,
    beta_s: f64,
    beta_v: f64,
}

/// A reference rate that follows one signal of congestion, in milliseconds.
#[derive(Clone, Debug)]
pub struct Nada {
    parameters: Parameters,
    start: MediaStart,
    /// The least one-way delay (`d_base`) in milliseconds.
    base: f64,
    /// The latest one-way delays, for the minimum filter.
    delays: VecDeque<f64>,
    /// The packets of the observation window.
    log: VecDeque<PacketFate>,
    intervals: LossIntervals,
    /// `p_loss`.
    loss_ratio: f64,
    /// `p_mark`.
    mark_ratio: f64,
    /// In milliseconds.
    rtt: f64,
    reported_at: Option<Time>,
    /// `x_curr`.
    signal: f64,
    /// `d_queue`.
    queue: f64,
    /// `r_recv` in bit/s.
    received: f64,
    /// `r_ref` in bit/s.
    reference: f64,
    /// The rate shaping buffer (`buffer_len`).
    buffered_bits: f64,
}

impl Nada {
    /// Enters the packets of a report into the log, and forgets those that have left the window.
    fn note(&mut self, packets: &[PacketFate]) {
        for packet in packets {
            self.intervals.note(packet.sequence, packet.arrived.is_none());
            if let Some(delay) = packet.delay_ms() {
                self.base = self.base.min(delay);
                self.delays.push_back(delay);
            }
            self.log.push_back(*packet);
        }
        let surplus = self.delays.len().saturating_sub(self.parameters.taps);
        self.delays.drain(..surplus);
        let window = self.parameters.logwin;
        let (Some(latest), Some(arrival)) =
            (self.log.back().map(|packet| packet.sent), self.latest_arrival())
        else {
            return;
        };
        let is_old = |packet: &PacketFate| {
            packet.sent + window <= latest && packet.arrived.is_none_or(|at| at + window <= arrival)
        };
        while self.log.front().is_some_and(is_old) {
            self.log.pop_front();
        }
    }

    fn latest_arrival(&self) -> Option<Time> {
        self.log.iter().filter_map(|packet| packet.arrived).max()
    }

    /// The packets sent within the observation window.
    fn observed(&self) -> impl Iterator<Item = &PacketFate> {
        let latest = self.log.back().map_or(Time::ZERO, |packet| packet.sent);
        let window = self.parameters.logwin;
        self.log.iter().filter(move |packet| packet.sent + window > latest)
    }

    /// The ratios of lost and of marked packets, filtered (5.1.2 and 5.1.3).
    fn update_ratios(&mut self) {
        let (mut all, mut lost, mut marked) = (0_u32, 0_u32, 0_u32);
        for packet in self.observed() {
            all += 1;
            lost += u32::from(packet.arrived.is_none());
            marked += u32::from(packet.marked);
        }
        let alpha = self.parameters.alpha;
        let filtered =
            |ratio: f64, count: u32| alpha * f64::from(count) / f64::from(all.max(1)) + (1.0 - alpha) * ratio;
        self.loss_ratio = filtered(self.loss_ratio, lost);
        self.mark_ratio = filtered(self.mark_ratio, marked);
    }

    /// The receiving rate in bit/s (5.1.4).
    fn receiving_rate(&self) -> f64 {
        let Some(latest) = self.latest_arrival() else { return 0.0 };
        let window = self.parameters.logwin;
        let within = self.log.iter().filter(|packet| packet.arrived.is_some_and(|at| at + window > latest));
        let bytes: u64 = within.map(|packet| u64::from(packet.size)).sum();
        8.0 * bytes as f64 / window.as_secs_f64()
    }

    /// The queuing delay after non-linear warping (equation 1), if a loss is recent.
    fn warped(&self) -> f64 {
        let Parameters { multiloss, qth, lambda, .. } = self.parameters;
        let is_recent =
            |average: f64| (self.intervals.since_loss() as f64) < multiloss * average && self.queue >= qth;
        if self.intervals.average().is_some_and(is_recent) {
            return qth * libm::exp(-lambda * (self.queue - qth) / qth);
        }
        self.queue
    }

    /// The aggregated congestion signal (equation 2).
    fn aggregated(&self) -> f64 {
        let Parameters { plrref, pmrref, dloss, dmark, .. } = self.parameters;
        let (marks, losses) = (self.mark_ratio / pmrref, self.loss_ratio / plrref);
        self.warped() + dmark * marks * marks + dloss * losses * losses
    }

    /// True if the path shows no congestion in the observation window, so that the rate ramps up (`rmode` 0).
    fn ramps_up(&self) -> bool {
        self.observed()
            .all(|packet| packet.delay_ms().is_some_and(|delay| delay - self.base < self.parameters.qeps))
    }

    /// Accelerated ramp-up (equations 3 and 4).
    fn ramp_up(&mut self) {
        let Parameters { gamma_max, qbound, delta, dfilt, .. } = self.parameters;
        let gamma = gamma_max.min(qbound / (self.rtt + delta + dfilt));
        self.reference = self.reference.max((1.0 + gamma) * self.received);
    }

    /// Gradual update (equations 5 to 7) after `delta` milliseconds, from the signal of the report before.
    fn update_gradually(&mut self, delta: f64, before: f64) {
        let Parameters { priority, xref, kappa, eta, tau, .. } = self.parameters;
        let offset = self.signal - priority * xref * self.start.max_rate / self.reference;
        let difference = self.signal - before;
        self.reference -= kappa * (delta / tau) * (offset / tau) * self.reference
            + kappa * eta * (difference / tau) * self.reference;
    }

    /// The rate by which the rate shaping buffer shrinks (5.2.2), a share of its bits in a frame (equations 11 and 12).
    fn drain(&self, beta: f64) -> f64 {
        (beta * self.buffered_bits / self.start.frame_period.as_secs_f64()).min(MOST_SHAPED * self.reference)
    }
}

impl MediaControl for Nada {
    fn feedback_interval(&self) -> Duration {
        Duration::from_secs_f64(self.parameters.delta / 1e3)
    }

    fn on_report(&mut self, report: &MediaReport<'_>) -> MediaDecision {
        let Parameters { tau, delta, .. } = self.parameters;
        self.note(report.packets);
        self.rtt = report.rtt.map_or(self.rtt, |rtt| 1e3 * rtt.as_secs_f64());
        let since = |before| 1e3 * report.now.since(before).as_secs_f64();
        let delta = self.reported_at.map_or(delta, since).min(tau);
        self.reported_at = Some(report.now);
        self.update_ratios();
        self.received = self.receiving_rate();
        if let Some(least) = self.delays.iter().copied().reduce(f64::min) {
            self.queue = least - self.base;
        }
        let before = self.signal;
        self.signal = self.aggregated();
        if self.ramps_up() {
            self.ramp_up();
        } else {
            self.update_gradually(delta, before);
        }
        self.reference = self.reference.clamp(self.start.min_rate, self.start.max_rate);
        self.decision()
    }

    fn on_frame(&mut self, frame: &MediaFrame) -> MediaDecision {
        self.buffered_bits = 8.0 * frame.queued_bytes as f64;
        self.decision()
    }

    fn decision(&self) -> MediaDecision {
        let Parameters { beta_s, beta_v, .. } = self.parameters;
        let target = (self.reference - self.drain(beta_v)).max(self.start.min_rate);
        let sending = (self.reference + self.drain(beta_s)).min(self.start.max_rate);
        MediaDecision { target, pacing: sending.max(target), window: f64::INFINITY }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("nada_reference_bit_per_s", self.reference);
        gauge("nada_signal_ms", self.signal);
        gauge("nada_queuing_delay_ms", self.queue);
        gauge("nada_loss_ratio", self.loss_ratio);
    }
}
