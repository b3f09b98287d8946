//! Performance-oriented congestion control (PCC): rates are tried for monitor intervals, whose results come a round trip later.

mod monitor;

use ackclock_units::{Duration, PacketRate, Time};

use self::monitor::Monitor;
pub use self::monitor::Report;
use super::drawn::{drawn_bits, unit};
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs};

/// Packets of a round trip at the lowest rate, and at the first one.
const LEAST_PER_ROUND: f64 = 2.0;
/// The highest rate in packets per second: one that something other than the network limits may double without an end.
const MOST_RATE: f64 = 1e100;
/// Round trips at the present rate that the window holds: it limits a sender whose acknowledgments stay away.
const WINDOW_ROUNDS: f64 = 2.0;
/// The smallest window in packets.
const LEAST_WINDOW: f64 = 4.0;
/// Packets that an interval has time for at least.
const LEAST_PACKETS: f64 = 10.0;

/// The continuation after the last interval of a plan.
///
/// Exhaustive: the sender carries out every one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The results are awaited.
    Wait,
    /// An interval at this rate.
    Rate(f64),
    /// Another plan: the intervals under way are void.
    Afresh,
}

/// Learns from the results of monitor intervals which rate to send at. Rates are in packets per second.
pub trait Learner: Clone + Send + Sync {
    /// The rate that is sent while results are awaited.
    fn rate(&mut self) -> &mut f64;

    /// Each interval is followed by the next one at once, and the results are told one by one; else those of a plan are awaited.
    fn is_continuous(&self) -> bool;

    /// The rates to try next, for random bits; the same state has the same ones.
    fn plan(&mut self, bits: u64) -> Vec<f64>;

    /// The continuation after the last interval of a plan. No rate is below `least`.
    fn next(&mut self, least: f64) -> Next;

    /// Takes the results of a plan, or of one interval. True if the intervals under way are void.
    fn learn(&mut self, reports: &[Report], least: f64) -> bool;

    /// Goes back to the interval of this rate, the first without a result, where intervals are continuous.
    fn go_back(&mut self, rate: f64);

    /// Goes on after a timeout. No rate is below `least`.
    fn restart(&mut self, least: f64);

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
/// - *An interval* in which nothing was counted, or which the application limited, says nothing: its plan is tried again.
/// - *After a timeout* or an idle time the intervals are void, and the window is the restart window at most until the next delivery.
/// - *The window* holds two round trips at the present rate.
/// - *The rate* to try others around is two packets in a round trip at least.
#[derive(Clone, Debug)]
pub struct Monitored<L> {
    learner: L,
    seed: u64,
    restart_window: f64,
    /// The time of the first acknowledgment that measured a round-trip time.
    began: Option<Time>,
    cwnd: f64,
    pacing_rate: Option<PacketRate>,
    /// The lowest rate, by the last smoothed round-trip time.
    least: f64,
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
            least: 0.0,
            monitor: Monitor::default(),
            is_held: false,
        }
    }

    /// Learns from results that are in, and begins the next interval.
    fn experiment(&mut self, now: Time, srtt_s: f64) {
        let least = self.least;
        let bits = self.bits(now);
        self.learn(least);
        if self.monitor.is_empty() {
            self.plan(bits);
        }
        let mut rate = self.monitor.next(now);
        if rate.is_none() && self.monitor.rate().is_none() {
            match self.learner.next(least) {
                Next::Wait => {}
                Next::Rate(next) => rate = Some(self.monitor.add(next)),
                Next::Afresh => {
                    self.plan(bits);
                    rate = self.monitor.next(now);
                }
            }
        }
        if let Some(rate) = rate {
            let seconds = (self.learner.rounds(unit(bits)) * srtt_s).max(LEAST_PACKETS / rate);
            self.monitor.begin(now, rate, Duration::from_secs_f64(seconds));
        }
    }

    fn learn(&mut self, least: f64) {
        if !self.learner.is_continuous() {
            if let Some(reports) = self.monitor.reports() {
                if reports.iter().all(|report| report.says_something) {
                    self.learner.learn(&reports, least);
                    self.monitor.void();
                } else {
                    self.monitor.repeat();
                }
            }
            return;
        }
        while let Some(report) = self.monitor.take_report() {
            if !report.says_something {
                self.learner.go_back(report.rate);
                self.monitor.void();
            } else if self.learner.learn(&[report], least) {
                self.monitor.void();
            }
        }
    }

    fn bits(&self, now: Time) -> u64 {
        drawn_bits(self.seed, self.began.map_or(Duration::ZERO, |began| now.since(began)))
    }

    fn plan(&mut self, bits: u64) {
        let rate = self.learner.rate();
        *rate = rate.min(MOST_RATE);
        self.monitor.void();
        self.monitor.set_plan(self.learner.plan(bits));
    }

    fn apply(&mut self, srtt_s: f64) {
        let rate = self.monitor.rate().unwrap_or(*self.learner.rate());
        self.cwnd = (WINDOW_ROUNDS * rate * srtt_s).max(LEAST_WINDOW);
        self.pacing_rate = Some(PacketRate(rate));
    }

    /// Takes the window down until the next delivery: the intervals under way are void.
    fn hold(&mut self, window: f64) {
        self.is_held = true;
        self.cwnd = self.cwnd.min(window);
        if !self.learner.is_continuous() {
            self.monitor.repeat();
        } else if let Some(rate) = self.monitor.first_rate() {
            self.learner.go_back(rate);
            self.monitor.void();
        }
    }

    fn start_again(&mut self, now: Time) {
        self.hold(self.restart_window);
        if self.began.is_some() {
            self.learner.restart(self.least);
            self.plan(self.bits(now));
        }
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
        if srtt_s > 0.0 {
            self.least = LEAST_PER_ROUND / srtt_s;
        }
        if self.began.is_none() && ack.rtt.is_some() {
            self.began = Some(ack.now);
            *self.learner.rate() = self.least;
        }
        if self.began.is_some() && !self.is_held {
            self.experiment(ack.now, srtt_s);
            self.apply(srtt_s);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.restart {
            self.start_again(event.now);
        }
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::IdleRestart { restart_window } => self.hold(restart_window.max(1.0)),
            Event::Spurious | Event::NotValidated { .. } | Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.cwnd = (self.cwnd * ratio).max(1.0);
                if let Some(PacketRate(rate)) = &mut self.pacing_rate {
                    *rate *= ratio;
                }
                self.least *= ratio;
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
