//! CDG, CAIA's delay-gradient TCP, as in Linux.

mod entry;
mod gradients;
mod hybrid_slow_start;

use ackclock_catalogue::Values;
use ackclock_units::{Duration, Time};

pub(crate) use self::entry::ENTRY;
use self::gradients::{Extremes, Gradients};
use self::hybrid_slow_start::HybridSlowStart;
use super::drawn::{drawn_bits, unit};
use crate::avoidance::WholePackets;
use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};
use crate::windowed::Window;

/// The smallest window after a reduction, in packets.
const LEAST_KEPT: f64 = 2.0;
/// The smallest window of all, in packets.
const LEAST_WINDOW: f64 = 1.0;
/// Sums of gradients below this are small, in microseconds.
const SMALL: i64 = 32;
/// Acknowledgments of several packets that are remembered as evidence that the receiver delays.
const MOST_DELAYED: u32 = 5;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Cdg {
    Cdg {
        kept_part: (values.get("backoff_beta") * 1024.0).floor() / 1024.0,
        backoff_per_micro: 1e-6 * values.get("backoff_factor"),
        most_ineffective: values.get("use_ineff"),
        uses_shadow: values.is_on("use_shadow"),
        tolerates: values.is_on("use_tolerance"),
        seed: values.get("seed") as u64,
        began: None,
        restart_window: start.restart_window,
        window: Window { cwnd: start.initial_window, ssthresh: start.initial_ssthresh },
        before: None,
        whole: WholePackets::default(),
        shadow: start.initial_window,
        rtt: None,
        previous_rtt: None,
        round_left: 0.0,
        gradients: Gradients::new(values.get("window") as usize),
        queue: Queue::Unknown,
        delayed: 0,
        backoffs: 0.0,
        reduction: None,
        slow_start: HybridSlowStart::new(values.get("hystart_detect") as u32),
    }
}

/// A window that backs off with a probability that rises with the gradient of the delay, and otherwise grows as standard TCP's.
///
/// Choices:
/// - *Random numbers*: a controller has none. The number drawn for a back-off is a hash of `seed` and of the time since the first
///   acknowledgment, so that flows which meet different queues draw different numbers, and a run repeats at any time of day.
/// - *A back-off* takes the window down over a round trip, in proportion to what is delivered, as Linux' proportional rate
///   reduction does; losses and marks are the transport's to reduce for.
/// - *A loss during a back-off* ends it at its threshold and reduces nothing more, and a timeout then holds the threshold. A mark is ignored.
/// - *While a timeout is repaired* a back-off leaves window and threshold, as in Linux' state of loss.
/// - *A round* is counted in packets: it ends with the first acknowledgment above what was in flight at its beginning.
#[derive(Clone, Debug)]
pub struct Cdg {
    kept_part: f64,
    backoff_per_micro: f64,
    most_ineffective: f64,
    uses_shadow: bool,
    tolerates: bool,
    seed: u64,
    /// The time of the first acknowledgment.
    began: Option<Time>,
    restart_window: f64,
    window: Window,
    /// The window before the last episode; none if there is nothing to undo.
    before: Option<Window>,
    whole: WholePackets,
    /// The window that standard TCP, which does not back off for delays, would have by now.
    shadow: f64,
    /// Of this round.
    rtt: Option<Extremes>,
    /// Of the round before.
    previous_rtt: Option<Extremes>,
    /// Packets to be delivered until the round ends with the one after them.
    round_left: f64,
    gradients: Gradients,
    queue: Queue,
    /// Evidence that the receiver delays acknowledgments.
    delayed: u32,
    /// Back-offs since the delay last fell.
    backoffs: f64,
    reduction: Option<Reduction>,
    slow_start: HybridSlowStart,
}

/// The state of the bottleneck's queue, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Queue {
    Unknown,
    NotFull,
    Full,
    /// The sender has just backed off for the delay.
    Backoff,
}

/// A reduction of the window in progress, in which it does not grow.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reduction {
    /// The transport's, for a loss or a mark.
    Signal,
    /// For the delay: from a window of `from` packets, with `flight` packets in flight then and `delivered` since.
    Backoff { from: f64, flight: f64, delivered: f64 },
}

impl Cdg {
    /// Takes the round-trip time. Once acknowledgments of several packets were seen, one of a single packet may have waited for the
    /// receiver's timer, and counts only if it is smaller than the smallest.
    fn measure(&mut self, ack: &Ack) {
        let rtt = ack.rtt.map_or(0, |rtt| (rtt.as_nanos() / 1_000).cast_signed());
        if rtt == 0 {
            return;
        }
        if ack.advanced && !ack.recovering {
            let packets = ack.delivered / f64::from(ack.acks.max(1));
            if packets <= 1.0 && self.delayed > 0 {
                if let Some(round) = &mut self.rtt {
                    round.min = round.min.min(rtt);
                }
                self.delayed -= 1;
                return;
            }
            if packets > 1.0 && self.delayed < MOST_DELAYED {
                self.delayed += 1;
            }
        }
        let round = self.rtt.unwrap_or(Extremes { min: rtt, max: rtt });
        self.rtt = Some(Extremes { min: round.min.min(rtt), max: round.max.max(rtt) });
    }

    /// Continues a reduction, or ends it.
    fn reduce(&mut self, ack: &Ack) {
        match &mut self.reduction {
            Some(Reduction::Signal) if !ack.suspended => self.complete(ack),
            None | Some(Reduction::Signal) => {}
            Some(Reduction::Backoff { from, flight, delivered }) => {
                *delivered += ack.delivered;
                if *delivered > *flight {
                    self.window.cwnd = self.window.ssthresh;
                    self.complete(ack);
                } else {
                    let reached = *from - (*from - self.window.ssthresh) * (*delivered / *from);
                    self.window.cwnd = reached.max(self.window.ssthresh);
                }
            }
        }
    }

    /// The round trips of a reduction give no gradient.
    fn complete(&mut self, ack: &Ack) {
        self.reduction = None;
        self.queue = Queue::Unknown;
        self.begin_round(ack);
    }

    fn begin_round(&mut self, ack: &Ack) {
        self.round_left = ack.in_flight;
        self.previous_rtt = self.rtt.take();
    }

    /// The gradient in microseconds at the end of a round of these round-trip times after a round of those.
    fn gradient(&mut self, round: Extremes, before: Extremes) -> i64 {
        let Extremes { min, max } = self.gradients.push(round.minus(before));
        if min <= -SMALL || max <= -SMALL {
            self.backoffs = 0.0;
        }
        if self.tolerates {
            if min >= SMALL && max < SMALL {
                self.queue = Queue::Full;
            } else if min >= SMALL || max <= -SMALL {
                self.queue = Queue::NotFull;
            }
        }
        self.gradients.gradient()
    }

    /// Backs off with a probability of 1 - exp(-gradient), unless that had no effect too often. True if it does.
    fn backs_off(&mut self, ack: &Ack, gradient: i64) -> bool {
        let age = self.began.map_or(Duration::ZERO, |began| ack.now.since(began));
        if unit(drawn_bits(self.seed, age)) <= libm::exp(-self.backoff_per_micro * gradient as f64) {
            return false;
        }
        if self.most_ineffective > 0.0 {
            self.backoffs += 1.0;
            if self.backoffs > self.most_ineffective {
                return false;
            }
        }
        let from = self.window.cwnd;
        self.shadow = self.shadow.max(from);
        self.queue = Queue::Backoff;
        self.before = None;
        if !ack.recovering {
            self.window.ssthresh = self.kept();
            self.reduction = Some(Reduction::Backoff { from, flight: ack.in_flight, delivered: 0.0 });
        }
        true
    }

    /// The window to keep.
    fn kept(&mut self) -> f64 {
        self.whole.restart();
        let cwnd = self.window.cwnd.floor();
        match self.queue {
            Queue::Backoff => (cwnd * self.kept_part).floor().max(LEAST_KEPT),
            Queue::NotFull if self.tolerates => cwnd,
            _ => {
                self.shadow = (self.shadow / 2.0).floor().min(cwnd);
                let half = (cwnd / 2.0).floor().max(LEAST_KEPT);
                if self.uses_shadow { half.max(self.shadow) } else { half }
            }
        }
    }

    /// Ends the round, slow start or both, and grows the window.
    fn avoid(&mut self, ack: &Ack) {
        if self.window.cwnd < self.window.ssthresh && self.slow_start.ends(ack, self.rtt) {
            self.window.ssthresh = self.window.cwnd;
        }
        if self.round_left < 0.0
            && let Some(round) = self.rtt
        {
            let gradient = self.previous_rtt.map_or(0, |before| self.gradient(round, before));
            self.begin_round(ack);
            self.slow_start.end_round();
            if gradient > 0 && self.backs_off(ack, gradient) {
                return;
            }
        }
        if ack.window_limited {
            let before = self.window.cwnd;
            self.grow(ack.delivered);
            self.shadow += self.window.cwnd - before;
        } else {
            self.shadow = self.shadow.min(self.window.cwnd);
        }
    }

    /// As standard TCP does in Linux, in whole packets.
    fn grow(&mut self, delivered: f64) {
        let Window { cwnd, ssthresh } = self.window;
        let mut rest = delivered;
        if cwnd < ssthresh {
            self.window.cwnd = (cwnd + delivered).min(ssthresh);
            rest -= self.window.cwnd - cwnd;
        }
        if rest > 0.0 {
            self.whole.grow(rest, self.window.cwnd.floor(), &mut self.window);
        }
    }
}

impl CongestionControl for Cdg {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.began.get_or_insert(ack.now);
        self.measure(ack);
        self.round_left -= ack.delivered;
        self.reduce(ack);
        if self.reduction.is_none() && !ack.suspended && ack.advanced && ack.delivered > 0.0 {
            self.avoid(ack);
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        let restart = event.restart || event.signal == Signal::Timeout;
        let backs_off = matches!(self.reduction, Some(Reduction::Backoff { .. }));
        if backs_off && event.signal == Signal::Ecn && !restart {
            return self.decision();
        }
        if !backs_off && !event.repeated {
            self.before = Some(self.window);
            self.window.ssthresh = self.kept();
        }
        (self.window.cwnd, self.reduction) = if restart {
            (self.restart_window, None)
        } else {
            (self.window.ssthresh, Some(Reduction::Signal))
        };
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => {
                if let Some(before) = self.before.take() {
                    let cwnd = self.window.cwnd.max(before.cwnd);
                    self.window = Window { cwnd, ssthresh: self.window.ssthresh.max(before.ssthresh) };
                }
            }
            Event::IdleRestart { restart_window } => {
                self.shadow = self.window.cwnd;
                (self.rtt, self.previous_rtt, self.reduction) = (None, None, None);
                (self.round_left, self.queue, self.delayed, self.backoffs) = (0.0, Queue::Unknown, 0, 0.0);
                self.gradients.restart();
                self.slow_start.restart();
                // The window to give back is forgotten too, the threshold is not the module's.
                self.before = self.before.map(|before| Window { cwnd: LEAST_WINDOW, ..before });
                self.window.cwnd = self.window.cwnd.min(restart_window.max(LEAST_WINDOW));
            }
            Event::NotValidated { window, ssthresh } => {
                self.window.limit((window, ssthresh), LEAST_WINDOW);
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => self.scale(event.scale()),
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision::window(self.window.cwnd)
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("cdg_gradient_s", self.gradients.gradient() as f64 / 1e6);
        gauge("cdg_shadow_window_packets", self.shadow);
        gauge("cdg_ineffective_backoffs", self.backoffs);
    }
}

impl Cdg {
    /// The state for segments of another size.
    fn scale(&mut self, ratio: f64) {
        self.window.scale(ratio, LEAST_WINDOW);
        if let Some(before) = &mut self.before {
            before.scale(ratio, LEAST_WINDOW);
        }
        self.whole.scale(ratio);
        self.shadow *= ratio;
        self.round_left *= ratio;
        if let Some(Reduction::Backoff { from, flight, delivered }) = &mut self.reduction {
            for packets in [from, flight, delivered] {
                *packets *= ratio;
            }
        }
    }
}
