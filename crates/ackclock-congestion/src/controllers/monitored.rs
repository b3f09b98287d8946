//! Performance-oriented congestion control (PCC): rates are tried for monitor intervals, whose results come a round trip later.

mod monitor;

use ackclock_units::{Duration, PacketRate, Time};

use self::monitor::Monitor;
pub use self::monitor::Report;
use super::drawn::{drawn_bits, unit};
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal};

/// Packets of a round trip at the lowest rate, and at the first one.
const LEAST_PER_ROUND: f64 = 2.0;
/// The highest rate in packets per second.
const MOST_RATE: f64 = 1e9;
/// Round trips at the present rate that the window holds: it limits a sender whose acknowledgments stay away.
const WINDOW_ROUNDS: f64 = 2.0;
/// The smallest window in packets.
const LEAST_WINDOW: f64 = 4.0;
/// Packets that an interval has time for at least.
const LEAST_PACKETS: f64 = 10.0;

/// Learns from the results of monitor intervals which rate to send at. Rates are in packets per second.
pub trait Learner: Clone + Send + Sync {
    /// The rate that is sent while results are awaited.
    fn rate(&mut self) -> &mut f64;

    /// The rates to try next, for random bits; the same state has the same ones.
    fn plan(&mut self, bits: u64) -> Vec<f64>;

    /// Takes the results of all rates of the plan. No rate is below `least`.
    fn learn(&mut self, reports: &[Report], least: f64);

    /// Goes on after a timeout, which halved the rate.
    fn restart(&mut self);

    /// The least time of an interval in round trips, for a number drawn from 0 to 1.
    fn rounds(&self, drawn: f64) -> f64;

    /// The state for packets of another size; the ratio is the old size over the new one.
    fn scale(&mut self, ratio: f64);

    /// Shows internal quantities by name, for traces.
    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64));
}

/// A sender that paces at the rate of the present interval.
///
/// Choices that its algorithms share:
/// - *Attribution*: a packet was sent its round-trip time before its acknowledgment. It counts to the interval of that time; a loss, which
///   is found late, to the one of the third acknowledgment before. An interval's results are in when that one was sent after it.
/// - *Ends* of intervals are acknowledgments: the first after an interval's time ends it, and begins the next one.
/// - *While results are awaited* the sender keeps its rate; the next plan begins with the last result.
/// - *An interval* in which nothing was counted, or which the application limited, says nothing: its plan is tried again.
/// - *A timeout* of the transport is the timeout of an interval: it halves the rate. The window is the restart window until the next
///   delivery.
/// - *The window* holds two round trips at the present rate, and the rate is two packets in a round trip at least.
#[derive(Clone, Debug)]
pub struct Monitored<L> {
    learner: L,
    seed: u64,
    restart_window: f64,
    /// The time of the first acknowledgment that measured a round-trip time.
    began: Option<Time>,
    cwnd: f64,
    pacing_rate: Option<PacketRate>,
    monitor: Monitor,
    /// True from a restart until the next delivery.
    is_held: bool,
}

impl<L: Learner> Monitored<L> {
    pub(crate) fn new(learner: L, seed: u64, initial_window: f64, restart_window: f64) -> Monitored<L> {
        Monitored {
            learner,
            seed,
            restart_window,
            began: None,
            cwnd: initial_window,
            pacing_rate: None,
            monitor: Monitor::default(),
            is_held: false,
        }
    }

    /// Learns from a plan whose results are all in, and begins the next interval.
    fn experiment(&mut self, now: Time, began: Time, srtt_s: f64) {
        let least = LEAST_PER_ROUND / srtt_s;
        let bits = drawn_bits(self.seed, now.since(began));
        if let Some(reports) = self.monitor.reports() {
            if reports.iter().all(|report| report.says_something) {
                self.learner.learn(&reports, least);
            }
            self.monitor.void();
        }
        if self.monitor.is_empty() {
            let rate = self.learner.rate();
            *rate = rate.clamp(least, MOST_RATE);
            self.monitor.set_plan(self.learner.plan(bits));
        }
        if let Some(rate) = self.monitor.next(now) {
            let rate = rate.clamp(least, MOST_RATE);
            let seconds = (self.learner.rounds(unit(bits)) * srtt_s).max(LEAST_PACKETS / rate);
            self.monitor.begin(now, rate, Duration::from_secs_f64(seconds));
        }
    }

    fn apply(&mut self, srtt_s: f64) {
        let rate = self.monitor.rate().unwrap_or(*self.learner.rate());
        self.cwnd = (WINDOW_ROUNDS * rate * srtt_s).max(LEAST_WINDOW);
        self.pacing_rate = Some(PacketRate(rate));
    }

    fn hold(&mut self, window: f64) {
        self.monitor.void();
        self.is_held = true;
        self.cwnd = self.cwnd.min(window);
    }
}

impl<L: Learner> CongestionControl for Monitored<L> {
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, recovery: Some("rack"), ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.monitor.take(ack);
        self.is_held &= ack.delivered <= 0.0;
        let srtt_s = ack.srtt.as_secs_f64();
        if self.began.is_none() && ack.rtt.is_some() {
            self.began = Some(ack.now);
            *self.learner.rate() = LEAST_PER_ROUND / srtt_s;
        }
        if let Some(began) = self.began
            && !self.is_held
        {
            self.experiment(ack.now, began, srtt_s);
            self.apply(srtt_s);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.signal == Signal::Timeout {
            *self.learner.rate() /= 2.0;
            self.learner.restart();
        }
        if event.restart {
            self.hold(self.restart_window);
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::IdleRestart { restart_window } => self.hold(restart_window),
            Event::Spurious | Event::NotValidated { .. } | Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.cwnd = (self.cwnd * ratio).max(1.0);
                if let Some(PacketRate(rate)) = &mut self.pacing_rate {
                    *rate *= ratio;
                }
                self.learner.scale(ratio);
                self.monitor.scale(ratio);
            }
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
        self.learner.observe(gauge);
    }
}
