//! SCReAMv2 (draft-ietf-ccwg-rfc8298bis-screamv2, as of August 2026).
//!
//! Choices where the draft is open, and what is left out:
//! - The base delay is the least of all packets of the call: clocks do not drift here. Times count from the first report.
//! - `scl_t` is computed before a reduction, from the inflection point of the reductions before.
//! - Before the first report the target is the initial rate.
//! - The maximum of bytes in flight is taken over a smoothed round trip; after the report that ends it, the present one becomes the previous
//!   one, and a new one begins with what is in flight.
//! - Losses and marks before the first round-trip time count at the first reaction. Frames change the factors of the target, reports the target.
//! - Left out, as optional: the scale by delay jitter (`REDUCE_JITTER`), the conditional backoff for losses of a link and for policers, the remedy for
//!   undershoot, and the compensation of competing flows. Next to flows that fill a deep queue the rate is therefore low.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::control::{MediaControl, MediaDecision, MediaFrame, MediaReport, MediaStart};

pub(crate) const ENTRY: Entry = Entry {
    kind: "media",
    name: "scream2",
    title: "SCReAMv2: a reference window by queue delay, losses and marks, L4S among them",
    source: "draft-ietf-ccwg-rfc8298bis-screamv2",
    parameters: &[
        Parameter::new(
            "qdelay_target",
            Unit::Milliseconds,
            60.0,
            (1.0, 1000.0),
            "target of the queue delay (QDELAY_TARGET_LO)",
        ),
        Parameter::new(
            "beta_loss",
            Unit::Number,
            0.7,
            (0.1, 1.0),
            "scale of the window after a loss (BETA_LOSS)",
        ),
        Parameter::new("beta_ecn", Unit::Number, 0.8, (0.1, 1.0), "scale after a classic mark (BETA_ECN)"),
        Parameter::new(
            "min_ref_wnd",
            Unit::Bytes,
            3000.0,
            (100.0, 1e6),
            "least reference window (MIN_REF_WND)",
        ),
        Parameter::new(
            "headroom",
            Unit::Number,
            1.5,
            (1.0, 10.0),
            "headroom of the window above the bytes in flight (BYTES_IN_FLIGHT_HEAD_ROOM)",
        ),
        Parameter::new(
            "post_congestion_delay",
            Unit::RoundTrips,
            100.0,
            (1.0, 10_000.0),
            "round trips of cautious growth after congestion (POST_CONGESTION_DELAY_RTT)",
        ),
        Parameter::new(
            "mul_increase",
            Unit::Number,
            0.02,
            (0.0, 1.0),
            "part of the window by which it may grow in a round trip (MUL_INCREASE_FACTOR)",
        ),
        Parameter::new(
            "virtual_rtt",
            Unit::Milliseconds,
            25.0,
            (1.0, 1000.0),
            "round-trip time below which flows are to have equal shares (VIRTUAL_RTT)",
        ),
        Parameter::new(
            "overhead",
            Unit::Number,
            3.0,
            (1.0, 10.0),
            "bytes in flight allowed, as a multiple of the window (REF_WND_OVERHEAD_MAX)",
        ),
        Parameter::new(
            "pacing_headroom",
            Unit::Number,
            1.5,
            (1.0, 10.0),
            "rate of the pacer, as a multiple of the target (PACKET_PACING_HEADROOM)",
        ),
    ],
    ..Entry::PLAIN
};

/// The filter of the share of marks (`L4S_AVG_G_UP`, `L4S_AVG_G_DOWN`), and of the queue delay (`QDELAY_AVG_G`).
const MARKS_UP: f64 = 1.0 / 8.0;
const MARKS_DOWN: f64 = 1.0 / 128.0;
const DELAY_GAIN: f64 = 0.25;
/// The gain of the smoothed round-trip time (RFC 6298).
const RTT_GAIN: f64 = 0.125;
/// `RATE_ADJUST_GAIN`, `FRAME_SIZE_DEV_ALPHA` and `PACKET_OVERHEAD`.
const ADJUST_GAIN: f64 = 1.0 / 16.0;
const FRAME_GAIN: f64 = 1.0 / 64.0;
const PACKET_OVERHEAD: f64 = 20.0;
/// `RATE_PACE_MIN`, `MAX_RELAXED_PACING_FACTOR` and `RELAXED_PACING_LIMIT_LOW`.
const LEAST_PACE: f64 = 50_000.0;
const MOST_RELAXED: f64 = 4.0;
const RELAXED_FROM: f64 = 0.8;
/// Marks are averaged at least this often, in seconds.
const MARKS_EVERY: f64 = 0.01;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &MediaStart) -> Scream2 {
    let seconds = |name| values.get(name) / 1e3;
    Scream2 {
        parameters: Parameters {
            target: seconds("qdelay_target"),
            beta_loss: values.get("beta_loss"),
            beta_ecn: values.get("beta_ecn"),
            least_window: values.get("min_ref_wnd"),
            headroom: values.get("headroom"),
            cautious: values.get("post_congestion_delay"),
            increase: values.get("mul_increase"),
            virtual_rtt: seconds("virtual_rtt"),
            overhead: values.get("overhead"),
            pacing_headroom: values.get("pacing_headroom"),
        },
        start: *start,
        mss: f64::from(start.mss),
        begun: None,
        base: f64::INFINITY,
        rtt: None,
        window: values.get("min_ref_wnd"),
        inflection: 1.0,
        inflection_allowed: true,
        delay: 0.0,
        mean_delay: 0.0,
        delay_updated: 0.0,
        marks: Marks::default(),
        lost: false,
        marked: false,
        congested: 0.0,
        reacted: 0.0,
        in_flight: InFlight::default(),
        adjust: 0.0,
        frame_deviation: 0.0,
        rate: start.initial_rate.clamp(start.min_rate, start.max_rate),
    }
}

/// Times are in seconds.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    target: f64,
    beta_loss: f64,
    beta_ecn: f64,
    least_window: f64,
    headroom: f64,
    cautious: f64,
    increase: f64,
    virtual_rtt: f64,
    overhead: f64,
    pacing_headroom: f64,
}

/// The share of marked packets (`l4s_alpha`).
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    alpha: f64,
    delivered: u32,
    marked: u32,
    updated: f64,
}

/// True if that many seconds have passed. The times of reports are whole nanoseconds, but their differences in floating point are not.
fn passed(now: f64, since: f64, least: f64) -> bool {
    now - since > least - 0.5e-9
}

impl Marks {
    fn note(&mut self, delivered: u32, marked: u32, now: f64, interval: f64) {
        self.delivered += delivered;
        self.marked += marked;
        if !passed(now, self.updated, interval) || self.delivered == 0 {
            return;
        }
        let share = f64::from(self.marked) / f64::from(self.delivered);
        self.alpha = if share >= self.alpha {
            MARKS_UP * share + (1.0 - MARKS_UP) * self.alpha
        } else {
            (1.0 - MARKS_DOWN) * self.alpha
        };
        *self = Marks { alpha: self.alpha, updated: now, ..Marks::default() };
    }
}

/// The largest number of bytes in flight of this and of the previous round trip.
#[derive(Clone, Copy, Debug, Default)]
struct InFlight {
    most: f64,
    before: f64,
    since: f64,
}

/// A reference window around which the bytes in flight stay, and from which the rate follows.
#[derive(Clone, Debug)]
pub struct Scream2 {
    parameters: Parameters,
    start: MediaStart,
    mss: f64,
    begun: Option<Time>,
    /// The least one-way delay, in milliseconds.
    base: f64,
    /// `s_rtt` in seconds.
    rtt: Option<f64>,
    /// `ref_wnd` in bytes.
    window: f64,
    /// `ref_wnd_i` in bytes.
    inflection: f64,
    inflection_allowed: bool,
    /// `qdelay` and `qdelay_avg` in seconds.
    delay: f64,
    mean_delay: f64,
    delay_updated: f64,
    marks: Marks,
    /// Packets were lost or marked since the last reaction.
    lost: bool,
    marked: bool,
    /// `last_congestion_detected_time` and `last_reaction_to_congestion_time`.
    congested: f64,
    reacted: f64,
    in_flight: InFlight,
    /// `rate_adjust_factor` and `frame_size_dev`.
    adjust: f64,
    frame_deviation: f64,
    /// `target_bitrate`.
    rate: f64,
}

/// The news of a report.
struct News {
    now: f64,
    rtt: f64,
    bytes: f64,
    marked_bytes: f64,
}

impl Scream2 {
    /// Takes the packets of a report: delay, losses and marks (5.2.1).
    fn note(&mut self, report: &MediaReport<'_>) -> Option<News> {
        let now = report.now.since(*self.begun.get_or_insert(report.now)).as_secs_f64();
        if let Some(sample) = report.rtt {
            let sample = sample.as_secs_f64().max(1e-6);
            self.rtt = Some(self.rtt.map_or(sample, |rtt| rtt + RTT_GAIN * (sample - rtt)));
        }
        self.lost |= report.packets.iter().any(|packet| packet.arrived.is_none());
        self.marked |= report.packets.iter().any(|packet| packet.marked);
        let rtt = self.rtt?;
        let (mut delivered, mut marked) = (0, 0);
        let mut news = News { now, rtt, bytes: 0.0, marked_bytes: 0.0 };
        for packet in report.packets {
            news.bytes += f64::from(packet.size);
            let Some(delay) = packet.delay_ms() else { continue };
            self.base = self.base.min(delay);
            self.delay = (delay - self.base) / 1e3;
            delivered += 1;
            if packet.marked {
                marked += 1;
                news.marked_bytes += f64::from(packet.size);
            }
        }
        self.marks.note(delivered, marked, now, MARKS_EVERY.min(rtt));
        self.in_flight.most = self.in_flight.most.max(report.most_in_flight as f64);
        if passed(now, self.delay_updated, self.parameters.virtual_rtt.min(rtt)) {
            self.mean_delay = if self.delay < self.mean_delay {
                self.delay
            } else {
                self.mean_delay + DELAY_GAIN * (self.delay - self.mean_delay)
            };
            self.delay_updated = now;
        }
        Some(news)
    }

    /// The scale near the last known window before congestion (`scl_t`).
    fn near_inflection(&self) -> f64 {
        let scale = 8.0 * (self.window - self.inflection) / self.inflection;
        (scale * scale).clamp(0.1, 1.0)
    }

    /// Reduces the window if there is congestion, at most once in the smaller of both round-trip times.
    fn reduce(&mut self, news: &News, near: f64) {
        let Parameters { target, beta_loss, beta_ecn, virtual_rtt, least_window, .. } = self.parameters;
        if self.lost || self.marked {
            self.congested = news.now;
        }
        if !passed(news.now, self.reacted, virtual_rtt.min(news.rtt)) {
            return;
        }
        let by_delay = self.mean_delay > target / 2.0;
        if !(self.lost || self.marked || by_delay) {
            return;
        }
        if std::mem::replace(&mut self.inflection_allowed, false) {
            self.inflection = self.window;
        }
        let spread = (news.rtt / virtual_rtt).max(1.0);
        if self.lost {
            self.window *= beta_loss;
        } else if self.marked && self.start.l4s {
            let mut backoff = self.marks.alpha / 2.0 / spread;
            if self.delay < target * 0.25 {
                backoff *= near.max(0.25);
            }
            if news.now - self.reacted > 100.0 * virtual_rtt.max(news.rtt) {
                self.window = self.window.min(self.in_flight.before);
            }
            self.window *= 1.0 - backoff;
        } else if self.marked {
            self.window *= beta_ecn;
        } else {
            let virtual_marks = ((self.mean_delay - target / 2.0) / (target / 2.0)).clamp(0.0, 1.0);
            self.window *= 1.0 - virtual_marks / 2.0 / spread;
        }
        self.window = self.window.max(least_window);
        self.reacted = news.now;
        (self.lost, self.marked) = (false, false);
    }

    /// Grows the window by what was acknowledged without marks.
    fn grow(&mut self, news: &News, near: f64) {
        let Parameters { virtual_rtt, cautious, increase, headroom, .. } = self.parameters;
        let since = (news.now - self.congested) / (cautious * virtual_rtt.max(news.rtt));
        let mut step = (news.bytes - news.marked_bytes) * (self.mss / self.window).min(1.0);
        step *= (news.rtt / virtual_rtt).min(1.0) * near.max(0.25);
        step *= 1.0 + increase * self.window / self.mss * since.clamp(0.0, 1.0) * near;
        let most = self.mss + self.in_flight.most.max(self.in_flight.before) * headroom;
        let grown = (self.window + step).floor();
        if grown <= most && self.rate < self.start.max_rate {
            self.inflection_allowed |= grown > self.window;
            self.window = grown;
        }
    }

    /// The rate of the encoder (5.4).
    fn update_rate(&mut self) {
        let Some(rtt) = self.rtt else { return };
        let ratio = (self.mss / self.window).min(1.0);
        let mut scale = 1.0 - (ratio - 0.1).clamp(0.0, 0.2);
        scale *= self.mss / (self.mss + PACKET_OVERHEAD);
        scale /= 1.2 + self.adjust + self.frame_deviation;
        self.rate = (scale * 8.0 * self.window / rtt).clamp(self.start.min_rate, self.start.max_rate);
    }

    /// The pacing rate, relaxed near the highest rate (5.3.2).
    fn pace(&self) -> f64 {
        let nominal = self.rate / self.start.max_rate;
        let relaxed = 1.0 - ((nominal - RELAXED_FROM) / (1.0 - RELAXED_FROM)).min(1.0);
        self.rate.max(LEAST_PACE) * self.parameters.pacing_headroom / relaxed.clamp(1.0 / MOST_RELAXED, 1.0)
    }
}

impl MediaControl for Scream2 {
    fn feedback_interval(&self) -> Duration {
        Duration::from_millis(40)
    }

    fn on_report(&mut self, report: &MediaReport<'_>) -> MediaDecision {
        if let Some(news) = self.note(report) {
            let near = self.near_inflection();
            self.reduce(&news, near);
            self.grow(&news, near);
            self.update_rate();
            if passed(news.now, self.in_flight.since, news.rtt) {
                let before = self.in_flight.most;
                self.in_flight = InFlight { most: report.in_flight as f64, before, since: news.now };
            }
        }
        self.decision()
    }

    fn on_frame(&mut self, frame: &MediaFrame) -> MediaDecision {
        let period = self.start.frame_period.as_secs_f64();
        let error = (frame.queued.as_secs_f64() - period / 4.0) / period;
        self.adjust = (self.adjust + error * ADJUST_GAIN).clamp(0.0, 0.5);
        let nominal = self.rate * period / 8.0;
        let deviation = ((frame.size as f64 - nominal) / nominal).max(0.0);
        self.frame_deviation = ((1.0 - FRAME_GAIN) * self.frame_deviation + FRAME_GAIN * deviation).min(0.2);
        self.decision()
    }

    fn decision(&self) -> MediaDecision {
        let window = self.window * self.parameters.overhead;
        MediaDecision { target: self.rate, pacing: self.pace(), window }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("scream_window_bytes", self.window);
        gauge("scream_queue_delay_ms", 1e3 * self.delay);
        gauge("scream_mean_queue_delay_ms", 1e3 * self.mean_delay);
        gauge("scream_marks", self.marks.alpha);
    }
}
