//! Prague (draft-briscoe-iccrg-prague-congestion-control-04): DCTCP for the Internet.
//!
//! The congestion control that the L4S architecture requires (RFC 9331, 4.3). A mark reduces the window by half the
//! estimated part of marked packets, and growth continues in round trips with marks. Packets are paced. A flow with a
//! short round-trip time behaves as one with 25 ms.
//!
//! Choices where the draft is open, or where the transport decides:
//! - Packets are counted, not bytes.
//! - The transport signals one mark per round trip, and none while losses are repaired. Of several marks within a
//!   virtual round-trip time, only the first reduces the window.
//! - A mark reduces the window by a part of the window, not of the packets in flight: the packets in flight are up to
//!   two fewer, a larger difference than the reduction itself.
//! - A loss keeps half of what is in use, as standard TCP; the draft allows CUBIC's seven tenths as well.
//! - Two packets are the smallest window; the draft's smaller windows are not implemented.
//! - The fall-back for queues that mark as for classic ECN (RFC 3168) is off unless it is asked for, as in Linux.

mod classic_ecn;

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, PacketRate, Time};

use crate::control::{CongestionControl, Decision};
use crate::facts::{Ack, Congestion, Event, Needs, Signal, Start};
use crate::windowed::Window;
use classic_ecn::ClassicEcn;

/// The weight of a round trip in the estimate of the marked part: g.
const GAIN: f64 = 1.0 / 16.0;
/// The smallest window after a reduction, in packets.
const LEAST_KEPT: f64 = 2.0;
/// The smallest window of all, in packets.
const LEAST_WINDOW: f64 = 1.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "controller",
    name: "prague",
    title: "Prague: DCTCP for the Internet, with pacing, and alike at round trips up to 25 ms",
    source: "draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331, 4.3",
    parameters: &[
        Parameter::new(
            "virtual_rtt",
            Unit::Milliseconds,
            25.0,
            (0.01, 1e4),
            "round-trip time as which shorter ones behave",
        ),
        Parameter::new(
            "transition",
            Unit::RoundTrips,
            500.0,
            (0.0, f64::INFINITY),
            "round trips after slow start before they do (inf: never)",
        ),
        Parameter::switch(
            "classic_fallback",
            false,
            "1: a mark of a queue of classic ECN, which the delay shows, takes more; 0: it does not",
        ),
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Prague {
    Prague {
        virtual_rtt: 1e6 * values.get("virtual_rtt"),
        transition: values.get("transition"),
        restart_window: start.restart_window,
        window: Window { cwnd: start.initial_window, ssthresh: start.initial_ssthresh },
        before: None,
        srtt: Duration::ZERO,
        marks: Marks {
            alpha: 1.0,
            is_marked: false,
            delivered: 0.0,
            marked: 0.0,
            round: None,
            since: Time::ZERO,
        },
        round: None,
        rounds: 0.0,
        reduced: None,
        classic: values.is_on("classic_fallback").then(|| Box::new(ClassicEcn::new())),
    }
}

/// Unmarked packets increase the window additively; marks reduce it in proportion to their part.
#[derive(Clone, Debug)]
pub struct Prague {
    /// In nanoseconds.
    virtual_rtt: f64,
    transition: f64,
    restart_window: f64,
    window: Window,
    /// The window before the last reduction.
    before: Option<Window>,
    srtt: Duration,
    marks: Marks,
    round: Option<u64>,
    /// Round trips in congestion avoidance.
    rounds: f64,
    /// The last reduction by a mark.
    reduced: Option<Time>,
    /// The detection of classic ECN queues, if it is on.
    classic: Option<Box<ClassicEcn>>,
}

/// The estimate of the part of packets that are marked.
#[derive(Clone, Copy, Debug)]
struct Marks {
    alpha: f64,
    /// True from the first mark on. The estimate keeps its initial value until then.
    is_marked: bool,
    /// Packets since the last update, and how many of them were marked.
    delivered: f64,
    marked: f64,
    /// The round trip and the time of the last update.
    round: Option<u64>,
    since: Time,
}

impl Marks {
    /// Begins another estimate; returns true if the last one counts.
    fn update(&mut self, round: u64, now: Time) -> bool {
        let counts = self.is_marked && self.delivered > 0.0;
        if counts {
            self.alpha += GAIN * ((self.marked / self.delivered).min(1.0) - self.alpha);
        }
        (self.delivered, self.marked) = (0.0, 0.0);
        (self.round, self.since) = (Some(round), now);
        counts
    }
}

impl Prague {
    fn is_in_slow_start(&self) -> bool {
        self.window.cwnd < self.window.ssthresh
    }

    /// True if the window grows and shrinks as if the flow's round-trip time were the virtual one.
    fn is_scaled(&self) -> bool {
        let srtt = self.srtt.as_nanos() as f64;
        !self.is_in_slow_start()
            && self.rounds >= self.transition
            && !self.srtt.is_zero()
            && srtt < self.virtual_rtt
    }

    /// True if less than one virtual round-trip time has passed from `then` to `now`.
    fn is_recent(&self, then: Time, now: Time) -> bool {
        (now.since(then).as_nanos() as f64) < self.virtual_rtt
    }

    fn begin_round(&mut self, round: u64) {
        if self.round.is_some() && !self.is_in_slow_start() {
            self.rounds += 1.0;
        }
        self.round = Some(round);
    }

    /// Updates the estimate once a round trip has ended and, if scaled, a virtual round-trip time has passed. That
    /// may happen within a round trip.
    fn estimate(&mut self, ack: &Ack) {
        let Ack { round, now, .. } = *ack;
        if self.marks.round == Some(round) || self.is_scaled() && self.is_recent(self.marks.since, now) {
            return;
        }
        if self.marks.update(round, now)
            && let Some(classic) = &mut self.classic
        {
            classic.judge(ack.min_rtt);
        }
    }

    /// Growth by `unmarked` packets of `acks` acknowledgments.
    fn grow(&mut self, unmarked: f64, acks: f64) {
        let Window { cwnd, ssthresh } = self.window;
        if self.is_in_slow_start() {
            self.window.cwnd = (cwnd + unmarked.min(acks)).min(ssthresh);
            return;
        }
        let mut increase = (unmarked / cwnd).min(acks);
        if self.is_scaled() {
            // One packet per virtual round-trip time. The window is smaller than the virtual one in the ratio of the
            // two round-trip times.
            let part = self.srtt.as_nanos() as f64 / self.virtual_rtt;
            increase *= part * part;
        }
        self.window.cwnd += increase;
    }
}

impl CongestionControl for Prague {
    fn needs(&self) -> Needs {
        Needs { pacing: true, accurate_ecn: true, l4s: true, recovery: Some("rack"), ..Needs::default() }
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.srtt = ack.srtt;
        if self.round != Some(ack.round) {
            self.begin_round(ack.round);
        }
        if let (Some(classic), Some(rtt)) = (&mut self.classic, ack.rtt) {
            classic.sample(rtt);
        }
        self.estimate(ack);
        self.marks.delivered += ack.delivered;
        self.marks.marked += ack.ce_marked;
        self.marks.is_marked |= ack.ce_marked > 0.0;
        // A mark does not suspend growth, a loss does; after a timeout, slow start sends the lost packets again.
        let unmarked = ack.delivered - ack.ce_marked;
        let repairs = ack.recovering && self.window.cwnd >= self.window.ssthresh;
        if !repairs && ack.advanced && ack.window_limited && unmarked > 0.0 {
            self.grow(unmarked, f64::from(ack.acks));
        }
        self.decision()
    }

    fn on_congestion(&mut self, event: &Congestion) -> Decision {
        if event.repeated {
            self.window.cwnd = self.window.cwnd.min(self.restart_window);
            return self.decision();
        }
        if let Some(classic) = &mut self.classic {
            classic.on_signal(self.window.ssthresh);
        }
        let (mut used, mut part) = (self.window.cwnd.min(event.flight).max(LEAST_WINDOW), 0.5);
        if event.signal == Signal::Ecn {
            self.marks.is_marked = true;
            let is_same = self.reduced.is_some_and(|then| self.is_recent(then, event.now));
            if is_same && self.is_scaled() && !event.restart {
                return self.decision();
            }
            self.reduced = Some(event.now);
            let alpha = self.marks.alpha;
            let answered = self.classic.as_ref().map_or(alpha, |classic| classic.answered(alpha));
            (used, part) = (self.window.cwnd, answered / 2.0);
        }
        self.before = Some(self.window);
        let kept = (used * (1.0 - part)).max(LEAST_KEPT);
        let restart = event.restart || event.signal == Signal::Timeout;
        let cwnd = if restart { kept.min(self.restart_window) } else { kept };
        self.window = Window { cwnd, ssthresh: kept };
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        match *event {
            Event::Spurious => {
                if let Some(before) = self.before.take() {
                    self.window = Window { cwnd: before.cwnd.max(self.window.cwnd), ..before };
                }
            }
            Event::IdleRestart { restart_window } => {
                self.window.cwnd = self.window.cwnd.min(restart_window.max(LEAST_WINDOW));
            }
            Event::NotValidated { window, ssthresh } => {
                self.window.limit((window, ssthresh), LEAST_WINDOW);
            }
            Event::Deadline { .. } => {}
            Event::SegmentSize { .. } => {
                let ratio = event.scale();
                self.window.scale(ratio, LEAST_WINDOW);
                self.before.iter_mut().for_each(|window| window.scale(ratio, LEAST_WINDOW));
                self.marks.delivered *= ratio;
                self.marks.marked *= ratio;
            }
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        let Window { cwnd, ssthresh } = self.window;
        let factor = if cwnd < ssthresh / 2.0 { 2.0 } else { 1.0 };
        let pacing_rate =
            (!self.srtt.is_zero()).then(|| PacketRate(factor * (cwnd / self.srtt.as_secs_f64())));
        Decision { cwnd, pacing_rate, wake: None }
    }

    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("prague_alpha", self.marks.alpha);
        if let Some(classic) = &self.classic {
            gauge("prague_classic_ecn", classic.score());
        }
    }
}
