//! SEARCH: slow start that ends where deliveries fall behind what was sent a round trip before (draft-chung-ccwg-search).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use crate::facts::{Ack, Congestion};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "search",
    title: "SEARCH: slow start that ends where deliveries fall behind what was sent a round trip before",
    source: "draft-chung-ccwg-search-09; Kachooei et al., IEEE WoWMoM 2024",
    parameters: &[
        Parameter::new(
            "window",
            Unit::RoundTrips,
            3.5,
            (0.1, 1e3),
            "initial round trips over which deliveries are counted (WINDOW_SIZE)",
        ),
        Parameter::new("bins", Unit::Count, 10.0, (1.0, 1e3), "bins of such a window (W)"),
        Parameter::new(
            "extra_bins",
            Unit::Count,
            15.0,
            (1.0, 1e3),
            "a round trip of this many bins or more is not looked back over (EXTRA_BINS)",
        ),
        Parameter::new(
            "threshold",
            Unit::Number,
            0.26,
            (0.0, 1.0),
            "share of what was sent that is missing where slow start ends (THRESH); the kernel module has 0.35",
        ),
        Parameter::new(
            "drain",
            Unit::Packets,
            3.0,
            (0.0, 1e6),
            "packets delivered for each one sent while the queue drains; 0: slow start ends with the window as it is",
        ),
        Parameter::new(
            "limit",
            Unit::Packets,
            f64::INFINITY,
            (1.0, f64::INFINITY),
            "largest growth per acknowledgment",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Search {
    let rule = Rule {
        window: values.get("window"),
        bins: values.get("bins") as u64,
        extra_bins: values.get("extra_bins") as u64,
        threshold: values.get("threshold"),
        drain: values.get("drain"),
        abc_limit: values.get("limit"),
    };
    let (counts, lost) = (Counts { delivered: 0.0, sent: 0.0 }, 0.0);
    Search { rule, least: 0.0, counts, lost, bins: None, shortfall: 0.0, phase: Phase::Probing }
}

/// Standard slow start that compares the packets delivered over 3.5 initial round trips with the packets sent over as long a time, a
/// present round trip earlier. Below the capacity all that was sent is delivered; at the capacity the sender sends two packets for each
/// one delivered. When 26 % are missing, the queue drains: the sender sends a packet for every three delivered until the window is
/// what was delivered in the latest initial round trip, and slow start is over.
///
/// Packets sent need no fact of their own: they are the packets delivered, lost and in flight.
///
/// Left open in the draft, or different in its two implementations (the authors' kernel module and neqo), and done here:
/// - *Interpolation* between the bins goes backwards in time, as in both; neqo calls the draft's forward one a mistake.
/// - *Missed bins*, an option of the draft: a gap longer than a window begins anew, as in neqo.
/// - *After congestion* it begins anew, as the kernel module does after a timeout. A fast recovery leaves no slow start.
/// - *The drained window* is at least the connection's first one, as in the kernel module, and not above the window before.
#[derive(Clone, Debug)]
pub struct Search {
    rule: Rule,
    /// The window with which the connection began, in packets.
    least: f64,
    /// Of the connection until now.
    counts: Counts,
    lost: f64,
    /// From the first round-trip time on.
    bins: Option<Bins>,
    /// The share of what was sent that was missing at the latest test (`norm_diff`).
    shortfall: f64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    window: f64,
    bins: u64,
    extra_bins: u64,
    threshold: f64,
    drain: f64,
    abc_limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Probing,
    /// This acknowledgment found the capacity; it neither grows the window nor drains.
    Found {
        target: f64,
    },
    /// Packets delivered that have not been answered by a packet sent.
    Draining {
        target: f64,
        unanswered: f64,
    },
}

/// Packets of the connection.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counts {
    delivered: f64,
    sent: f64,
}

/// The counts at the ends of the latest bins.
#[derive(Clone, Debug)]
struct Bins {
    width: Duration,
    /// The bins of an initial round trip, rounded up.
    initial_rtt: u64,
    end: Time,
    index: u64,
    /// By the index modulo the number that is kept.
    kept: Vec<Counts>,
}

impl Bins {
    /// Begins with the first bin, which ends a bin's width from now.
    fn new(rule: &Rule, now: Time, rtt: Duration, counts: Counts) -> Bins {
        let width = (rtt.as_nanos() as f64 * rule.window / rule.bins as f64) as u64;
        let width = width.max(1);
        let kept = vec![counts; (rule.bins + 1 + rule.extra_bins) as usize];
        let initial_rtt = rtt.as_nanos().div_ceil(width);
        let width = Duration::from_nanos(width);
        Bins { width, initial_rtt, end: now + width, index: 0, kept }
    }

    /// The bins that end before `now`, or at the end of the one under way.
    fn passed(&self, now: Time) -> u64 {
        if now <= self.end { 0 } else { now.since(self.end).as_nanos() / self.width.as_nanos() + 1 }
    }

    /// Ends `passed` bins: in all but the last nothing is known to have happened.
    fn advance(&mut self, passed: u64, counts: Counts) {
        let before = self.at(self.index);
        for skipped in 1..passed {
            *self.slot(self.index + skipped) = before;
        }
        self.index += passed;
        self.end += self.width * passed;
        *self.slot(self.index) = counts;
    }

    fn at(&self, index: u64) -> Counts {
        self.kept[(index % self.kept.len() as u64) as usize]
    }

    fn slot(&mut self, index: u64) -> &mut Counts {
        let place = (index % self.kept.len() as u64) as usize;
        &mut self.kept[place]
    }

    /// Packets delivered in the latest `bins`.
    fn delivered(&self, bins: u64) -> f64 {
        self.at(self.index).delivered - self.at(self.index.saturating_sub(bins)).delivered
    }

    /// Packets sent in the `bins` that end with bin `last`.
    fn sent(&self, last: u64, bins: u64) -> f64 {
        self.at(last).sent - self.at(last - bins).sent
    }

    /// The share of the packets sent a round trip before that is missing in the deliveries; none if too few bins are known.
    fn shortfall(&self, rule: &Rule, rtt: Duration) -> Option<f64> {
        let (rtt, width) = (rtt.as_nanos(), self.width.as_nanos());
        let back = rtt / width;
        let last = self.index.checked_sub(back)?;
        if last <= rule.bins || back >= rule.extra_bins {
            return None;
        }
        let fraction = (rtt % width) as f64 / width as f64;
        let sent = fraction * self.sent(last - 1, rule.bins) + (1.0 - fraction) * self.sent(last, rule.bins);
        (sent > 0.0).then(|| (sent - self.delivered(rule.bins)) / sent)
    }
}

impl Search {
    fn begin_anew(&mut self) {
        (self.bins, self.phase) = (None, Phase::Probing);
    }

    /// Ends the bins that are over; true if the capacity is found.
    fn finds_capacity(&mut self, now: Time, rtt: Duration) -> bool {
        let Some(bins) = &mut self.bins else {
            self.bins = Some(Bins::new(&self.rule, now, rtt, self.counts));
            return false;
        };
        let passed = bins.passed(now);
        if passed == 0 {
            return false;
        }
        if passed > self.rule.bins {
            self.bins = None;
            return false;
        }
        bins.advance(passed, self.counts);
        let Some(shortfall) = bins.shortfall(&self.rule, rtt) else { return false };
        self.shortfall = shortfall;
        shortfall >= self.rule.threshold
    }

    /// The window by which the capacity is used and no queue is left.
    fn target(&self) -> f64 {
        let delivered =
            self.bins.as_ref().map_or(0.0, |bins| bins.delivered(bins.initial_rtt.min(self.rule.bins)));
        delivered.max(self.least)
    }
}

impl SlowStart for Search {
    fn begin(&mut self, window: &mut Window) {
        self.least = window.cwnd;
    }

    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.lost += ack.lost;
        let delivered = self.counts.delivered + ack.delivered;
        self.counts = Counts { delivered, sent: delivered + self.lost + ack.in_flight };
        if let Phase::Found { target } = self.phase {
            self.phase = Phase::Draining { target, unanswered: 0.0 };
        }
        let Some(rtt) = ack.rtt else { return };
        if self.phase != Phase::Probing || window.cwnd >= window.ssthresh {
            return;
        }
        if self.finds_capacity(ack.now, rtt) {
            if self.rule.drain > 0.0 {
                self.phase = Phase::Found { target: self.target() };
            } else {
                window.ssthresh = window.cwnd;
                self.begin_anew();
            }
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        match &mut self.phase {
            Phase::Probing => {
                window.cwnd = (window.cwnd + ack.counted(self.rule.abc_limit)).min(window.ssthresh);
            }
            Phase::Found { .. } => {}
            Phase::Draining { target, unanswered } => {
                *unanswered += ack.delivered;
                let answers = (*unanswered / self.rule.drain).floor();
                *unanswered -= answers * self.rule.drain;
                let target = target.min(window.cwnd);
                window.cwnd = (ack.in_flight + answers).clamp(target, window.cwnd);
                if window.cwnd <= target {
                    window.ssthresh = window.cwnd;
                    self.begin_anew();
                }
            }
        }
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.begin_anew();
    }

    fn on_idle_restart(&mut self) {
        self.begin_anew();
    }

    fn scale(&mut self, ratio: f64) {
        let counts = self.bins.iter_mut().flat_map(|bins| &mut bins.kept).chain([&mut self.counts]);
        for Counts { delivered, sent } in counts {
            *delivered *= ratio;
            *sent *= ratio;
        }
        self.lost *= ratio;
        match &mut self.phase {
            Phase::Probing => {}
            Phase::Found { target } => *target *= ratio,
            Phase::Draining { target, unanswered } => {
                *target *= ratio;
                *unanswered *= ratio;
            }
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("search_shortfall", self.shortfall);
        gauge("search_draining", f64::from(u8::from(self.phase != Phase::Probing)));
    }
}
